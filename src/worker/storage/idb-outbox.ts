import { LIMITS } from '../../shared/limits.ts';
import type { RequestBody } from '../../shared/invocation.ts';
import { hasEnded } from '../contracts/outbox-store.ts';
import type { DecidedWrite, NewWrite, WaitingWrite } from '../contracts/outbox-store.ts';
import { unknownName } from '../contracts/temporary-id.ts';
import type { Naming } from '../contracts/temporary-id.ts';
import { temporaryIdsIn } from '../contracts/temporary-ids.ts';
import { DatabaseLate, onceAnswered } from '../platform/database-deadline.ts';
import type { Database, StoreName, Transaction } from './database.ts';
import { withRoom } from './eviction.ts';
import { keepName, namingOf, NONE_SWEPT, sweepNames } from './outbox-names.ts';
import type { NamesSwept } from './outbox-names.ts';
import { assertGeneration } from './partitions.ts';
import { readAfter, readAll, readEach, ReadSize, readTogether } from './parts.ts';
import type { Stored } from './parts.ts';
import { forgetEnded, lastIn, pastWrite, sweepEnded, sweepPast, SWEPT } from './past-writes.ts';
import type { Kept } from './outbox-copy.ts';
import {
  assertBegun,
  beginTaking,
  endTaking,
  isThere,
  isWhole,
  LAST,
  makeWhole,
  NotWhole,
  takeBack,
  takeNames,
} from './taken-back.ts';
import type { Lost, Taking } from './taken-back.ts';
import { keyBy } from './transaction.ts';
import { diskSizeOf, intactBody, intactWrite, numberIn } from './waiting-write-shape.ts';

const CLEARED: readonly StoreName[] = ['outbox', 'ended', 'past', 'payloads', 'names'];

const STORES: readonly StoreName[] = [...CLEARED, 'meta'];

/** Those of a change that names nothing. A body can be read meanwhile: that of a write that is about to be sent. */
const CHANGED: readonly StoreName[] = ['outbox', 'ended', 'meta'];

/** How many names one transaction takes back: it must end in time. */
const TAKEN = 512;

/** How many the first transaction sweeps: each may have an answer of 64 KiB. */
const SWEPT_FIRST = 8;

/** There are as many writes as may wait. */
export class OutboxFull extends Error {
  override readonly name = 'OutboxFull';

  constructor() {
    super(`No more than ${LIMITS.waitingWrites} writes may wait`);
  }
}

/** A write that is to be added. */
export interface Arrival {
  readonly write: NewWrite;
  readonly body: RequestBody;
}

/** The writes that wait for one identity, in a database of their own. All calls reject when that fails. */
export class IdbOutbox {
  readonly #database: Database;
  readonly #answers: Database;
  /** How many records are looked up at once. */
  readonly #records: ReadSize;
  /** How many descriptions are read at once: each may have an answer of 64 KiB. What is known of one store says nothing of another. */
  readonly #waiting: ReadSize;
  readonly #ended: ReadSize;
  /** The same of those that are swept. */
  readonly #swept: ReadSize;
  #takings = 0;

  /** Where the browser has no more room, stored answers give way: those in `answers`. */
  constructor(database: Database, answers: Database) {
    this.#database = database;
    this.#answers = answers;
    this.#records = new ReadSize(database.clock);
    this.#waiting = new ReadSize(database.clock);
    this.#ended = new ReadSize(database.clock);
    this.#swept = new ReadSize(database.clock, SWEPT_FIRST, SWEPT);
  }

  get clock(): Database['clock'] {
    return this.#database.clock;
  }

  /** Null in the place of each that is damaged or cannot be read, which stays stored: nobody may lose it unseen. */
  async all(): Promise<(WaitingWrite | null)[]> {
    return (await readAll(this.#database, 'outbox', this.#waiting)).map(intactWrite);
  }

  /** Those of these entries that have ended, or wait; all that have ended where that is null. */
  async ended(entries: readonly string[] | null): Promise<WaitingWrite[]> {
    if (entries === null)
      return (await readAll(this.#database, 'ended', this.#ended)).flatMap((each) => intactWrite(each) ?? []);
    const found = await readEach(entries, this.#records, (part) =>
      this.#database.transact(['outbox', 'ended', 'past'], 'readonly', (transaction) =>
        Promise.all(part.map((entry) => find(transaction, entry))),
      ),
    );
    return found.filter((each) => each !== null);
  }

  /** Null in the place of each that is gone or damaged. */
  bodies(writes: readonly WaitingWrite[]): Promise<(RequestBody | null)[]> {
    return readTogether(this.#database, ['payloads'], writes, (transaction, { place }) =>
      bodyAt(transaction, place),
    );
  }

  /**
   * All or none; those for which there is no room in the queue are answered with an OutboxFull. Where this one may take back what a lost
   * one had, its places begin `above`: what is taken back comes before.
   */
  async add(
    arrivals: readonly Arrival[],
    above: number | null = null,
  ): Promise<(WaitingWrite | OutboxFull)[]> {
    const bytes = arrivals.reduce((sum, { body }) => sum + diskSizeOf(body), 0);
    return this.#keep(bytes, async (transaction) => {
      const [outbox, meta] = [transaction.objectStore('outbox'), transaction.objectStore('meta')];
      const [keys, stored, ...found] = await Promise.all([
        outbox.getAllKeys(),
        meta.get(LAST),
        ...arrivals.map(({ write }) => known(transaction, write)),
      ]);
      const there = new Map(found.flatMap((each) => (each ? [[each.entry, each]] : [])));
      let last = Math.max(numberIn(stored), numberIn(keys.at(-1)));
      if (above !== null && !(await isWhole(transaction))) last = Math.max(last, above);
      let waiting = keys.length;
      const results: (WaitingWrite | OutboxFull)[] = [];
      for (const { write, body } of arrivals) {
        const before = there.get(write.entry);
        if (before || waiting >= LIMITS.waitingWrites) {
          results.push(before ?? new OutboxFull());
          continue;
        }
        [last, waiting] = [last + 1, waiting + 1];
        const added = { ...write, place: last };
        results.push(added);
        there.set(write.entry, added);
        await Promise.all([
          outbox.put(added),
          transaction.objectStore('payloads').put({ place: last, body }),
        ]);
      }
      await meta.put(last, LAST);
      return results;
    });
  }

  /** See `OutboxStore.change`. */
  async change(
    writes: readonly WaitingWrite[],
    generation: number | null,
  ): Promise<Map<number, WaitingWrite | null>> {
    const namers = writes.filter(({ state, temporaryId }) => state === 'done' && temporaryId !== null);
    const stores = namers.length > 0 ? STORES : CHANGED;
    const change = async (
      transaction: Transaction<'readwrite'>,
    ): Promise<Map<number, WaitingWrite | null>> => {
      const outbox = transaction.objectStore('outbox');
      // Requests that need not wait for each other are made together: each wait holds up the writes that come next.
      const [, ...stored] = await Promise.all([
        generation !== null && assertGeneration(transaction, generation),
        ...writes.map(({ place }) => outbox.get(place)),
      ]);
      const present = stored.map(intactWrite);
      const changed = writes.filter(({ version }, index) => present[index]?.version === version);
      await Promise.all(changed.map((write) => put(transaction, write)));
      const others = new Map<number, WaitingWrite | null>();
      for (const [index, write] of writes.entries())
        if (!changed.includes(write)) others.set(write.place, present[index] ?? null);
      return others;
    };
    return this.#keep(0, change, stores);
  }

  /** See `OutboxStore.decide`. */
  async decide(
    entry: string,
    next: (write: WaitingWrite) => WaitingWrite,
    body: RequestBody | null,
  ): Promise<DecidedWrite | null> {
    return this.#keep(body ? diskSizeOf(body) : 0, async (transaction) => {
      const before = await findIn(transaction, 'outbox', entry);
      if (!before) return null;
      const decided = next(before);
      if (decided === before) return { before, after: before };
      const payloads = transaction.objectStore('payloads');
      const isOther = decided.invocation !== before.invocation;
      const sent = isOther ? (body ?? (await bodyAt(transaction, before.place))) : null;
      const uses = sent ? temporaryIdsIn(decided.invocation, sent) : before.uses;
      const after = { ...decided, uses, version: before.version + 1 };
      await put(transaction, after);
      if (after.state === 'discarded') await payloads.delete(after.place);
      else if (body) await payloads.put({ place: after.place, body });
      return { before, after };
    });
  }

  /** See `OutboxStore.names`. `mayLack`: what creates such a thing may still be taken back, as long as this is not whole. */
  async names(temporaryIds: readonly string[], mayLack = false): Promise<ReadonlyMap<string, Naming>> {
    const stores = ['names', 'outbox', 'meta'] as const;
    const found = await readEach(temporaryIds, this.#records, (part) =>
      readTogether(this.#database, stores, part, async (transaction, each): Promise<Naming | null> => {
        const naming = await namingOf(transaction, each);
        return naming ?? (mayLack && !(await isWhole(transaction)) ? { kind: 'awaited' } : null);
      }),
    );
    return new Map(temporaryIds.map((each, index) => [each, found[index] ?? unknownName(each)]));
  }

  /** See `OutboxStore.sweep`. */
  async sweep(before: number, now: number): Promise<void> {
    let read = 0;
    let last: number | null = null;
    for (let after: IDBValidKey | null = null, isFull = true; isFull;) {
      const since: IDBValidKey | null = after;
      const { found, ...part } = await this.#sweepSome(async (most) => {
        const ended = await readAfter(this.#database, 'ended', since, most);
        await this.#keep(0, async (transaction) => {
          last ??= await lastIn(transaction.objectStore('past').index('endedAt'));
          await sweepEnded(transaction, ended, last, before, now);
        });
        return ended;
      });
      read += found.length;
      after = found.at(-1)?.key ?? since;
      ({ isFull } = part);
    }
    this.#swept.end(read);
    for (let isSwept = false; !isSwept;) isSwept = await this.#keep(0, sweepPast);
    for (let names: NamesSwept | null = NONE_SWEPT; names;) {
      const swept: NamesSwept = names;
      names = await this.#keep(0, (transaction) => sweepNames(transaction, now, swept));
    }
  }

  /** After a late one, with fewer: the worker may end before it is to sweep again, and the next one knows nothing of the disk. */
  async #sweepSome(
    work: (most: number) => Promise<Stored[]>,
  ): Promise<{ readonly found: readonly Stored[]; readonly isFull: boolean }> {
    for (;;) {
      let tried = 1;
      try {
        return await onceAnswered(this.clock, () => this.#swept.read((most) => work((tried = most))));
      } catch (error) {
        if (!(error instanceof DatabaseLate) || error.again || tried === 1) throw error;
      }
    }
  }

  /** See `OutboxStore.forgetEnded`. */
  async forgetEnded(): Promise<void> {
    await this.#keep(0, forgetEnded);
  }

  async clear(): Promise<void> {
    await this.#keep(0, async (transaction) => {
      await Promise.all(CLEARED.map((name) => transaction.objectStore(name).clear()));
      // Another engine may be about to take back what was cleared.
      await endTaking(transaction);
    });
  }

  /** True once it has what is in the copy of a lost one. */
  async isWhole(): Promise<boolean> {
    return this.#database.transact(['meta'], 'readonly', isWhole);
  }

  /** Marks the database, and returns the mark. A database that is made anew meanwhile does not have it. */
  beginTaking(): Promise<string> {
    this.#takings += 1;
    const mark = `${this.#database.clock.now()} ${this.#takings}`;
    return this.#keep(0, (transaction) => beginTaking(transaction, mark));
  }

  /** Adds what a lost one had. Rejects where this one was lost or cleared since that was begun. */
  async takeBack(lost: readonly Lost[], taking: Taking): Promise<void> {
    const bytes = lost.reduce((sum, { body }) => sum + (body ? diskSizeOf(body) : 0), 0);
    await this.#keep(bytes, (transaction) => takeBack(transaction, lost, taking));
  }

  /** Adds the names that a lost one had: all else is taken back. Rejects where it was lost since that was begun. */
  async makeWhole(names: readonly unknown[], begun: string): Promise<void> {
    for (let from = 0; from < names.length; from += TAKEN)
      await this.#keep(0, (transaction) => takeNames(transaction, names.slice(from, from + TAKEN), begun));
    await this.#keep(0, async (transaction) => {
      await assertBegun(transaction, begun);
      await makeWhole(transaction);
    });
  }

  /** Those of these entries that wait, damaged ones too. Rejects where something is still to be taken back. */
  async waits(entries: readonly string[]): Promise<ReadonlySet<string>> {
    const found = await this.#database.transact(['outbox', 'meta'], 'readonly', async (transaction) => {
      if (!(await isWhole(transaction))) throw new NotWhole();
      return Promise.all(entries.map((entry) => isThere(transaction.objectStore('outbox'), entry)));
    });
    return new Set(entries.filter((_, index) => found[index]));
  }

  /** Puts those of these that wait in the place of their records, where these are damaged or cannot be read. True where any were. */
  async mend(writes: readonly WaitingWrite[]): Promise<boolean> {
    const found = await readTogether(this.#database, ['outbox'], writes, async (transaction, { entry }) => {
      const isWaiting = await isThere(transaction.objectStore('outbox'), entry);
      return !isWaiting || (await findIn(transaction, 'outbox', entry)) !== null;
    });
    const lost = writes.filter((_, index) => found[index] !== true);
    if (lost.length === 0) return false;
    await this.#keep(0, async (transaction) => {
      const outbox = transaction.objectStore('outbox');
      await Promise.all(
        lost.map(async (write) => {
          // It may have been discarded meanwhile.
          const place = numberIn(await keyBy(outbox, 'entry', write.entry));
          if (place > 0) await outbox.put({ ...write, place });
        }),
      );
    });
    return true;
  }

  /** True where nothing was ever queued. */
  async isUnused(): Promise<boolean> {
    return this.#database.transact(
      ['meta'],
      'readonly',
      async (transaction) => (await transaction.objectStore('meta').get(LAST)) === undefined,
    );
  }

  /** These as they are by now, with what they send; without those that are gone or damaged. */
  async whole(writes: readonly WaitingWrite[]): Promise<(Kept & { readonly body: RequestBody })[]> {
    const stores = ['outbox', 'payloads'] as const;
    const found = await readTogether(this.#database, stores, writes, async (transaction, { place }) => {
      const [write, body] = await Promise.all([
        transaction.objectStore('outbox').get(place),
        bodyAt(transaction, place),
      ]);
      return { write: intactWrite(write), body };
    });
    return found.flatMap((each) =>
      each?.write && each.body ? [{ write: each.write, body: each.body }] : [],
    );
  }

  /** The names of these as they are stored. */
  async storedNames(temporaryIds: readonly string[]): Promise<unknown[]> {
    const found = await readEach(temporaryIds, this.#records, (part) =>
      this.#database.transact(['names'], 'readonly', (transaction) =>
        Promise.all(part.map((each) => transaction.objectStore('names').get(each))),
      ),
    );
    return found.filter((each) => each !== undefined);
  }

  /** On the disk when it resolves. Answers give way to it. */
  #keep<T>(
    bytes: number,
    work: (transaction: Transaction<'readwrite'>) => Promise<T>,
    stores: readonly StoreName[] = STORES,
  ): Promise<T> {
    return withRoom(this.#answers, { bytes: () => bytes, insists: true }, () =>
      this.#database.transact(stores, 'readwrite', work, 'strict'),
    );
  }
}

type Reading = Transaction<'readonly'> | Transaction<'readwrite'>;

/** Whether it waits or has ended. */
async function find(transaction: Reading, entry: string): Promise<WaitingWrite | null> {
  return (await findWhole(transaction, entry)) ?? (await pastWrite(transaction, entry));
}

/** The write that was added as this one before. Of one that ended a while ago, only this one says what it sent, unless it was edited. */
async function known(transaction: Reading, write: NewWrite): Promise<WaitingWrite | null> {
  const whole = await findWhole(transaction, write.entry);
  if (whole) return whole;
  const past = await pastWrite(transaction, write.entry);
  return past?.key === write.key ? { ...past, lane: write.lane, invocation: write.invocation } : past;
}

async function findWhole(transaction: Reading, entry: string): Promise<WaitingWrite | null> {
  return (await findIn(transaction, 'outbox', entry)) ?? (await findIn(transaction, 'ended', entry));
}

async function findIn(
  transaction: Reading,
  name: 'outbox' | 'ended',
  entry: string,
): Promise<WaitingWrite | null> {
  const store = transaction.objectStore(name);
  const [found] = await store.index('entry').getAll(IDBKeyRange.only(entry), 1);
  return found === undefined ? null : intactWrite(await store.get(numberIn(Object(found).place)));
}

/** Null where it is gone or damaged. */
async function bodyAt(transaction: Reading, place: number): Promise<RequestBody | null> {
  return intactBody(Object(await transaction.objectStore('payloads').get(place)).body);
}

/** One that has ended waits no more, and what it was to create has its name. */
async function put(transaction: Transaction<'readwrite'>, write: WaitingWrite): Promise<void> {
  const outbox = transaction.objectStore('outbox');
  await Promise.all(
    hasEnded(write)
      ? [
          outbox.delete(write.place),
          transaction.objectStore('ended').put(write),
          keepName(transaction, write),
        ]
      : [outbox.put(write)],
  );
}
