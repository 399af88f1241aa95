import { LIMITS } from '../../shared/limits.ts';
import { isNewer } from '../../shared/lineage.ts';
import { METADATA } from './eviction.ts';
import type { StoredResponse } from '../contracts/response-store.ts';
import type { Decide } from './response-record.ts';

/** Changes of one answer that wait for each other. */
const MOST_STEPS = 32;

/** What is to be stored of an answer. */
export interface Order {
  readonly key: string;
  /** What is found from now on, stored or not; null for an answer that is removed. */
  readonly stored: StoredResponse | null;
  /** Its bytes; null where they are those from before. */
  readonly body: ArrayBuffer | null;
  /** Whether it builds on what waits before it; else it takes the place of that. */
  readonly follows: boolean;
  /** What it means for what is stored when it is written. */
  readonly decide: Decide;
  /** It is not stored, nor will be. */
  readonly lost: () => void;
}

export type Over = (isStored: boolean) => void;

/** What waits to be written of one answer. */
export interface Waiting {
  readonly key: string;
  readonly stored: StoredResponse | null;
  readonly body: ArrayBuffer | null;
  readonly orders: readonly Order[];
  readonly bytes: number;
  /**
   * Told, once, when it is known whether it is stored, or that it will not be soon; those of what it took the place of as
   * well.
   */
  readonly overs: Over[];
  /** Told then that theirs is not stored: what is written is but the removal of what was older, or newer. */
  readonly lost: Over[];
}

/**
 * Takes the place of what waits of the same answer. Of that, nothing is kept but what builds on it and who is to be told:
 * a database may be late for long, and each answer be given up for the next.
 */
export function nextOf(before: Waiting | undefined, order: Order, over: Over): Waiting {
  const { key, stored, follows } = order;
  const steps = follows && before ? [...before.orders, order] : [order];
  const isTooMuch = steps.length > MOST_STEPS || bytesOf(steps) > LIMITS.waitingSize;
  // A description of what is too much already says little more; bytes are the whole, and need nothing before them.
  const orders = !isTooMuch ? steps : order.body === null && before ? before.orders : [order];
  const body = order.body ?? (follows ? (before?.body ?? null) : null);
  const [overs, lost] = [before?.overs ?? [], before?.lost ?? []];
  overs.push(over);
  return { key, stored, body, orders, bytes: bytesOf(orders), overs, lost };
}

/** Whether it is of no use without what was ordered before it: it brings no bytes. */
export function isDescription({ orders, body }: Waiting): boolean {
  return body === null && orders[0]?.follows === true;
}

/** What was ordered while the one before it was being written, where that was not: both are to be written. */
export function joined(before: Waiting, since: Waiting): Waiting {
  let both = before;
  for (const order of since.orders) both = nextOf(both, order, () => {});
  both.overs.push(...since.overs);
  both.lost.push(...since.lost);
  return { ...both, stored: since.stored };
}

/** An answer larger than all others together may be. */
export function isLarge({ bytes }: Waiting): boolean {
  return bytes > LIMITS.waitingSize;
}

/** Removes what is older than what could not be stored. */
export function removalOf({ key, revision }: StoredResponse, { overs, lost }: Waiting): Waiting {
  const decide: Decide = (current) =>
    current && isNewer(current.revision, revision) ? { kind: 'keep' } : { kind: 'remove' };
  const order: Order = { key, stored: null, body: null, follows: false, decide, lost: () => {} };
  for (const over of overs.splice(0)) lost.push(over);
  return { key, stored: null, body: null, orders: [order], bytes: METADATA, overs, lost };
}

/** Tells all whether it is stored. Nobody is told twice. */
export function settle({ overs, lost }: Waiting, isStored: boolean): void {
  for (const over of overs.splice(0)) over(isStored);
  for (const over of lost.splice(0)) over(false);
}

function bytesOf(orders: readonly Order[]): number {
  return orders.reduce((sum, { body }) => sum + (body?.byteLength ?? 0), METADATA);
}
