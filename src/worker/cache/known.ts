import { isNewer } from '../../shared/line.ts';
import { isSameRevision } from '../../shared/outcome.ts';
import { KeyFilter } from './key-filter.ts';
import type { StoredResponse } from '../contracts/response-store.ts';

/** Answers whose descriptions are kept in memory. */
const MOST = 1_000;

/** Keys after which the filter is made anew: about as many as are stored, and as many that may have gone since. */
const MOST_KEYS = 131_072;

/**
 * What this life of the worker last read or wrote of each answer, so that nobody waits for the database to learn it
 * again. Another engine may have written since: what is known says what was there, the database what is. It does not
 * grow with what is stored.
 */
export class Known {
  readonly #records = new Map<string, StoredResponse>();
  /** The keys of all that is stored, at least, once they have been learned. */
  #keys = new KeyFilter();
  /** The filter that is being made, while it is. */
  #learning: KeyFilter | null = null;
  #isComplete = false;

  get(key: string): StoredResponse | null {
    const record = this.#records.get(key);
    if (!record) return null;
    this.#keep(record);
    return record;
  }

  /** Whether the keys that are stored are to be learned, for the first time or anew. */
  get isToLearn(): boolean {
    return this.#learning === null && (!this.#isComplete || this.#keys.size > MOST_KEYS);
  }

  /** All keys that are stored are to be put into this one; what is noted meanwhile is in it as well. */
  beginToLearn(): KeyFilter {
    this.#learning = new KeyFilter();
    return this.#learning;
  }

  /**
   * All are in it, or else not: what was known before then still holds. It is of no use where another has been begun since.
   */
  endLearning(learning: KeyFilter, isComplete: boolean): void {
    if (this.#learning !== learning) return;
    if (isComplete) [this.#keys, this.#isComplete] = [learning, true];
    this.#learning = null;
  }

  /** Whether nothing is stored under a key. */
  isAbsent(key: string): boolean {
    return this.#isComplete && !this.#keys.mayHave(key);
  }

  /** What was read or written may have been outrun by what is newer. */
  note(record: StoredResponse): void {
    const { key } = record;
    const known = this.#records.get(key);
    if (!this.#keys.mayHave(key)) this.#keys.add(key);
    this.#learning?.add(key);
    if (!known || !isNewer(known.revision, record.revision)) this.#keep(record);
  }

  /** The key may be stored all the same, as far as is known. */
  forget(key: string): void {
    this.#records.delete(key);
  }

  /** That revision is not stored, nor will be; what was noted since stays. */
  lose({ key, revision }: StoredResponse): void {
    const known = this.#records.get(key);
    if (known && isSameRevision(known.revision, revision)) this.forget(key);
  }

  /** Their keys may be stored all the same, as far as is known. */
  forgetAll(): void {
    this.#records.clear();
  }

  /** Those used last come last: the first goes where they are too many. */
  #keep(record: StoredResponse): void {
    this.#records.delete(record.key);
    this.#records.set(record.key, record);
    const [oldest] = this.#records.keys();
    if (this.#records.size > MOST && oldest !== undefined) this.#records.delete(oldest);
  }
}
