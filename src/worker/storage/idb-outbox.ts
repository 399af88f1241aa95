import { LIMITS } from '../../shared/limits.ts';
import type { Failure } from '../../shared/failure.ts';
import type { RequestBody } from '../../shared/invocation.ts';
import { invocation, requestBody } from '../../shared/message-shapes.ts';
import type { Answer } from '../../shared/outcome.ts';
import {
  count,
  flag,
  isRecord,
  list,
  must,
  object,
  ordinal,
  orNull,
  text,
  word,
} from '../../shared/shape.ts';
import type { Shape } from '../../shared/shape.ts';
import type { WriteState } from '../../shared/outbox.ts';
import type { NewWrite, WaitingWrite } from '../contracts/outbox-store.ts';
import type { Database, StoreName, Transaction } from './database.ts';
import { withRoom } from './eviction.ts';
import { assertGeneration } from './partitions.ts';

const CLEARED: readonly StoreName[] = ['outbox', 'ended', 'payloads'];
const STORES: readonly StoreName[] = [...CLEARED, 'meta'];

/** Its name in `meta`: the place of the last write that was added. Places are never used again. */
const LAST = 'outbox-last';

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

  /** Where the browser has no more room, stored answers give way: those in `answers`. */
  constructor(database: Database, answers: Database) {
    this.#database = database;
    this.#answers = answers;
  }

  /** Null in the place of each damaged one, which stays stored: nobody may lose it unseen. */
  async all(): Promise<(WaitingWrite | null)[]> {
    const found = await this.#database.transact(['outbox'], 'readonly', (transaction) =>
      transaction.objectStore('outbox').getAll(),
    );
    return found.map(intactWrite);
  }

  /** Those of these entries that have ended, or wait; all that have ended where that is null. */
  async ended(entries: readonly string[] | null): Promise<WaitingWrite[]> {
    const found = await this.#database.transact(['outbox', 'ended'], 'readonly', async (transaction) =>
      entries === null
        ? transaction.objectStore('ended').getAll()
        : Promise.all(entries.map((entry) => find(transaction, entry))),
    );
    return found.flatMap((each) => intactWrite(each) ?? []);
  }

  /** Null in the place of each that is gone or damaged. */
  async bodies(writes: readonly WaitingWrite[]): Promise<(RequestBody | null)[]> {
    const found = await this.#database.transact(['payloads'], 'readonly', (transaction) =>
      Promise.all(writes.map(({ place }) => transaction.objectStore('payloads').get(place))),
    );
    return found.map((each) => intactBody(Object(each).body));
  }

  /** All or none; those for which there is no room in the queue are answered with an OutboxFull. */
  async add(arrivals: readonly Arrival[]): Promise<(WaitingWrite | OutboxFull)[]> {
    const bytes = arrivals.reduce((sum, { body }) => sum + sizeOf(body), 0);
    return this.#keep(bytes, async (transaction) => {
      const [outbox, meta] = [transaction.objectStore('outbox'), transaction.objectStore('meta')];
      const [keys, stored] = await Promise.all([outbox.getAllKeys(), meta.get(LAST)]);
      let last = Math.max(numberIn(stored), numberIn(keys.at(-1)));
      let waiting = keys.length;
      const results: (WaitingWrite | OutboxFull)[] = [];
      for (const { write, body } of arrivals) {
        const known = await find(transaction, write.entry);
        if (known || waiting >= LIMITS.waitingWrites) {
          results.push(known ?? new OutboxFull());
          continue;
        }
        [last, waiting] = [last + 1, waiting + 1];
        const added = { ...write, place: last };
        results.push(added);
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
    return this.#keep(0, async (transaction) => {
      if (generation !== null) await assertGeneration(transaction, generation);
      const outbox = transaction.objectStore('outbox');
      const stored = await Promise.all(writes.map(({ place }) => outbox.get(place)));
      const others = new Map<number, WaitingWrite | null>();
      for (const [index, write] of writes.entries()) {
        const present = intactWrite(stored[index]);
        if (present?.version !== write.version) others.set(write.place, present);
        else await put(transaction, write);
      }
      return others;
    });
  }

  /** See `OutboxStore.decide`. */
  async decide(
    entry: string,
    next: (write: WaitingWrite) => WaitingWrite,
    body: RequestBody | null,
  ): Promise<{ readonly before: WaitingWrite; readonly after: WaitingWrite } | null> {
    return this.#keep(body ? sizeOf(body) : 0, async (transaction) => {
      const before = await findIn(transaction, 'outbox', entry);
      if (!before) return null;
      const decided = next(before);
      if (decided === before) return { before, after: before };
      const after = { ...decided, version: before.version + 1 };
      await put(transaction, after);
      const payloads = transaction.objectStore('payloads');
      if (after.state === 'discarded') await payloads.delete(after.place);
      else if (body) await payloads.put({ place: after.place, body });
      return { before, after };
    });
  }

  async sweep(before: number): Promise<void> {
    await this.#keep(0, async (transaction) => {
      const ended = await transaction.objectStore('ended').getAll();
      const old = ended.filter((each) => !(numberIn(Object(each).endedAt) >= before));
      const places = old.map((each) => numberIn(Object(each).place));
      await Promise.all(
        places.flatMap((place) => [
          transaction.objectStore('ended').delete(place),
          transaction.objectStore('payloads').delete(place),
        ]),
      );
    });
  }

  async clear(): Promise<void> {
    await this.#keep(0, async (transaction) => {
      await Promise.all(CLEARED.map((name) => transaction.objectStore(name).clear()));
    });
  }

  /** On the disk when it resolves. Answers give way to it. */
  #keep<T>(bytes: number, work: (transaction: Transaction<'readwrite'>) => Promise<T>): Promise<T> {
    return withRoom(this.#answers, { bytes: () => bytes, insists: true }, () =>
      this.#database.transact(STORES, 'readwrite', work, 'strict'),
    );
  }
}

type Reading = Transaction<'readonly'> | Transaction<'readwrite'>;

/** Whether it waits or has ended. */
async function find(transaction: Reading, entry: string): Promise<WaitingWrite | null> {
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

/** One that has ended waits no more. */
async function put(transaction: Transaction<'readwrite'>, write: WaitingWrite): Promise<void> {
  const hasEnded = write.state === 'done' || write.state === 'discarded';
  if (hasEnded) await transaction.objectStore('outbox').delete(write.place);
  await transaction.objectStore(hasEnded ? 'ended' : 'outbox').put(write);
}

function sizeOf(body: RequestBody): number {
  switch (body.kind) {
    case 'none':
      return 0;
    case 'bytes':
      return body.bytes.byteLength;
    default:
      return body.text.length * 2;
  }
}

function numberIn(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

const finite: Shape<number> = must((value) => Number.isFinite(value), 'be a number');

const said = object<{ readonly code: string; readonly message: string }>({ code: text, message: text });
const failure: Shape<Failure> = must((value) => said(value) === null, 'be a failure');

const answer: Shape<Answer> = must((value) => {
  const { status, headers, body } = Object(value);
  return count(status) === null && Array.isArray(headers) && isRecord(body);
}, 'be an answer');

const write: Shape<WaitingWrite> = object<WaitingWrite>({
  place: ordinal,
  version: count,
  entry: text,
  resource: text,
  action: text,
  invocation,
  lane: text,
  key: text,
  state: word<WriteState>({
    queued: true,
    sending: true,
    paused: true,
    conflict: true,
    review: true,
    done: true,
    discarded: true,
  }),
  attempts: count,
  mayBeDone: flag,
  failures: count,
  notBefore: finite,
  floor: finite,
  failure: orNull(failure),
  queuedAt: finite,
  temporaryId: orNull(text),
  uses: list(text),
  answer: orNull(answer),
  url: orNull(text),
  matches: orNull(text),
  endedAt: orNull(finite),
  unclearSince: orNull(finite),
});

function intactWrite(value: unknown): WaitingWrite | null {
  return isWrite(value) ? value : null;
}

function isWrite(value: unknown): value is WaitingWrite {
  return write(value) === null;
}

function intactBody(value: unknown): RequestBody | null {
  return isBody(value) ? value : null;
}

function isBody(value: unknown): value is RequestBody {
  return requestBody(value) === null;
}
