import { intactWrite, numberIn, storedSizeOf } from './waiting-write-shape.ts';
import type { Database, Transaction } from './database.ts';
import { inParts, partsOf, readAll, ReadSize, readTogether } from './parts.ts';
import { assertBegun, beginTaking, takeNames } from './taken-back.ts';

// How a copy gets what other copies of the same owner have: those that were made under another salt, or in the other kind.

type Reading = Transaction<'readonly'> | Transaction<'readwrite'>;

/** Its name in `meta`: a mark where other copies were carried over into this one, and the outbox has not read them yet. */
const UNREAD = 'copy-unread';

/** The outbox has not read yet what was carried over into its copy: nothing is dropped from there meanwhile. */
export class CopyUnread extends Error {
  override readonly name = 'CopyUnread';

  constructor() {
    super('What was carried over into the copy has not been read yet');
  }
}

export async function unreadMark(transaction: Reading): Promise<string | null> {
  const mark = await transaction.objectStore('meta').get(UNREAD);
  return typeof mark === 'string' ? mark : null;
}

export async function assertRead(transaction: Reading): Promise<void> {
  if ((await unreadMark(transaction)) !== null) throw new CopyUnread();
}

/** All that was carried over up to that mark has been read. More may have come since. */
export async function noteRead(transaction: Transaction<'readwrite'>, mark: string): Promise<void> {
  if ((await unreadMark(transaction)) === mark) await transaction.objectStore('meta').delete(UNREAD);
}

/**
 * Carries a copy over into another one, which has it on the disk when this resolves. What that has already stays as it is, unless it is
 * an earlier version. Each step may be the last one of its life, and is done again by the next. `mark` is one that no other call gives.
 */
export async function carryCopy(from: Database, to: Database, mark: string): Promise<void> {
  const begun = await to.transact(['meta'], 'readwrite', (transaction) => beginTaking(transaction, mark));
  const size = new ReadSize(from.clock);
  const copies = (await readAll(from, 'copies', size)).filter((each) => each !== null);
  const names = await readAll(from, 'names', size);
  let parts = 0;
  await inParts(to.clock, partsOf(copies, sizeOfCopy), async (part) => {
    parts += 1;
    await carryPart({ from, to, begun, mark: `${mark} ${parts}` }, part);
  });
  await inParts(
    to.clock,
    partsOf(names, () => 0),
    (part) =>
      to.transact(
        ['names', 'meta'],
        'readwrite',
        (transaction) => takeNames(transaction, part, begun),
        'strict',
      ),
  );
}

function sizeOfCopy(copy: unknown): number {
  const { write, bytes } = Object(copy);
  const intact = intactWrite(write);
  return numberIn(bytes) + (intact ? storedSizeOf(intact) : 0);
}

interface Carrying {
  readonly from: Database;
  readonly to: Database;
  readonly begun: string;
  /** New with each part, so that nobody takes a later part for read. */
  readonly mark: string;
}

async function carryPart({ from, to, begun, mark }: Carrying, part: readonly unknown[]): Promise<void> {
  const entries = part.map((each) => String(Object(each).entry));
  // One that cannot be read is carried over without data: its write comes to review.
  const sent = await readTogether(from, ['copiedBodies'], entries, (transaction, entry) =>
    transaction.objectStore('copiedBodies').get(entry),
  );
  const carry = async (transaction: Transaction<'readwrite'>): Promise<void> => {
    await assertBegun(transaction, begun);
    const [copies, bodies] = [transaction.objectStore('copies'), transaction.objectStore('copiedBodies')];
    const there = await Promise.all(entries.map((entry) => copies.get(entry)));
    await transaction.objectStore('meta').put(mark, UNREAD);
    await Promise.all(
      part.map(async (each, index) => {
        const [write, before] = [each, there[index]].map((copied) => intactWrite(Object(copied).write));
        if (!write || (before && before.version >= write.version)) return;
        await Promise.all([copies.put(each), (sent[index] ?? null) !== null && bodies.put(sent[index])]);
      }),
    );
  };
  await to.transact(['copies', 'copiedBodies', 'meta'], 'readwrite', carry, 'strict');
  // Once it has ended there and is forgotten, it must not come from here again.
  await from.transact(['copies', 'copiedBodies'], 'readwrite', (transaction) =>
    Promise.all(
      entries.flatMap((entry) => [
        transaction.objectStore('copies').delete(entry),
        transaction.objectStore('copiedBodies').delete(entry),
      ]),
    ),
  );
}
