import { LIMITS } from '../../shared/limits.ts';
import type { Failure } from '../../shared/failure.ts';
import type { RequestBody } from '../../shared/invocation.ts';
import { invocation, requestBody } from '../../shared/message-shapes.ts';
import type { Answer } from '../../shared/outcome.ts';
import { count, isRecord, list, must, object, ordinal, orNull, text, word } from '../../shared/shape.ts';
import type { Shape } from '../../shared/shape.ts';
import type { NewWrite, WaitingWrite, WriteState } from '../contracts/outbox-store.ts';
import type { Database, StoreName, Transaction } from './database.ts';
import { withRoom } from './eviction.ts';
import { assertGeneration } from './partitions.ts';

const STORES: readonly StoreName[] = ['outbox', 'payloads', 'meta'];

/** Its name in `meta`: the place of the last write that was added. Places are never used again. */
const LAST = 'outbox-last';

/** There are as many writes as may wait. */
export class OutboxFull extends Error {
  override readonly name = 'OutboxFull';

  constructor() {
    super(`No more than ${LIMITS.waitingWrites} writes may wait`);
  }
}

/** The writes that wait in one partition, in its database. All calls reject when the database fails. */
export class IdbOutbox {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Null in the place of each damaged one, which stays stored: nobody may lose it unseen. */
  async all(): Promise<(WaitingWrite | null)[]> {
    const found = await this.#database.transact(['outbox'], 'readonly', (transaction) =>
      transaction.objectStore('outbox').getAll(),
    );
    return found.map(intactWrite);
  }

  async body({ place }: WaitingWrite): Promise<RequestBody | null> {
    const found: unknown = await this.#database.transact(['payloads'], 'readonly', (transaction) =>
      transaction.objectStore('payloads').get(place),
    );
    return intactBody(Object(found).body);
  }

  /** @throws OutboxFull */
  async add(write: NewWrite, body: RequestBody): Promise<WaitingWrite> {
    return this.#keep(sizeOf(body), async (transaction) => {
      const [outbox, meta] = [transaction.objectStore('outbox'), transaction.objectStore('meta')];
      const [keys, last] = await Promise.all([outbox.getAllKeys(), meta.get(LAST)]);
      if (keys.length >= LIMITS.waitingWrites) throw new OutboxFull();
      const place = Math.max(numberIn(last), numberIn(keys.at(-1))) + 1;
      const added = { ...write, place };
      await Promise.all([
        outbox.put(added),
        transaction.objectStore('payloads').put({ place, body }),
        meta.put(place, LAST),
      ]);
      return added;
    });
  }

  async change(writes: readonly WaitingWrite[], generation: number | null): Promise<void> {
    await this.#keep(0, async (transaction) => {
      if (generation !== null) await assertGeneration(transaction, generation);
      const outbox = transaction.objectStore('outbox');
      const present = await Promise.all(writes.map(({ place }) => outbox.getKey(place)));
      await Promise.all(
        writes.filter((_, index) => present[index] !== undefined).map((each) => outbox.put(each)),
      );
    });
  }

  async remove(places: readonly number[], generation: number | null): Promise<void> {
    await this.#keep(0, async (transaction) => {
      if (generation !== null) await assertGeneration(transaction, generation);
      await Promise.all(
        places.flatMap((place) => [
          transaction.objectStore('outbox').delete(place),
          transaction.objectStore('payloads').delete(place),
        ]),
      );
    });
  }

  /** On the disk when it resolves. Answers give way to it. */
  #keep<T>(bytes: number, work: (transaction: Transaction<'readwrite'>) => Promise<T>): Promise<T> {
    return withRoom(this.#database, { bytes: () => bytes, insists: true }, () =>
      this.#database.transact(STORES, 'readwrite', work, 'strict'),
    );
  }
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
  id: text,
  resource: text,
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
  }),
  attempts: count,
  failures: count,
  notBefore: finite,
  failure: orNull(failure),
  queuedAt: finite,
  temporaryId: orNull(text),
  uses: list(text),
  answer: orNull(answer),
  redirectedSince: orNull(finite),
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
