import { isNewer } from '../../shared/line.ts';
import type { StoredResponse } from './response-store.ts';

/** Answers whose descriptions are kept in memory. */
const MOST = 1_000;

/**
 * What this life of the worker last read or wrote of each answer, so that nobody waits for the database to learn it
 * again. Another engine may have written since: what is known says what was there, the database what is.
 */
export class Known {
  readonly #records = new Map<string, StoredResponse>();
  /** The keys of all that is stored, at least, once it is known of all. */
  readonly #keys = new Set<string>();
  #isComplete = false;

  get(key: string): StoredResponse | null {
    const record = this.#records.get(key);
    if (!record) return null;
    this.#keep(record);
    return record;
  }

  /** All keys that there are; what was noted meanwhile is there as well. */
  learn(keys: readonly string[]): void {
    for (const key of keys) this.#keys.add(key);
    this.#isComplete = true;
  }

  /** Whether nothing is stored under a key. */
  isAbsent(key: string): boolean {
    return this.#isComplete && !this.#keys.has(key);
  }

  /** What was read or written may have been outrun by what is newer. */
  note(record: StoredResponse): void {
    const known = this.#records.get(record.key);
    this.#keys.add(record.key);
    if (!known || !isNewer(known.revision, record.revision)) this.#keep(record);
  }

  forget(key: string): void {
    this.#records.delete(key);
    this.#keys.delete(key);
  }

  clear(): void {
    this.#records.clear();
    this.#keys.clear();
  }

  /** Those used last come last: the first goes where they are too many. */
  #keep(record: StoredResponse): void {
    this.#records.delete(record.key);
    this.#records.set(record.key, record);
    const [oldest] = this.#records.keys();
    if (this.#records.size > MOST && oldest !== undefined) this.#records.delete(oldest);
  }
}
