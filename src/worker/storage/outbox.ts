import type { RequestBody } from '../../shared/invocation.ts';
import type { NewWrite, OutboxStore, WaitingWrite } from '../contracts/outbox-store.ts';
import { lookUp } from '../contracts/response-store.ts';
import type { Lookup } from '../contracts/response-store.ts';
import type { Naming } from '../contracts/temporary-id.ts';
import { DatabaseLate } from '../platform/database-deadline.ts';
import type { Database } from './database.ts';
import { CopiedOutbox } from './copied-outbox.ts';
import type { Added } from './copied-outbox.ts';
import { IdbOutbox, OutboxFull } from './idb-outbox.ts';
import type { Arrival } from './idb-outbox.ts';
import type { OutboxCopy } from './outbox-copy.ts';
import { raiseGeneration } from './partitions.ts';

/** Most writes that one transaction adds: it must end in time. */
const MOST = 128;

interface Arriving extends Arrival {
  readonly resolve: (write: WaitingWrite) => void;
  readonly reject: (error: unknown) => void;
}

/** The writes that wait for one identity. Without a database nothing is accepted: memory would forget it. */
export class StoredOutbox implements OutboxStore {
  readonly #database: Database;
  readonly #stored: IdbOutbox | CopiedOutbox;
  /** Null where there is no copy. */
  readonly #copied: CopiedOutbox | null;
  readonly #discardOthers: () => Promise<void>;
  #generation: number | null = null;
  #arriving: Arriving[] = [];
  readonly #toRead: WaitingWrite[] = [];
  /** Null where none is asked for in this turn. */
  #reading: Promise<readonly (RequestBody | null)[]> | null = null;
  #isAdding = false;
  /** Resolves when all that was added before is answered: whoever sends hears of it in its order. */
  #answered: Promise<void> = Promise.resolve();

  /**
   * `copy`: what is added is there, too, before this says so; null where there is none. `restored`: something was taken from there.
   * `discardOthers`: deletes what may still come from elsewhere.
   */
  constructor(
    database: Database,
    answers: Database,
    copy: OutboxCopy | null = null,
    restored: () => void = () => {},
    discardOthers: () => Promise<void> = async () => {},
  ) {
    [this.#database, this.#discardOthers] = [database, discardOthers];
    const stored = new IdbOutbox(database, answers);
    this.#copied = copy && new CopiedOutbox(database, stored, copy, restored);
    this.#stored = this.#copied ?? stored;
  }

  async take(): Promise<void> {
    if ((await this.#database.connect()) !== null) this.#generation = await raiseGeneration(this.#database);
  }

  async all(): Promise<Lookup<readonly WaitingWrite[]>> {
    return lookUp(async () => {
      if ((await this.#database.connect()) === null) return null;
      return (await this.#stored.all()).filter((each) => each !== null);
    });
  }

  ended(entries: readonly string[] | null): Promise<readonly WaitingWrite[]> {
    return this.#stored.ended(entries);
  }

  async assertWhole(): Promise<void> {
    if ((await this.#database.connect()) !== null) await this.#copied?.assertWhole();
  }

  body(write: WaitingWrite): Promise<Lookup<RequestBody>> {
    return lookUp(async () => {
      this.#reading ??= this.#readInTurn();
      const nth = this.#toRead.push(write) - 1;
      return (await this.#reading)[nth] ?? null;
    });
  }

  /** The bodies that are asked for in one turn: one transaction reads them all. */
  async #readInTurn(): Promise<readonly (RequestBody | null)[]> {
    await Promise.resolve();
    this.#reading = null;
    return this.#stored.bodies(this.#toRead.splice(0));
  }

  bodies(writes: readonly WaitingWrite[]): Promise<readonly (RequestBody | null)[]> {
    return this.#stored.bodies(writes).catch(() => writes.map(() => null));
  }

  add(write: NewWrite, body: RequestBody): Promise<WaitingWrite> {
    return new Promise((resolve, reject) => {
      this.#arriving.push({ write, body, resolve, reject });
      if (!this.#isAdding) void this.#addAll();
    });
  }

  change(writes: readonly WaitingWrite[]): Promise<ReadonlyMap<number, WaitingWrite | null>> {
    return this.#stored.change(writes, this.#generation);
  }

  decide(...decision: Parameters<OutboxStore['decide']>): ReturnType<OutboxStore['decide']> {
    return this.#stored.decide(...decision);
  }

  names(temporaryIds: readonly string[]): Promise<ReadonlyMap<string, Naming>> {
    return this.#stored.names(temporaryIds);
  }

  sweep(before: number, now: number): Promise<void> {
    return this.#stored.sweep(before, now);
  }

  forgetEnded(): Promise<void> {
    return this.#stored.forgetEnded();
  }

  async clear(): Promise<void> {
    await this.#discardOthers();
    await this.#stored.clear();
  }

  /** Resolves once nothing is done with the copy any more. Never rejects. */
  async retire(): Promise<void> {
    await this.#copied?.retire();
  }

  /** What comes while a transaction is out is added by the next one, all together: each has to reach the disk. */
  async #addAll(): Promise<void> {
    this.#isAdding = true;
    await Promise.resolve();
    while (this.#arriving.length > 0) await this.#add(this.#arriving.splice(0, MOST));
    this.#isAdding = false;
  }

  /** `late`: a try before, which may have stored them all the same. */
  async #add(arrivals: readonly Arriving[], late: DatabaseLate | null = null): Promise<void> {
    try {
      if ((await this.#database.connect()) === null) throw new Error('There is no database to keep it in');
      if (this.#stored instanceof IdbOutbox) return answer(arrivals, await this.#stored.add(arrivals));
      const { results, copied } = await this.#stored.add(arrivals);
      // The next transaction begins while this is copied.
      this.#answered = Promise.all([this.#answered, copied]).then(() => answer(arrivals, results));
    } catch (error) {
      const [only, another] = arrivals;
      const first = late ?? (error instanceof DatabaseLate ? error : null);
      // One that is too large takes no other along.
      if (another) for (const each of arrivals) await this.#add([each], first);
      else only?.reject(first ?? error);
    }
  }
}

function answer(arrivals: readonly Arriving[], results: Added['results']): void {
  for (const [index, { resolve, reject }] of arrivals.entries()) {
    const result = results[index];
    if (result instanceof OutboxFull || !result) reject(result);
    else resolve(result);
  }
}
