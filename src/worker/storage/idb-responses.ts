import { LIMITS } from '../../shared/limits.ts';
import { RecentlyUsed } from '../../shared/recently-used.ts';
import { isSameRevision } from '../../shared/outcome.ts';
import type { Revision } from '../../shared/outcome.ts';
import type { System } from '../platform/system.ts';
import { AnswerWriter, lyingIn, Uses } from './answer-writer.ts';
import type { Lying } from './answer-writer.ts';
import { fits, ANSWERS, countedIn, evict, keepCounted, MOST_REMOVED, USAGE, withRoom } from './eviction.ts';
import type { Counted, Usage } from './eviction.ts';
import type { Database, Transaction } from './database.ts';
import type { StoredResponse } from '../contracts/response-store.ts';
import type { Decide, RecordChange } from './response-record.ts';
import { readBytes, storesOf, wholeBody } from './stored-body.ts';
import { intactAnswer, usedAtOf } from './response-record.ts';

/** Its name in `meta`. */
const SALT = 'salt';

/** Milliseconds until another use of an answer is noted. */
export const NOTED_AGAIN = 3_600_000;

/** The orders under one key: each decision sees the result of the one before. */
export interface Written {
  readonly key: string;
  /** When it was used last, by `Uses`: what waited is written later than what came after it. */
  readonly usedAt: number;
  readonly orders: readonly { readonly decide: Decide }[];
}

/** The stored answers of one partition, in its database. All calls reject when the database fails. */
export class IdbResponses {
  readonly #system: Pick<System, 'clock' | 'digest' | 'pause'>;
  readonly #database: Database;
  readonly #capacity: number;
  readonly #writer: AnswerWriter;
  readonly #uses: Uses;
  /** True once the writer knows the last use that an earlier instance stored: the clock may be set back since. */
  #hasHeeded = false;
  /** When this instance noted uses last, by key. A use that is forgotten is noted once more. */
  readonly #notedAt = new RecentlyUsed<string, number>(LIMITS.descriptions);

  /** `capacity` in bytes; `uses` is that of all who write here. */
  constructor(
    system: Pick<System, 'clock' | 'digest' | 'pause'>,
    database: Database,
    capacity: number = LIMITS.storedSize,
    uses: Uses = new Uses(system.clock),
  ) {
    this.#system = system;
    this.#database = database;
    this.#capacity = capacity;
    this.#writer = new AnswerWriter(system.clock, capacity);
    this.#uses = uses;
  }

  async find(key: string): Promise<StoredResponse | null> {
    const found: unknown = await this.#database.transact(['responses'], 'readonly', (transaction) =>
      transaction.objectStore('responses').get(key),
    );
    const answer = intactAnswer(found);
    if (found !== undefined && answer === null) await this.#removeUnreadable(key);
    return answer?.record ?? null;
  }

  /** At most `limit` keys after `after`, in order. */
  async keys(after: string | null = null, limit?: number): Promise<string[]> {
    const range = after === null ? null : IDBKeyRange.lowerBound(after, true);
    const keys = await this.#database.transact(['responses'], 'readonly', (transaction) =>
      transaction.objectStore('responses').getAllKeys(range, limit),
    );
    return keys.map(String);
  }

  async body(record: StoredResponse): Promise<ArrayBuffer | null> {
    const { key, revision } = record;
    const { found, bytes } = await this.#database.transact(storesOf(record), 'readonly', (transaction) =>
      readBytes(transaction, record),
    );
    const answer = intactAnswer(found);
    if (answer === null || !isSameRevision(answer.record.revision, revision)) return null;
    const whole = await wholeBody(answer, bytes, this.#system);
    if (whole === null) await this.#removeDamaged(key, revision);
    else if (this.#isToNote(key, usedAtOf(found))) void this.#touch(key);
    return whole;
  }

  async update(key: string, decide: Decide, isWorthRoom = true): Promise<RecordChange> {
    const written = { key, usedAt: this.#uses.now(), orders: [{ decide }] };
    const [change] = await this.carryOut([written], isWorthRoom);
    return change ?? { kind: 'keep' };
  }

  /**
   * Writes in one transaction, small since reads wait for it; resolves with the last decision for each key. If the browser
   * has no more room, other answers give way, unless it is not worth that.
   */
  carryOut(batch: readonly Written[], isWorthRoom = true): Promise<RecordChange[]> {
    let needed = 0;
    const write = async (): Promise<RecordChange[]> => {
      const { changes, usage } = await this.#database.transact(ANSWERS, 'readwrite', (transaction) =>
        this.#write(transaction, batch, (bytes) => (needed = bytes)),
      );
      // What fails here is left to the next write.
      if (!fits(usage, this.#capacity)) await this.#evictRest().catch(() => {});
      return changes;
    };
    return withRoom(this.#database, isWorthRoom ? { bytes: () => needed, insists: false } : null, write);
  }

  async remove(key: string): Promise<void> {
    await this.update(key, () => ({ kind: 'remove' }));
  }

  async clear(): Promise<void> {
    await this.#database.transact(ANSWERS, 'readwrite', (transaction) =>
      Promise.all([
        transaction.objectStore('responses').clear(),
        transaction.objectStore('bodies').clear(),
        transaction.objectStore('patches').clear(),
        transaction.objectStore('meta').delete(USAGE),
      ]),
    );
  }

  async salt(candidate: string): Promise<string> {
    const known = await this.#database.transact(['meta'], 'readonly', (transaction) =>
      transaction.objectStore('meta').get(SALT),
    );
    if (typeof known === 'string') return known;
    return await this.#database.transact(['meta'], 'readwrite', async (transaction) => {
      const meta = transaction.objectStore('meta');
      const meanwhile = await meta.get(SALT);
      if (typeof meanwhile === 'string') return meanwhile;
      await meta.put(candidate, SALT);
      return candidate;
    });
  }

  usage(): Promise<Usage> {
    return this.#database.transact(
      ['responses', 'meta'],
      'readonly',
      async (transaction) => (await countedIn(transaction)).usage,
    );
  }

  async #write(
    transaction: Transaction<'readwrite'>,
    batch: readonly Written[],
    needs: (bytes: number) => void,
  ): Promise<{ readonly changes: RecordChange[] } & Counted> {
    const responses = transaction.objectStore('responses');
    const [before, ...found] = await Promise.all([
      countedIn(transaction),
      ...batch.map(({ key }): Promise<unknown> => responses.get(key)),
    ]);
    if (!this.#hasHeeded) this.#writer.heed(await lastUseIn(transaction));
    this.#hasHeeded = true;
    let { usage, from } = before;
    let needed = 0;
    const changes: RecordChange[] = [];
    let isChanged = false;
    const done: Promise<unknown>[] = [];
    for (const [index, { key, orders, ...written }] of batch.entries()) {
      const usedAt = this.#writer.noted(written.usedAt);
      from &&= Math.min(from, usedAt);
      let lying = lyingIn(found[index]);
      usage = without(usage, lying);
      let change: RecordChange = { kind: 'keep' };
      for (const { decide } of orders) {
        change = decide(lying.answer?.record ?? null);
        isChanged ||= change.kind !== 'keep';
        const begun = this.#writer.begin(transaction, { key, lying, usedAt }, change);
        needs((needed += begun.needed));
        lying = begun.lying;
        // If a later decision throws, nothing awaits this one.
        begun.done.catch(() => {});
        done.push(begun.done);
      }
      usage = withOne(usage, lying);
      changes.push(change);
    }
    await Promise.all(done);
    if (!isChanged) return { changes, usage, from };
    const spared = new Set(batch.map(({ key }) => key));
    return { changes, ...(await this.#evict(transaction, { usage, from }, spared)) };
  }

  /** Removes what is too much, or as much of it as one transaction may. */
  async #evict(
    transaction: Transaction<'readwrite'>,
    before: Counted,
    spared?: ReadonlySet<IDBValidKey>,
  ): Promise<Counted> {
    const most = before.usage.entries - MOST_REMOVED;
    const isEnough = (now: Usage): boolean => fits(now, this.#capacity) || now.entries <= most;
    const evicted = await evict(transaction, before, isEnough, spared);
    await keepCounted(transaction, evicted);
    return evicted;
  }

  /** A large answer takes the place of many small ones: reads go on between the transactions that remove them. */
  async #evictRest(): Promise<void> {
    for (let isTooMuch = true; isTooMuch;) {
      const { usage } = await this.#database.transact(ANSWERS, 'readwrite', async (transaction) =>
        this.#evict(transaction, await countedIn(transaction)),
      );
      isTooMuch = !fits(usage, this.#capacity);
    }
  }

  /** Unless an answer has taken its place meanwhile. */
  async #removeUnreadable(key: string): Promise<void> {
    await this.update(key, (current) => ({ kind: current ? 'keep' : 'remove' }));
  }

  /** Unless another answer has taken its place meanwhile. */
  async #removeDamaged(key: string, revision: Revision): Promise<void> {
    await this.update(key, (current) =>
      current && isSameRevision(current.revision, revision) ? { kind: 'remove' } : { kind: 'keep' },
    );
  }

  /** After the clock was set back, the last use lies ahead: then this instance goes by when it noted one itself. */
  #isToNote(key: string, usedAt: number): boolean {
    const now = this.#system.clock.now();
    const notedAt = usedAt > now ? (this.#notedAt.get(key) ?? usedAt) : usedAt;
    return Math.abs(now - notedAt) >= NOTED_AGAIN;
  }

  /** Notes that it is used, so that it is evicted later. */
  async #touch(key: string): Promise<void> {
    this.#notedAt.set(key, this.#system.clock.now());
    // Without the note, the answer only goes earlier.
    await this.update(key, touched, false).catch(() => {});
  }
}

/** The latest time of a use that is believed, in milliseconds of the epoch: the year 2096. Nothing comes after later ones. */
const LATEST = 4_000_000_000_000;

/** Milliseconds of the epoch: the last noted use of any answer; 0 if there is none. */
async function lastUseIn(transaction: Transaction<'readwrite'>): Promise<number> {
  const believed = IDBKeyRange.upperBound(LATEST);
  const last = await transaction.objectStore('responses').index('usedAt').openKeyCursor(believed, 'prev');
  return Number.isFinite(last?.key) ? Number(last?.key) : 0;
}

function without({ entries, bytes }: Usage, { counted }: Lying): Usage {
  return counted === null ? { entries, bytes } : { entries: entries - 1, bytes: bytes - counted };
}

function withOne({ entries, bytes }: Usage, { counted }: Lying): Usage {
  return counted === null ? { entries, bytes } : { entries: entries + 1, bytes: bytes + counted };
}

/** The same description once more marks the answer as used last. */
const touched: Decide = (current) => (current ? { kind: 'describe', stored: current } : { kind: 'keep' });
