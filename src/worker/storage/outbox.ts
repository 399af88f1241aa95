import { sizeOfRequestBody } from '../../shared/invocation.ts';
import type { RequestBody } from '../../shared/invocation.ts';
import type { NewWrite, OutboxStore, WaitingWrite } from '../contracts/outbox-store.ts';
import { lookUp } from '../contracts/response-store.ts';
import type { Lookup } from '../contracts/response-store.ts';
import type { Naming } from '../contracts/temporary-id.ts';
import { DatabaseLate, onceAnswered } from '../platform/database-deadline.ts';
import type { Database } from './database.ts';
import { CopiedOutbox } from './copied-outbox.ts';
import type { Added } from './copied-outbox.ts';
import { IdbOutbox, OutboxFull } from './idb-outbox.ts';
import type { Arrival } from './idb-outbox.ts';
import type { OutboxCopy } from './outbox-copy.ts';
import { raiseGeneration } from './partitions.ts';
import { partsOf, readEach, ReadSize } from './parts.ts';
import { diskSizeOf } from './waiting-write-shape.ts';

/** Most writes that one transaction adds: it must end in time. */
const MOST = 128;

/** How many bodies the first transaction reads, as many as are sent at a time, and the largest one: each may be a photo. */
const TOGETHER = 4;
const BODIES = 16;

interface Arriving extends Arrival {
  readonly resolve: (write: WaitingWrite) => void;
  readonly reject: (error: unknown) => void;
}

interface BodyWanted {
  readonly write: WaitingWrite;
  readonly resolve: (body: RequestBody | null) => void;
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
  #toRead: BodyWanted[] = [];
  #isReading = false;
  readonly #bodies: ReadSize;
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
    this.#bodies = new ReadSize(database.clock, TOGETHER, BODIES);
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
    return lookUp(
      () =>
        new Promise((resolve, reject) => {
          this.#toRead.push({ write, resolve, reject });
          if (!this.#isReading) void this.#readBodies();
        }),
    );
  }

  /** Small ones that are asked for in one turn share a transaction, and large ones do not: all of them would be late then. */
  async #readBodies(): Promise<void> {
    this.#isReading = true;
    await Promise.resolve();
    let read = 0;
    while (this.#toRead.length > 0) {
      let part: readonly BodyWanted[] = [];
      try {
        const { found } = await this.#bodies.read((most) => {
          part = this.#toRead.splice(0, most);
          // One that is too large even alone takes no other along.
          return this.#readPart(part.map(({ write }) => write));
        });
        for (const [index, { resolve }] of part.entries()) resolve(found[index] ?? null);
        read += found.length;
      } catch (error) {
        for (const { reject } of part) reject(error);
      }
    }
    this.#bodies.end(read);
    this.#isReading = false;
  }

  #readPart(part: readonly WaitingWrite[]): Promise<readonly (RequestBody | null)[]> {
    return onceAnswered(this.#database.clock, () => this.#stored.bodies(part));
  }

  bodies(
    writes: readonly WaitingWrite[],
    enough: number = Infinity,
  ): Promise<readonly (RequestBody | null)[]> {
    const isEnough = (found: readonly (RequestBody | null)[]): boolean =>
      found.reduce((sum, body) => sum + (body ? sizeOfRequestBody(body) : 0), 0) > enough;
    return readEach(writes, this.#bodies, (part) => this.#stored.bodies(part), isEnough);
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
    while (this.#arriving.length > 0) {
      const [part = []] = partsOf(this.#arriving.slice(0, MOST), ({ body }) => diskSizeOf(body), MOST);
      this.#arriving.splice(0, part.length);
      await this.#add(part);
    }
    this.#isAdding = false;
  }

  /**
   * `late`: a try before, which may have stored them all the same. Resolves with whether the database was in time. It is waited for after
   * it was late, but not by all of many when one alone is late, too.
   */
  async #add(arrivals: readonly Arriving[], late: DatabaseLate | null = null): Promise<boolean> {
    try {
      if ((await this.#database.connect()) === null) throw new Error('There is no database to keep it in');
      await onceAnswered(this.#database.clock, () => this.#store(arrivals));
      return true;
    } catch (error) {
      const [only, another] = arrivals;
      const first = late ?? (error instanceof DatabaseLate ? error : null);
      let isInTime = !(error instanceof DatabaseLate);
      if (!another) {
        only?.reject(first ?? error);
        return isInTime;
      }
      // One that is too large takes no other along.
      isInTime = true;
      for (const each of arrivals)
        if (isInTime) isInTime = (await this.#add([each], first)) || first === null;
        else each.reject(first);
      return isInTime;
    }
  }

  async #store(arrivals: readonly Arriving[]): Promise<void> {
    if (this.#stored instanceof IdbOutbox) return answer(arrivals, await this.#stored.add(arrivals));
    const { results, copied } = await this.#stored.add(arrivals);
    // The next transaction begins while this is copied.
    this.#answered = Promise.all([this.#answered, copied]).then(() => answer(arrivals, results));
  }
}

function answer(arrivals: readonly Arriving[], results: Added['results']): void {
  for (const [index, { resolve, reject }] of arrivals.entries()) {
    const result = results[index];
    if (result instanceof OutboxFull || !result) reject(result);
    else resolve(result);
  }
}
