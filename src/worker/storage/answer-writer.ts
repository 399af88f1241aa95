import { isSameRevision } from '../../shared/outcome.ts';
import { unreachable } from '../../shared/unreachable.ts';
import type { Clock } from '../platform/system.ts';
import { fits, refuseOversized, erase } from './eviction.ts';
import {
  extended,
  isDue,
  isWorthwhile,
  bytesOf,
  intactAnswer,
  isSmall,
  laidOut,
  sizeOf,
  wholeOf,
} from './response-record.ts';
import type { DeltaLog, DeltaChange, RecordChange, StoredAnswer } from './response-record.ts';
import type { Transaction } from './database.ts';
import { deltasOf, putDelta } from './stored-body.ts';
import type { StoredResponse } from '../contracts/response-store.ts';

/** Bytes of snapshots a millisecond that compaction may write for each origin, on average: 1 MB/s. */
const RATE = 1_000;

export interface Lying {
  /** Null if nothing is stored there, or it is damaged. */
  readonly answer: StoredAnswer | null;
  /** Bytes that it counts for; null if nothing is stored there. */
  readonly counted: number | null;
}

export function lyingIn(found: unknown): Lying {
  return found === undefined ? NOTHING : { answer: intactAnswer(found), counted: sizeOf(found) };
}

const NOTHING: Lying = { answer: null, counted: null };

/** The place in the store that an answer is written to, and what lies there before. */
export interface Target {
  readonly key: string;
  readonly lying: Lying;
  /** The time of its last use, as `noted` gives it. */
  readonly usedAt: number;
}

export interface Begun {
  /** The state afterwards, for the next write of the same transaction. */
  readonly lying: Lying;
  /** Bytes that a snapshot takes; 0 for a byte delta, since making room frees more than that in any case. */
  readonly needed: number;
  readonly done: Promise<unknown>;
}

/** Writes what was decided of the answers of one partition: as a snapshot, or as a byte delta after one. */
export class AnswerWriter {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #capacity: number;
  readonly #allowance = new Allowance();
  /** Milliseconds that uses are noted later than this clock says. */
  #ahead = 0;

  /** `capacity` in bytes. */
  constructor(clock: Pick<Clock, 'now'>, capacity: number) {
    this.#clock = clock;
    this.#capacity = capacity;
  }

  /** Stored answers were used at that time: later uses get later times, even if the clock was set back. */
  heed(usedAt: number): void {
    this.#ahead = Math.max(this.#ahead, usedAt + APART - this.#clock.now());
  }

  /** The time that is stored for a use at that time. Both are milliseconds of the epoch. */
  noted(usedAt: number): number {
    return usedAt + this.#ahead;
  }

  /** Begins to write; the next write need not wait. @throws RangeError if the answer is larger than the capacity. */
  begin(transaction: Transaction<'readwrite'>, target: Target, change: RecordChange): Begun {
    const { key, lying, usedAt } = target;
    switch (change.kind) {
      case 'keep':
        return { lying, needed: 0, done: Promise.resolve() };
      case 'remove':
        return { lying: NOTHING, needed: 0, done: erase(transaction, key, lying.answer?.body != null) };
      case 'describe': {
        const { log = null, body = null } = lying.answer ?? {};
        return this.#put(transaction, usedAt, { record: change.stored, log, body }, []);
      }
      case 'replace':
        return this.#snapshot(transaction, target, change.stored, change.body);
      case 'amend':
        return this.#amend(transaction, target, change);
      default:
        return unreachable(change);
    }
  }

  #amend(transaction: Transaction<'readwrite'>, target: Target, amendment: DeltaChange): Begun {
    const { lying, usedAt } = target;
    const { stored, change } = amendment;
    const log = lying.answer && this.#logWith(lying.answer, amendment);
    if (log === null) return this.#snapshot(transaction, target, stored, wholeOf(amendment));
    return this.#put(transaction, usedAt, { record: stored, log, body: null }, [
      putDelta(transaction, stored.key, log.count, change),
    ]);
  }

  /** The log with one byte delta more; null if the whole is to be stored. */
  #logWith({ record, log }: StoredAnswer, { stored, from, change }: DeltaChange): DeltaLog | null {
    if (isSmall(record) || isSmall(stored)) return null;
    if (!isSameRevision(from, record.revision) || !isWorthwhile(change, stored.size)) return null;
    const now = this.#clock.now();
    const next = extended(log, record.size, change, now);
    const { origin } = new URL(stored.url);
    if (this.#hasRoom(next, stored.size) && !isDue(next, now, this.#allowance.isFree(origin, now)))
      return next;
    this.#allowance.spend(origin, stored.size, now);
    return null;
  }

  /** True if an answer of `size` bytes fits in the capacity as that log, and later as a whole. */
  #hasRoom(log: DeltaLog, size: number): boolean {
    return fits({ entries: 1, bytes: Math.max(bytesOf(log), size) }, this.#capacity);
  }

  #snapshot(
    transaction: Transaction<'readwrite'>,
    { lying: { answer, counted }, usedAt }: Target,
    stored: StoredResponse,
    body: ArrayBuffer,
  ): Begun {
    refuseOversized(stored.size, this.#capacity);
    const [bodies, patches] = [transaction.objectStore('bodies'), transaction.objectStore('patches')];
    const { key, size } = stored;
    const isSmallOne = isSmall(stored);
    const mayHaveLarge = counted !== null && !answer?.body;
    const mayHaveLog = counted !== null && answer?.log !== null;
    const requests: Promise<unknown>[] = [];
    if (!isSmallOne) requests.push(bodies.put(body, key));
    else if (mayHaveLarge) requests.push(bodies.delete(key));
    if (mayHaveLog) requests.push(patches.delete(deltasOf(key)));
    const next: StoredAnswer = { record: stored, log: null, body: isSmallOne ? body : null };
    return { ...this.#put(transaction, usedAt, next, requests), needed: size };
  }

  #put(
    transaction: Transaction<'readwrite'>,
    usedAt: number,
    answer: StoredAnswer,
    requests: readonly Promise<unknown>[],
  ): Begun {
    const value = laidOut(answer, usedAt);
    const put = transaction.objectStore('responses').put(value);
    const lying: Lying = { answer, counted: sizeOf(value) };
    return { lying, needed: 0, done: Promise.all([put, ...requests]) };
  }
}

/** Milliseconds between two uses within one instant. */
const APART = 0.001;

/** The times of uses: each is later than the one before, within one instant as well, and if the clock is set back. */
export class Uses {
  readonly #clock: Pick<Clock, 'now'>;
  #last = 0;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Milliseconds of the epoch. */
  now(): number {
    this.#last = Math.max(this.#clock.now(), this.#last + APART);
    return this.#last;
  }
}

interface Debt {
  readonly bytes: number;
  /** Milliseconds of the epoch. */
  readonly at: number;
}

/**
 * Limits compaction by a token bucket for each origin, which holds one snapshot, whatever its size. An origin that has
 * written owes the bytes, and writes no more until time has paid them. Debts are not stored: a worker begins without.
 */
export class Allowance {
  readonly #debts = new Map<string, Debt>();

  isFree(origin: string, now: number): boolean {
    return this.#owed(origin, now) === 0;
  }

  spend(origin: string, bytes: number, now: number): void {
    this.#debts.set(origin, { bytes: this.#owed(origin, now) + bytes, at: now });
    for (const each of this.#debts.keys()) if (this.isFree(each, now)) this.#debts.delete(each);
  }

  /** A clock that was set back forgives the debt: it is unknown how long paying would take. */
  #owed(origin: string, now: number): number {
    const debt = this.#debts.get(origin);
    return debt && now >= debt.at ? Math.max(0, debt.bytes - (now - debt.at) * RATE) : 0;
  }
}
