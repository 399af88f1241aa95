import { isNewer } from '../../shared/lineage.ts';
import { isSameRevision } from '../../shared/outcome.ts';
import type { Revision } from '../../shared/outcome.ts';

/** How an answer compares to those before it: new, the same again, or older. */
export type Novelty = 'news' | 'same' | 'older';

/** An answer, as far as its order counts. */
export interface Ordered {
  readonly revision: Revision | null;
  /** The id of the call that it answers; null for the tick of a loop, whose order the revision alone tells. */
  readonly call: number | null;
}

/**
 * The order of the answers to one query. Calls are ordered by when they were made. Within a lineage the higher number is
 * newer; of two lineages the younger is newer, and an older one never returns (invariant 8). Answers that are not stored
 * have no revision and are news.
 */
export class AnswerOrder {
  #revision: Revision | null = null;
  #call = 0;
  /** True where the newest revision is that of the answer taken last. */
  #isLast = false;

  /** True where a call that was made later has been answered. */
  isLate(call: number): boolean {
    return call < this.#call;
  }

  judge({ revision, call }: Ordered): Novelty {
    if (call !== null && this.isLate(call)) return 'older';
    if (revision === null || this.#revision === null) return 'news';
    if (isSameRevision(revision, this.#revision)) return this.#isLast ? 'same' : 'news';
    return isNewer(revision, this.#revision) ? 'news' : 'older';
  }

  /** Takes an answer that is not older. */
  take({ revision, call }: Ordered): void {
    this.#revision = revision ?? this.#revision;
    this.#isLast = revision !== null;
    this.#call = call ?? this.#call;
  }
}
