import { LIMITS } from '../../shared/limits.ts';
import type { WaitingWrite } from '../contracts/outbox-store.ts';
import type { Naming } from '../contracts/temporary-id.ts';
import type { Transaction } from './database.ts';
import { lastIn, laterThan, SWEPT } from './past-writes.ts';
import { keyBy } from './transaction.ts';
import { intactWrite, isGivenId } from './waiting-write-shape.ts';

// What servers have named the things that writes have created, by the temporary ids that stood for them.

type Writing = Transaction<'readwrite'>;
type Reading = Writing | Transaction<'readonly'>;

/** The id that its server has given, or why it has none; null where nothing is stored of it. */
export async function namingOf(transaction: Reading, temporaryId: string): Promise<Naming | null> {
  const found = await transaction.objectStore('names').get(temporaryId);
  const { id, why }: { readonly id?: unknown; readonly why?: unknown } = Object(found);
  if (isGivenId(id)) return { kind: 'given', id };
  if (typeof why === 'string') return { kind: 'never', why };
  return (await hasMaker(transaction, temporaryId)) ? { kind: 'awaited' } : null;
}

async function hasMaker(transaction: Reading, temporaryId: string): Promise<boolean> {
  const outbox = transaction.objectStore('outbox');
  const place = await keyBy(outbox, 'temporaryId', temporaryId);
  return place !== null && intactWrite(await outbox.get(place)) !== null;
}

/** A write has ended. Where it was to create something, its id is kept, or why it has none. */
export async function keepName(transaction: Writing, ended: WaitingWrite): Promise<void> {
  const { temporaryId, givenId: id, state, idAt, endedAt } = ended;
  if (temporaryId === null) return;
  const names = transaction.objectStore('names');
  const at = endedAt === null ? null : laterThan(await lastIn(names.index('at')), endedAt);
  const none = state === 'discarded' ? 'What it uses was discarded' : `Its server has named no '${idAt}'`;
  await names.put({ temporaryId, id, why: id === null ? none : null, at });
}

/** How far a sweep of the names has come. */
export interface NamesSwept {
  /** It goes on behind those that were given then, in milliseconds of the epoch. */
  readonly after: number;
  /** How many it has spared, since what waits uses them. */
  readonly used: number;
}

export const NONE_SWEPT: NamesSwept = { after: -Infinity, used: 0 };

/**
 * Forgets some names that were given thirty days before that, in milliseconds of the epoch, and that nothing uses which waits. Null where
 * there are no others.
 */
export async function sweepNames(
  transaction: Writing,
  now: number,
  swept: NamesSwept,
): Promise<NamesSwept | null> {
  const [names, outbox] = [transaction.objectStore('names'), transaction.objectStore('outbox')];
  const old = await oldNames(transaction, { now, lifetime: LIMITS.endedLifetime }, swept);
  const users = await Promise.all(old.map(({ temporaryId }) => keyBy(outbox, 'uses', temporaryId)));
  const used = old.filter((_, index) => users[index] !== null);
  const unused = old.filter((each) => !used.includes(each));
  await Promise.all(unused.map(({ temporaryId }) => names.delete(temporaryId)));
  if (old.length < SWEPT) return null;
  return { after: Math.max(swept.after, ...used.map(({ at }) => at)), used: swept.used + used.length };
}

interface OldName {
  readonly temporaryId: string;
  readonly at: number;
}

/**
 * Some of the temporary ids that were given their names so long ago, and can be forgotten: as many as are too many. So can those that
 * were given as long after `now`, in milliseconds of the epoch, and before the last 10,000: the clock was ahead then, and all that came
 * next are in its order. Fewer than `SWEPT` where there are no others.
 */
export async function oldNames(
  transaction: Reading,
  { now, lifetime }: { readonly now: number; readonly lifetime: number },
  { after, used }: NamesSwept = NONE_SWEPT,
): Promise<OldName[]> {
  const names = transaction.objectStore('names');
  const until = now - lifetime;
  const ahead = IDBKeyRange.lowerBound(Math.max(after, now + lifetime), true);
  const [all, given] = await Promise.all([names.count(), names.index('at').count(ahead)]);
  const excess = Math.min(all - LIMITS.endedWrites - used, SWEPT);
  const some = async (range: IDBKeyRange, most: number): Promise<OldName[]> => {
    const found = most > 0 ? await names.index('at').getAll(range, most) : [];
    return found.map((each) => ({
      temporaryId: String(Object(each).temporaryId),
      at: Number(Object(each).at),
    }));
  };
  const old = after < until ? await some(IDBKeyRange.bound(after, until, true), excess) : [];
  const early = await some(ahead, Math.min(given - LIMITS.endedWrites, excess - old.length));
  return [...old, ...early];
}
