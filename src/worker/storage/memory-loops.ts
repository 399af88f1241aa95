import type { Clock } from '../platform/system.ts';
import { EMPTY, extended, pruned } from './feed-log.ts';
import type { FeedLog } from './feed-log.ts';
import { assertNotOvertaken, DAY, isForgotten } from './loop-shape.ts';
import type { FeedEntry, LoopState } from '../contracts/loop-store.ts';

interface Remembered {
  readonly record: LoopState;
  readonly log: FeedLog;
  readonly usedAt: number;
  readonly entries: readonly FeedEntry[];
}

/** The loops of one partition if there is no database, as long as the worker lasts. No other engine writes there. */
export class MemoryLoops {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #loops = new Map<string, Remembered>();
  #nextSweep = 0;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  async find(key: string): Promise<LoopState | null> {
    return this.#loops.get(key)?.record ?? null;
  }

  async save(record: LoopState): Promise<void> {
    const { log, entries } = this.#of(record, record.last);
    this.#keep(record, log, entries);
  }

  /** A copy, since the outcome goes on to pages and its body may be transferred. */
  async append(record: LoopState, entry: FeedEntry): Promise<number> {
    const { log, entries } = this.#of(record, entry.offset - 1);
    const longer = extended(log, entry.offset, entry.size);
    this.#keep(record, longer, [...entries, structuredClone(entry)]);
    return longer.first;
  }

  async entries(key: string, after: number, limit: number): Promise<readonly FeedEntry[]> {
    const found = this.#loops.get(key)?.entries ?? [];
    return structuredClone(found.filter(({ offset }) => offset > after).slice(0, Math.max(0, limit)));
  }

  async prune(key: string, upTo: number, patience: number): Promise<void> {
    const loop = this.#loops.get(key);
    const now = this.#clock.now();
    if (loop) this.#put({ ...loop, log: pruned(loop.log, upTo, now + patience, now) });
  }

  async clear(): Promise<void> {
    this.#loops.clear();
  }

  /** The log that the record names, expected to end at `known`; empty if that is a new log. */
  #of(record: LoopState, known: number): Pick<Remembered, 'log' | 'entries'> {
    const loop = this.#loops.get(record.key);
    assertNotOvertaken(loop?.record ?? null, record, known);
    return loop?.record.log === record.log ? loop : { log: EMPTY, entries: [] };
  }

  #keep(record: LoopState, log: FeedLog, entries: readonly FeedEntry[]): void {
    const now = this.#clock.now();
    this.#put({ record: structuredClone(record), log, entries, usedAt: now });
    this.#sweep(record.key, now);
  }

  /** Only the newest entries belong to the log. */
  #put({ entries, ...loop }: Remembered): void {
    const kept = entries.slice(entries.length - loop.log.sizes.length);
    this.#loops.set(loop.record.key, { ...loop, entries: kept });
  }

  /** Once a day, as in a database: not every save looks at all other loops. */
  #sweep(spared: string, now: number): void {
    if (now < this.#nextSweep) return;
    this.#nextSweep = now + DAY;
    for (const [key, loop] of this.#loops) {
      if (key !== spared && isForgotten(loop, now)) this.#loops.delete(key);
    }
  }
}
