import { isNewer } from '../../shared/lineage.ts';
import { isSameRevision } from '../../shared/outcome.ts';
import type { Revision } from '../../shared/outcome.ts';

/** What an answer is to one who has others already: news, the same once more, or older than what is there. */
export type Novelty = 'news' | 'same' | 'older';

/**
 * Tells news from what comes late or twice: of one line the higher number is the newer, of two lines the younger, and
 * an older one is never returned to (invariant 8). Only answers to one question, the one of before, are compared.
 * Answers that are not stored have no revision and are always news.
 */
export class Newest {
  #question = '';
  #revision: Revision | null = null;
  /** Whether the newest revision is what was taken last. */
  #shown = false;

  /** What an answer would be. */
  judge(question: string, revision: Revision | null): Novelty {
    if (revision === null || this.#revision === null || question !== this.#question) return 'news';
    if (isSameRevision(revision, this.#revision)) return this.#shown ? 'same' : 'news';
    return isNewer(revision, this.#revision) ? 'news' : 'older';
  }

  /** Remembers news, which is shown from now on. */
  take(question: string, revision: Revision | null): void {
    this.#revision = revision ?? (question === this.#question ? this.#revision : null);
    this.#shown = revision !== null;
    this.#question = question;
  }
}
