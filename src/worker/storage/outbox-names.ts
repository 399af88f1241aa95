import { LIMITS } from '../../shared/limits.ts';
import type { WaitingWrite } from '../contracts/outbox-store.ts';
import type { Naming } from '../contracts/temporary-id.ts';
import type { Transaction } from './database.ts';
import { intactWrite, isGivenId, numberIn } from './waiting-write-shape.ts';

// What servers have named the things that writes have created, by the temporary ids that stood for them.

type Writing = Transaction<'readwrite'>;
type Reading = Writing | Transaction<'readonly'>;

/** What is known of each of these by now. `unknown`: what is said of one of which nothing is stored. */
export function namingsOf(
  transaction: Reading,
  temporaryIds: readonly string[],
  unknown: (temporaryId: string) => Naming,
): Promise<(readonly [temporaryId: string, Naming])[]> {
  return Promise.all(
    temporaryIds.map(async (each) => [each, (await namingOf(transaction, each)) ?? unknown(each)] as const),
  );
}

async function namingOf(transaction: Reading, temporaryId: string): Promise<Naming | null> {
  const found = await transaction.objectStore('names').get(temporaryId);
  const { id, why }: { readonly id?: unknown; readonly why?: unknown } = Object(found);
  if (isGivenId(id)) return { kind: 'given', id };
  if (typeof why === 'string') return { kind: 'never', why };
  return (await hasMaker(transaction, temporaryId)) ? { kind: 'awaited' } : null;
}

async function hasMaker(transaction: Reading, temporaryId: string): Promise<boolean> {
  const outbox = transaction.objectStore('outbox');
  const [found] = await outbox.index('temporaryId').getAll(IDBKeyRange.only(temporaryId), 1);
  return found !== undefined && intactWrite(await outbox.get(numberIn(Object(found).place))) !== null;
}

/** A write has ended. Where it was to create something, its id is kept, or why it has none. */
export async function keepName(transaction: Writing, ended: WaitingWrite): Promise<void> {
  const { temporaryId, givenId: id, state, idAt, endedAt: at } = ended;
  if (temporaryId === null) return;
  const none = state === 'discarded' ? 'What it uses was discarded' : `Its server has named no '${idAt}'`;
  await transaction.objectStore('names').put({ temporaryId, id, why: id === null ? none : null, at });
}

/** Forgets names that were given thirty days before that, in milliseconds of the epoch, and that nothing uses which waits. */
export async function sweepNames(transaction: Writing, now: number): Promise<void> {
  const [names, uses] = [transaction.objectStore('names'), transaction.objectStore('outbox').index('uses')];
  await Promise.all(
    (await oldNames(transaction, now - LIMITS.endedLifetime)).map(async (each) => {
      const users = await uses.getAll(IDBKeyRange.only(each), 1);
      if (users.length === 0) await names.delete(each);
    }),
  );
}

/**
 * The temporary ids that were given their names by then, in milliseconds of the epoch, and can be forgotten: as many as are too many.
 * The clock may be ahead or behind for a while.
 */
export async function oldNames(transaction: Reading, until: number): Promise<string[]> {
  const names = transaction.objectStore('names');
  const excess = (await names.getAllKeys()).length - LIMITS.endedWrites;
  if (excess <= 0) return [];
  const old = await names.index('at').getAll(IDBKeyRange.upperBound(until), excess);
  return old.map((each) => String(Object(each).temporaryId));
}
