import { LIMITS } from '../../shared/limits.ts';
import type { WaitingWrite } from '../contracts/outbox-store.ts';
import type { Transaction } from './database.ts';
import type { Stored } from './parts.ts';
import type { ReadableIndex } from './transaction.ts';
import { intactWrite, numberIn } from './waiting-write-shape.ts';

// Writes that ended a while ago. A page that has not heard that its call was queued may come back from the back/forward cache, or be
// thawed, hours later. It hands the call in again then, and that must not make a second write.

type Writing = Transaction<'readwrite'>;
type Reading = Writing | Transaction<'readonly'>;

/** How many one transaction moves or forgets at most: it must end in time. */
export const SWEPT = 128;

/** Null where no such write is known. */
export async function pastWrite(transaction: Reading, entry: string): Promise<WaitingWrite | null> {
  return intactWrite(await transaction.objectStore('past').get(entry));
}

/**
 * Those of these that ended `before` that time are past from now on. So are those that ended as long after `now`: the clock was ahead
 * then, or is behind. One that cannot be read goes with the next old one, and nothing more is known of it. `last` is when the last one
 * ended that was past before. Times are in milliseconds of the epoch.
 */
export async function sweepEnded(
  transaction: Writing,
  found: readonly Stored[],
  last: number,
  before: number,
  now: number,
): Promise<void> {
  const [ended, payloads] = [transaction.objectStore('ended'), transaction.objectStore('payloads')];
  const isOld = ({ value }: Stored): boolean =>
    Math.abs(now - numberIn(Object(value).endedAt)) > now - before;
  const upTo = found.findLastIndex((each) => each.value !== null && isOld(each));
  const old = found.filter((each, index) => (each.value === null ? index < upTo : isOld(each)));
  await Promise.all(
    old.map(async ({ key, value }) => {
      // All may have been forgotten since it was read.
      if ((await ended.getKey(key)) === undefined) return;
      const write = intactWrite(value);
      const kept = write && keepPast(transaction, write, laterThan(last, write.endedAt ?? now));
      await Promise.all([ended.delete(key), payloads.delete(Number(key)), kept]);
    }),
  );
}

/** From now on no more is known than that this has ended, how, and when. */
async function keepPast(transaction: Writing, ended: WaitingWrite, endedAt: number): Promise<void> {
  await transaction.objectStore('past').put({ ...bare(ended), endedAt });
}

/**
 * What has ended is in the order of these times, and the first of it is forgotten first: the time of what comes is later than the last
 * one, whatever the clock shows. It may have been ahead before, or be behind.
 */
export function laterThan(last: number, time: number): number {
  return Math.max(time, last + 1);
}

/** The last time in the order of that index; 0 where there is none. */
export async function lastIn(index: ReadableIndex): Promise<number> {
  return numberIn((await index.openKeyCursor(null, 'prev'))?.key);
}

/** Neither what it sent nor what was answered. */
function bare(write: WaitingWrite): WaitingWrite {
  const { invocation } = write;
  return {
    ...write,
    invocation: { ...invocation, baseUrl: '', documentUrl: '', params: [], headers: [] },
    lane: '',
    uses: [],
    failure: null,
    answer: null,
    url: null,
    matches: null,
  };
}

/**
 * Forgets some of those that ended first, where there are too many. False where there may be others. However long ago one ended, it
 * stays as long as there is room: what the clock says may be wrong, and nothing may be sent a second time for that.
 */
export async function sweepPast(transaction: Writing): Promise<boolean> {
  const past = transaction.objectStore('past');
  const excess = Math.min((await past.count()) - LIMITS.endedWrites, SWEPT);
  if (excess <= 0) return true;
  const first = await past.index('endedAt').getAll(null, excess);
  await Promise.all(first.map((each) => past.delete(String(Object(each).entry))));
  return first.length < SWEPT;
}

/** Removes all that have ended, but for their names. */
export async function forgetEnded(transaction: Transaction<'readwrite'>): Promise<void> {
  const [ended, payloads] = [transaction.objectStore('ended'), transaction.objectStore('payloads')];
  const places = await ended.getAllKeys();
  await Promise.all([
    ended.clear(),
    transaction.objectStore('past').clear(),
    ...places.map((place) => payloads.delete(place)),
  ]);
}
