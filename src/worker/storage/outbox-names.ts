import type { GivenId } from '../../shared/outbox.ts';
import type { WaitingWrite } from '../contracts/outbox-store.ts';
import { renamed } from '../contracts/temporary-ids.ts';
import type { Names } from '../contracts/temporary-ids.ts';
import type { Transaction } from './database.ts';
import { intactBody, intactWrite, isGivenId, numberIn } from './waiting-write-shape.ts';

// What servers have named the things that writes have created, by the temporary ids that stood for them.

type Writing = Transaction<'readwrite'>;

/** Milliseconds for which a temporary id stands for the id, after its server has given that. */
const KEPT = 2_592_000_000;

/** What servers have named of these by now. */
export async function namesOf(
  transaction: Writing | Transaction<'readonly'>,
  temporaryIds: readonly string[],
): Promise<Names> {
  const names = transaction.objectStore('names');
  const found = await Promise.all(temporaryIds.map((each) => names.get(each)));
  const known = new Map<string, GivenId>();
  for (const [index, temporaryId] of temporaryIds.entries()) {
    const { id }: { readonly id?: unknown } = Object(found[index]);
    if (isGivenId(id)) known.set(temporaryId, id);
  }
  return (temporaryId) => known.get(temporaryId);
}

/**
 * A write is done. Where it has created something, its name is kept, and those that use its temporary id are sent with the name;
 * where there is none, they wait for a decision. Resolves with these, as they are stored now.
 */
export async function settleName(transaction: Writing, done: WaitingWrite): Promise<WaitingWrite[]> {
  const { temporaryId, givenId } = done;
  if (temporaryId === null) return [];
  if (givenId === null)
    return change(transaction, temporaryId, (write) =>
      orphaned(write, `Its server has named no '${done.idAt}'`),
    );
  await transaction.objectStore('names').put({ temporaryId, id: givenId, at: done.endedAt });
  return change(transaction, temporaryId, (write) => write);
}

/** Those that use what a discarded write was to create wait for a decision. Resolves with them, as they are stored now. */
export async function setAside(transaction: Writing, { temporaryId }: WaitingWrite): Promise<WaitingWrite[]> {
  if (temporaryId === null) return [];
  return change(transaction, temporaryId, (write) => orphaned(write, 'What it uses was discarded'));
}

/** Forgets the names that were given long before that, in milliseconds of the epoch. */
export async function sweepNames(transaction: Writing, before: number): Promise<void> {
  const names = transaction.objectStore('names');
  const old = await names.index('at').getAll(IDBKeyRange.upperBound(before - KEPT));
  await Promise.all(old.map((each) => names.delete(String(Object(each).temporaryId))));
}

async function change(
  transaction: Writing,
  temporaryId: string,
  next: (write: WaitingWrite) => WaitingWrite,
): Promise<WaitingWrite[]> {
  const [outbox, payloads] = [transaction.objectStore('outbox'), transaction.objectStore('payloads')];
  const found = await outbox.index('uses').getAll(IDBKeyRange.only(temporaryId));
  const names = await namesOf(transaction, [temporaryId]);
  return Promise.all(
    found.map(async (each) => {
      const place = numberIn(Object(each).place);
      const [stored, payload] = await Promise.all([outbox.get(place), payloads.get(place)]);
      const [write, body] = [intactWrite(stored), intactBody(Object(payload).body)];
      if (!write || !body) return [];
      const named = renamed(next({ ...write, version: write.version + 1 }), body, names);
      await Promise.all([outbox.put(named.write), payloads.put({ place, body: named.body })]);
      return [named.write];
    }),
  ).then((all) => all.flat());
}

/** What it names was never created: somebody has to look at it. */
function orphaned(write: WaitingWrite, why: string): WaitingWrite {
  return { ...write, state: 'review', failure: { code: 'outbox', message: why } };
}
