import { LIMITS } from '../../shared/limits.ts';
import { isNewer } from '../../shared/outcome.ts';
import type { StoredResponse } from '../contracts/response-store.ts';
import { excessOf, METADATA } from './response-record.ts';
import type { Clock } from '../platform/system.ts';
import type { Decide } from './response-record.ts';

/** Most changes of one answer that wait for each other. */
const MOST_STEPS = 32;

export interface Order {
  readonly key: string;
  /** Reads find this from now on, stored or not; null for an answer that is removed. */
  readonly stored: StoredResponse | null;
  /** Its bytes; null if they are those from before. */
  readonly body: ArrayBuffer | null;
  /** True if it builds on what waits before it; otherwise it replaces that. */
  readonly follows: boolean;
  /** True for the answer of a loop, which the next one follows: it may wait until others are written as well. */
  readonly isPatient?: boolean;
  /** Decides, when it is written, what it means for what is stored then. */
  readonly decide: Decide;
  /** Called if it is not stored and never will be. */
  readonly lost: () => void;
}

export type Over = (isStored: boolean) => void;

/** The orders of one answer that wait to be written. */
export interface Waiting {
  readonly key: string;
  readonly stored: StoredResponse | null;
  readonly body: ArrayBuffer | null;
  /** When the last of these was ordered, by `Uses`. */
  readonly usedAt: number;
  readonly orders: readonly Order[];
  readonly bytes: number;
  /** Called once, when it is known if it is stored, or that it will not be soon; with those of what it replaced. */
  readonly overs: Over[];
  /** Called then, always with false: not their answer is written, but its removal or something newer. */
  readonly lost: Over[];
}

/** Writes all in one transaction, or rejects and has written none. In a full browser others give way if `isWorthRoom`. */
export interface WrittenTo {
  carryOut(batch: readonly Waiting[], isWorthRoom: boolean): Promise<unknown>;
}

/** Replaces what waits of the same answer; keeps only what it builds on, for a database may be late for long. */
export function nextOf(
  before: Waiting | undefined,
  order: Order,
  { usedAt, over }: { readonly usedAt: number; readonly over: Over },
): Waiting {
  const { key, stored, follows } = order;
  const steps = follows && before ? [...before.orders, order] : [order];
  const isTooMuch = steps.length > MOST_STEPS || bytesOf(steps) > LIMITS.waitingSize;
  const orders = isTooMuch ? shortened(before?.orders ?? [], order) : steps;
  const body = order.body ?? (follows ? (before?.body ?? null) : null);
  const [overs, lost] = [before?.overs ?? [], before?.lost ?? []];
  overs.push(over);
  return { key, stored, body, usedAt, orders, bytes: bytesOf(orders), overs, lost };
}

/** Bytes are the whole, and need nothing before them. A description needs them, and takes the place of the one before. */
function shortened(before: readonly Order[], order: Order): readonly Order[] {
  if (order.body !== null) return [order];
  return [...(before.at(-1)?.body === null ? before.slice(0, -1) : before), order];
}

/** True if it brings no bytes, so that it is of no use without what was ordered before it. */
export function isDescription({ orders, body }: Waiting): boolean {
  return body === null && orders[0]?.follows === true;
}

/** An order that came while the one before it was being written, which then failed: both are to be written. */
export function joined(before: Waiting, since: Waiting): Waiting {
  let both = before;
  const { usedAt } = since;
  for (const order of since.orders) both = nextOf(both, order, { usedAt, over: () => {} });
  both.overs.push(...since.overs);
  both.lost.push(...since.lost);
  return { ...both, stored: since.stored };
}

/** An answer larger than all others together may be. */
export function isLarge({ bytes }: Waiting): boolean {
  return bytes > LIMITS.waitingSize;
}

/** Removes what is older than an answer that could not be stored. */
export function removalOf({ key, revision }: StoredResponse, { usedAt, overs, lost }: Waiting): Waiting {
  const decide: Decide = (current) =>
    current && isNewer(current.revision, revision) ? { kind: 'keep' } : { kind: 'remove' };
  const order: Order = { key, stored: null, body: null, follows: false, decide, lost: () => {} };
  for (const over of overs.splice(0)) lost.push(over);
  return { key, stored: null, body: null, usedAt, orders: [order], bytes: METADATA, overs, lost };
}

/** Tells all callbacks if it is stored; none is told twice. */
export function settle({ overs, lost }: Waiting, isStored: boolean): void {
  for (const over of overs.splice(0)) over(isStored);
  for (const over of lost.splice(0)) over(false);
}

function bytesOf(orders: readonly Order[]): number {
  return orders.reduce(
    (sum, { body, stored }) => sum + (body?.byteLength ?? 0) + (stored ? excessOf(stored) : 0),
    METADATA,
  );
}

/** Milliseconds from one transaction to the next, where nothing but patient answers waits. */
const REST = 3_000;

/** Says when the next transaction begins: those for each tick of ninety loops took more of the processor than all else. */
export class Rest {
  readonly #clock: Clock;
  #urge = new AbortController();
  #since = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Something must not wait. */
  end(): void {
    this.#urge.abort();
  }

  /** All that waits is being written. */
  begin(): void {
    if (this.#urge.signal.aborted) this.#urge = new AbortController();
    this.#since = this.#clock.now();
  }

  async over(): Promise<void> {
    const left = this.#since + REST - this.#clock.now();
    const { signal } = this.#urge;
    // A clock that is set back delays nothing.
    if (left > 0 && left <= REST && !signal.aborted) await this.#clock.sleep(left, signal);
  }
}

/** Fewest answers of a transaction, where more wait. */
const FEWEST = 8;

/** Milliseconds that a transaction should take: a page that reads waits for one, and shares the processor with it. */
const LONG = 32;
const SHORT = 16;

/** Milliseconds after which a transaction of twice as many answers might be late: none of them would be stored then. */
const TOO_LONG: number = LIMITS.transaction / 3;

/** A transaction that has ended. */
export interface Ended {
  readonly written: number;
  /** Answers that wait still. */
  readonly left: number;
  /** Milliseconds; Infinity if it was late. */
  readonly took: number;
}

/** How many answers the next transaction writes: as few as leave pages their time, and many while many come. */
export class BatchSize {
  #most: number = LIMITS.written;
  /** Answers that came to be written since the last transaction had ended. */
  #came = 0;

  get most(): number {
    return this.#most;
  }

  /** The newest of those that wait, as many as one transaction may write. */
  of(waiting: readonly Waiting[]): Waiting[] {
    const batch: Waiting[] = [];
    let bytes = 0;
    for (const each of waiting.slice(-this.#most).toReversed()) {
      bytes += each.bytes;
      if (batch.length > 0 && bytes > LIMITS.writtenSize) break;
      batch.push(each);
    }
    return batch;
  }

  /** One more answer is to be written. */
  count(): void {
    this.#came += 1;
  }

  heed({ written, left, took }: Ended): void {
    const areMany = left > written && this.#came * 2 > written;
    this.#came = 0;
    if (areMany && took <= TOO_LONG) this.#most = Math.min(this.#most * 2, LIMITS.writtenOfMany);
    else if (areMany && took <= 2 * TOO_LONG) return;
    else if (took > LONG) this.#most = Math.max(this.#most / 2, FEWEST);
    else if (took < SHORT) this.#most = Math.min(this.#most * 2, LIMITS.written);
    else this.#most = Math.min(this.#most, LIMITS.written);
  }
}
