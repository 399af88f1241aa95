import type { Invocation } from '../../shared/invocation.ts';
import { LIMITS } from '../../shared/limits.ts';
import { RecentlyUsed } from '../../shared/recently-used.ts';
import type { Occasion } from './asking.ts';
import { queryKey } from './key.ts';
import { QueryRecord } from './record.ts';
import type { Held, RecordHome } from './record.ts';
import { told } from './told.ts';

type Wake = (occasion: Occasion) => void;

/** Bytes that a small response is counted as, at least. */
const OVERHEAD = 1_024;

/**
 * The records of all queries of a connection. Those that somebody watches are kept; of the others the last
 * `LIMITS.results`, with `LIMITS.resultBytes` of their responses.
 */
export class QueryRecords implements RecordHome {
  readonly #watched = new Map<string, QueryRecord>();
  readonly #idle = new RecentlyUsed<string, QueryRecord>(LIMITS.results);
  readonly #held = new RecentlyUsed<QueryRecord, Held>(LIMITS.resultBytes, ({ size }) => size + OVERHEAD);
  readonly #wakes = new Set<{ readonly wake: Wake }>();
  /** An invocation keeps its record, even one that has ended: what is still on its way comes to that one. */
  readonly #known = new WeakMap<Invocation, QueryRecord>();

  /** The record of what an invocation asks for. */
  of(invocation: Invocation): QueryRecord {
    const known = this.#known.get(invocation);
    if (known?.isEnded) return known;
    const record = this.#find(known ? known.key : queryKey(invocation), known);
    this.#known.set(invocation, record);
    return record;
  }

  /** Calls `wake` on each occasion; the returned function ends that. */
  attach(wake: Wake): () => void {
    const entry = { wake };
    this.#wakes.add(entry);
    return () => void this.#wakes.delete(entry);
  }

  /** Something has happened on which watched queries may ask. */
  wake(occasion: Occasion): void {
    const wakes = [...this.#wakes];
    for (const { wake } of wakes) told(() => wake(occasion));
  }

  /**
   * Ends all records, before anything of another identity is told: whoever watches one shows nothing. `wake('identity')`
   * then makes watched queries ask for that identity.
   */
  empty(): void {
    const records = [...this.#watched.values(), ...this.#idle.values()];
    this.#watched.clear();
    this.#idle.clear();
    this.#held.clear();
    for (const record of records) record.end();
  }

  watched(record: QueryRecord, isWatched: boolean): void {
    const { key } = record;
    this.#held.delete(record);
    if (key === null) return;
    this.#idle.delete(key);
    this.#watched.delete(key);
    if (isWatched) this.#watched.set(key, record);
    else this.#idle.set(key, record);
  }

  hold(record: QueryRecord, held: Held | undefined): void {
    if (held) this.#held.set(record, held);
    else this.#held.delete(record);
  }

  held(record: QueryRecord): Held | undefined {
    return this.#held.get(record);
  }

  /** `known` is the record that the invocation had, which may have been dropped since. */
  #find(key: string | null, known: QueryRecord | undefined): QueryRecord {
    const found = key === null ? known : (this.#watched.get(key) ?? this.#idle.get(key));
    if (found) return found;
    const record = known ?? new QueryRecord(key, this);
    if (key !== null) this.#idle.set(key, record);
    return record;
  }
}
