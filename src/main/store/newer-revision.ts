import { isNewer } from '../../shared/lineage.ts';
import { isSameRevision } from '../../shared/outcome.ts';
import type { Revision } from '../../shared/outcome.ts';

/** How an answer compares to those before it: new, the same again, or older. */
export type Novelty = 'news' | 'same' | 'older';

/**
 * Tells new answers from late or repeated ones. Within a lineage the higher number is newer; of two lineages the
 * younger is newer, and an older one never returns (invariant 8). Only answers to the same question are compared.
 * Answers that are not stored have no revision and are always news.
 */
export class Newest {
  #question = '';
  #revision: Revision | null = null;
  /** True where the newest revision is the one taken last. */
  #shown = false;

  judge(question: string, revision: Revision | null): Novelty {
    if (revision === null || this.#revision === null || question !== this.#question) return 'news';
    if (isSameRevision(revision, this.#revision)) return this.#shown ? 'same' : 'news';
    return isNewer(revision, this.#revision) ? 'news' : 'older';
  }

  /** Nothing was shown before. */
  reset(): void {
    this.#question = '';
    this.#revision = null;
    this.#shown = false;
  }

  /** Remembers a new answer, which counts as shown from now on. */
  take(question: string, revision: Revision | null): void {
    this.#revision = revision ?? (question === this.#question ? this.#revision : null);
    this.#shown = revision !== null;
    this.#question = question;
  }
}
