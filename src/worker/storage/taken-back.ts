import type { RequestBody } from '../../shared/invocation.ts';
import { needsDecision } from '../contracts/outbox-store.ts';
import type { WaitingWrite } from '../contracts/outbox-store.ts';
import type { Transaction } from './database.ts';
import { keyBy } from './transaction.ts';
import type { ReadableStore } from './transaction.ts';
import { numberIn } from './waiting-write-shape.ts';

// How an outbox that was made anew gets what the one had that was lost with its database.

type Writing = Transaction<'readwrite'>;
type Reading = Writing | Transaction<'readonly'>;

/** Its name in `meta`: the place of the last write that was added. Places are never used again. */
export const LAST = 'outbox-last';

/** Its name in `meta`: true once all is taken back. */
const WHOLE = 'outbox-whole';

/** Its name in `meta`: the mark of the taking back that has begun. */
const BEGUN = 'outbox-begun';

/** A write that was lost; `body`: null where that is damaged. */
export interface Lost {
  readonly write: WaitingWrite;
  readonly body: RequestBody | null;
}

export async function isWhole(transaction: Reading): Promise<boolean> {
  return (await transaction.objectStore('meta').get(WHOLE)) === true;
}

export async function makeWhole(transaction: Writing): Promise<void> {
  await transaction.objectStore('meta').put(true, WHOLE);
}

/** Something is still to be taken back, or the database was lost in the midst of that. */
export class NotWhole extends Error {
  override readonly name = 'NotWhole';

  constructor() {
    super('The outbox has not yet what the one before it had');
  }
}

/** Marks this database: one that is made anew has another mark, or none. */
export async function beginTaking(transaction: Writing, mark: string): Promise<string> {
  const meta = transaction.objectStore('meta');
  const stored = await meta.get(BEGUN);
  if (typeof stored === 'string') return stored;
  await meta.put(mark, BEGUN);
  return mark;
}

export async function assertBegun(transaction: Writing, begun: string): Promise<void> {
  if ((await transaction.objectStore('meta').get(BEGUN)) !== begun) throw new NotWhole();
}

/** All was cleared: an engine that has begun to take back must not go on with that. */
export async function endTaking(transaction: Writing): Promise<void> {
  await Promise.all([makeWhole(transaction), transaction.objectStore('meta').delete(BEGUN)]);
}

/** A taking back that has begun. */
export interface Taking {
  /** Its mark. */
  readonly begun: string;
  /** True if it adds to an outbox that is whole, too: more of what was lost has been found. */
  readonly isMore: boolean;
}

/** Adds them at their places, where these are free. What is known already stays as it is. */
export async function takeBack(
  transaction: Writing,
  lost: readonly Lost[],
  { begun, isMore }: Taking,
): Promise<void> {
  await assertBegun(transaction, begun);
  if ((await isWhole(transaction)) && !isMore) return;
  await addFound(
    transaction,
    lost.map(({ write, body }) => ({ store: 'outbox', record: write, payload: body ? { body } : undefined })),
  );
}

/** A write that waits, or has ended lately, as it is stored in another database, and what it sends. Both may be damaged. */
export interface Found {
  readonly store: 'outbox' | 'ended';
  readonly record: unknown;
  readonly payload: unknown;
}

/** Adds them at their places, where these are free. What is known already stays as it is. */
export async function addFound(transaction: Writing, found: readonly Found[]): Promise<void> {
  const [payloads, meta] = [transaction.objectStore('payloads'), transaction.objectStore('meta')];
  const holders = [payloads, transaction.objectStore('outbox'), transaction.objectStore('ended')];
  const [stored, ...known] = await Promise.all([
    meta.get(LAST),
    ...found.map(({ record }) => isKnown(transaction, Object(record).entry)),
  ]);
  let last = numberIn(stored);
  for (const { store, record, payload } of found.filter((_, index) => known[index] === false)) {
    const wanted = numberIn(Object(record).place);
    const there = await Promise.all(holders.map((each) => each.getKey(wanted)));
    const place = wanted > 0 && there.every((each) => each === undefined) ? wanted : last + 1;
    last = Math.max(last, place);
    await Promise.all([
      transaction.objectStore(store).put({ ...Object(record), place }),
      payload !== undefined && payloads.put({ ...Object(payload), place }),
    ]);
  }
  await meta.put(last, LAST);
}

/** By its name alone: its record may be damaged. */
async function isKnown(transaction: Writing, entry: unknown): Promise<boolean> {
  if (typeof entry !== 'string') return false;
  const [waits, hasEnded, past] = await Promise.all([
    isThere(transaction.objectStore('outbox'), entry),
    isThere(transaction.objectStore('ended'), entry),
    transaction.objectStore('past').getKey(entry),
  ]);
  return waits || hasEnded || past !== undefined;
}

/** Whether that store has a write of that name. Its record, which may have a long answer, is not read. */
export async function isThere(store: ReadableStore, entry: string): Promise<boolean> {
  return (await keyBy(store, 'entry', entry)) !== null;
}

/** Adds what stays of writes that ended a while ago. Those that are known already stay as they are. */
export async function takePast(transaction: Writing, past: readonly unknown[], begun: string): Promise<void> {
  await assertBegun(transaction, begun);
  const known = await Promise.all(past.map((each) => isKnown(transaction, Object(each).entry)));
  const others = past.filter((_, index) => known[index] === false);
  await Promise.all(others.map((each) => transaction.objectStore('past').put(each)));
}

/** Those that are known already stay as they are. */
export async function takeNames(
  transaction: Writing,
  names: readonly unknown[],
  begun: string,
): Promise<void> {
  await assertBegun(transaction, begun);
  const store = transaction.objectStore('names');
  await Promise.all(
    names.map(async (each) => {
      const { temporaryId } = Object(each);
      if (typeof temporaryId !== 'string' || (await store.getKey(temporaryId)) !== undefined) return;
      await store.put(each);
    }),
  );
}

/**
 * As what is lost comes back: it may have been sent since it was copied, as after the end of a worker. One that uses what another of
 * them creates was not.
 */
export function doubted(write: WaitingWrite, created: ReadonlySet<string>): WaitingWrite {
  if (needsDecision(write)) return write;
  const isUnsent = write.attempts === 0 && write.uses.some((each) => created.has(each));
  return isUnsent ? write : { ...write, state: 'sending', attempts: Math.max(1, write.attempts) };
}
