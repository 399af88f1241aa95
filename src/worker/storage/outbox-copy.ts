import { LIMITS } from '../../shared/limits.ts';
import type { RequestBody } from '../../shared/invocation.ts';
import type { WaitingWrite } from '../contracts/outbox-store.ts';
import { DatabaseLate } from '../platform/database-deadline.ts';
import type { Database, StoreName } from './database.ts';
import { assertRead, CopyUnread, noteRead, unreadMark } from './carried-copies.ts';
import { keepName, oldNames } from './outbox-names.ts';
import type { Opened } from './opening.ts';
import { readAll, ReadSize, readTogether } from './parts.ts';
import { SWEPT } from './past-writes.ts';
import { diskSizeOf, intactBody, intactWrite, numberIn } from './waiting-write-shape.ts';

/** A write with what it sends; null where that is as it was before. */
export interface Kept {
  readonly write: WaitingWrite;
  readonly body: RequestBody | null;
  /** The key under which it sent the same until just now, where that is another one. */
  readonly formerKey?: string;
}

/** A write as the copy has it, and how many bytes it sends. */
export interface Copied {
  readonly write: WaitingWrite;
  readonly bytes: number;
}

export interface OutboxCopyPorts {
  /** Does work in the other place, unless that is left alone. */
  readonly attempt: <T>(work: () => Promise<T>) => Promise<T>;
  /** Work there has failed, or was late. */
  readonly fail: (error: unknown) => void;
  /** Resolves with true if copies may have been made before. */
  readonly isThere: () => Promise<boolean>;
  readonly open: () => Promise<Database>;
  /** Carries over into it what lies in other copies of the same owner. Rejects where it is not known which there are. */
  readonly gather: (own: Database) => Promise<void>;
  /** Called with each new connection, whose database may have been made just now: no work there is done before this is. */
  readonly opened: () => Promise<void>;
}

const ALL: readonly StoreName[] = ['copies', 'copiedBodies', 'names'];

const WITH_META: readonly StoreName[] = [...ALL, 'meta'];

/** How many ends or names one transaction stores: it must end in time. */
const MOST = 500;

/** The writes that wait, once more, in other files. All of it rejects where the other place fails. */
export class OutboxCopy {
  readonly #ports: OutboxCopyPorts;
  #database: Promise<Database> | null = null;
  #opened: Opened | null = null;
  /** The database that has what lay in other copies. */
  #gathered: Database | null = null;
  /** Settles as what is done with each new connection. */
  #prepared: Promise<void> = Promise.resolve();
  /** How many descriptions are read at once; null before the first. It is known still where the database is opened anew. */
  #records: ReadSize | null = null;
  #isRetired = false;

  constructor(ports: OutboxCopyPorts) {
    this.#ports = ports;
  }

  /** It has what lies in other copies of the same owner from then on. Rejects where it is not known which there are. */
  async gather(): Promise<void> {
    const own = await this.#use(null, async (database) => database);
    if (own === null || own === this.#gathered) return;
    await this.#ports.gather(own);
    this.#gathered = own;
  }

  /** The mark of what was carried over into it, and that its outbox has not read yet; null for nothing. */
  unread(): Promise<string | null> {
    return this.#use(null, (database) => database.transact(['meta'], 'readonly', unreadMark));
  }

  /** The outbox has read all up to that mark. */
  async noteRead(mark: string): Promise<void> {
    await this.#use(undefined, (database) =>
      database.transact(['meta'], 'readwrite', (transaction) => noteRead(transaction, mark)),
    );
  }

  /** By their entries, without those that are damaged or cannot be read. */
  async index(): Promise<ReadonlyMap<string, Copied>> {
    const found = await this.#readAll('copies');
    const copied = found.flatMap((each): (readonly [string, Copied])[] => {
      const write = intactWrite(Object(each).write);
      return write ? [[write.entry, { write, bytes: numberIn(Object(each).bytes) }]] : [];
    });
    return new Map(copied);
  }

  /** Null in the place of each that is damaged, and of each that was edited and has another key here: it sends something else. */
  bodies(writes: readonly Pick<WaitingWrite, 'entry' | 'key'>[]): Promise<readonly (RequestBody | null)[]> {
    return this.#use([], (database) =>
      readTogether(database, ['copies', 'copiedBodies'], writes, async (transaction, { entry, key }) => {
        const [copied, sent] = await Promise.all([
          transaction.objectStore('copies').get(entry),
          transaction.objectStore('copiedBodies').get(entry),
        ]);
        return Object(Object(copied).write).key === key ? intactBody(Object(sent).body) : null;
      }),
    );
  }

  /** As they are stored. */
  names(): Promise<readonly unknown[]> {
    return this.#readAll('names');
  }

  #readAll(name: 'copies' | 'names'): Promise<readonly unknown[]> {
    return this.#use([], (database) => {
      this.#records ??= new ReadSize(database.clock);
      return readAll(database, name, this.#records);
    });
  }

  /**
   * Resolves once they are in it, but for those of which it has a later version. Where `body` is null, only one is changed that
   * sends the same: an edit before may have failed to come here.
   */
  async keep(kept: readonly Kept[]): Promise<void> {
    if (kept.length === 0) return;
    const keep = (database: Database): Promise<void> =>
      database.transact(ALL, 'readwrite', async (transaction) => {
        const [copies, bodies] = [transaction.objectStore('copies'), transaction.objectStore('copiedBodies')];
        const before = await Promise.all(kept.map(({ write }) => copies.get(write.entry)));
        await Promise.all(
          kept.map(async ({ write, body, formerKey = write.key }, index) => {
            const { entry } = write;
            const there = Object(before[index]);
            const isOlder = intactWrite(there.write) !== null && there.write.version > write.version;
            if (isOlder || (body === null && Object(there.write).key !== formerKey)) return;
            const bytes = body ? diskSizeOf(body) : numberIn(there.bytes);
            await Promise.all([copies.put({ entry, write, bytes }), body && bodies.put({ entry, body })]);
          }),
        );
      });
    await this.#write((database) =>
      keep(database).catch(async (error: unknown) => {
        if (!(error instanceof DatabaseLate)) await forgetUnreadable(database, kept).catch(() => {});
        throw error;
      }),
    );
  }

  /**
   * These wait no more: it has them no more, but the names of what those have created that have ended.
   * @throws CopyUnread where the outbox has not read yet what it may have to send.
   */
  async drop(entries: readonly string[], ended: readonly WaitingWrite[]): Promise<void> {
    const makers = new Map(ended.map((each) => [each.entry, each]));
    for (let from = 0; from < entries.length; from += MOST)
      await this.#drop(entries.slice(from, from + MOST), makers);
  }

  async #drop(entries: readonly string[], ended: ReadonlyMap<string, WaitingWrite>): Promise<void> {
    await this.#use(undefined, (database) =>
      database.transact(WITH_META, 'readwrite', async (transaction) => {
        await assertRead(transaction);
        const [copies, bodies] = [transaction.objectStore('copies'), transaction.objectStore('copiedBodies')];
        await Promise.all(
          entries.map((entry) => {
            const maker = ended.get(entry);
            return Promise.all([
              copies.delete(entry),
              bodies.delete(entry),
              maker && keepName(transaction, maker),
            ]);
          }),
        );
      }),
    );
  }

  /** Names as they are stored. */
  async keepNames(names: readonly unknown[]): Promise<void> {
    for (let from = 0; from < names.length; from += MOST) {
      const part = names.slice(from, from + MOST);
      await this.#write((database) =>
        database.transact(['names'], 'readwrite', (transaction) =>
          Promise.all(part.map((each) => transaction.objectStore('names').put(each))),
        ),
      );
    }
  }

  /** Forgets names, though writes may use them still: twice as late as the outbox, which knows better. In milliseconds of the epoch. */
  async sweep(now: number): Promise<void> {
    for (let forgotten = SWEPT; forgotten === SWEPT;)
      forgotten = await this.#use(0, (database) =>
        database.transact(['names'], 'readwrite', async (transaction) => {
          const old = await oldNames(transaction, { now, lifetime: 2 * LIMITS.endedLifetime });
          await Promise.all(
            old.map(({ temporaryId }) => transaction.objectStore('names').delete(temporaryId)),
          );
          return old.length;
        }),
      );
  }

  async clear(): Promise<void> {
    await this.#use(undefined, (database) =>
      database.transact(ALL, 'readwrite', async (transaction) => {
        await Promise.all(ALL.map((name) => transaction.objectStore(name).clear()));
      }),
    );
  }

  /** Nothing is done there any more. */
  retire(): void {
    this.#isRetired = true;
    this.#forget(this.#database);
  }

  /** `none` where no copy was ever made. */
  async #use<T>(none: T, work: (database: Database) => Promise<T>): Promise<T> {
    if (!this.#database && !(await this.#ports.isThere())) return none;
    return this.#write(work);
  }

  /** Makes it where it is not there. */
  async #write<T>(work: (database: Database) => Promise<T>): Promise<T> {
    const { attempt, fail } = this.#ports;
    const database = this.#isRetired ? null : await attempt(() => this.#connected());
    if (database === null) throw new Error('The identity of this copy has been signed out');
    const opening = this.#database;
    try {
      const [result] = await Promise.all([work(database), this.#prepared]);
      return result;
    } catch (error) {
      // What the data is to blame for, or a sign-out, says nothing of the place.
      if (!isOfData(error) && !this.#isRetired) {
        this.#forget(opening);
        fail(error);
      }
      throw error;
    }
  }

  /** Null where it was retired meanwhile. */
  async #connected(): Promise<Database | null> {
    const opening = (this.#database ??= this.#ports.open());
    try {
      const database = await opening;
      const opened = await database.connect();
      if (opened !== this.#opened) {
        this.#opened = opened;
        this.#prepared = this.#ports.opened();
        // It is prepared anew, as any other connection.
        this.#prepared.catch(() => this.#forget(opening));
      }
      return this.#isRetired ? null : database;
    } catch (error) {
      this.#forget(opening);
      if (this.#isRetired) return null;
      throw error;
    }
  }

  #forget(opening: Promise<Database> | null): void {
    if (opening === null || opening !== this.#database) return;
    [this.#database, this.#opened] = [null, null];
    opening.then((each) => each.retire()).catch(() => {});
  }
}

/** Copies that cannot be read would be in the way of those that come in their place. */
async function forgetUnreadable(database: Database, kept: readonly Kept[]): Promise<void> {
  const found = await readTogether(database, ['copies'], kept, (transaction, { write }) =>
    transaction.objectStore('copies').get(write.entry),
  );
  const lost = kept.filter((_, index) => found[index] === null);
  if (lost.length === 0) return;
  await database.transact(['copies'], 'readwrite', (transaction) =>
    Promise.all(lost.map(({ write }) => transaction.objectStore('copies').delete(write.entry))),
  );
}

/** It could not be stored or read, though the database is well. */
function isOfData(error: unknown): boolean {
  return error instanceof CopyUnread || (error instanceof Error && OF_DATA.has(error.name));
}

const OF_DATA = new Set([
  'AbortError',
  'ConstraintError',
  'DataCloneError',
  'DataError',
  'NotReadableError',
  'QuotaExceededError',
]);
