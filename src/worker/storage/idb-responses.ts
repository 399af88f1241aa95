import { CAPACITY, fits, refuseOversized } from './capacity.ts';
import type { Usage } from './capacity.ts';
import type { Database, Transaction } from './database.ts';
import { intactBody, intactRecord, isSameRevision, sizeOf } from './response-record.ts';
import type { Decide, RecordChange, ResponseRecord } from './response-record.ts';

/** Names in `meta`. */
const BYTES = 'response-bytes';
const SALT = 'salt';

/** The stored answers of one partition, in its database. All calls reject when the database fails. */
export class IdbResponses {
  readonly #database: Database;
  readonly #capacity: number;

  /** `capacity` in bytes. */
  constructor(database: Database, capacity: number = CAPACITY) {
    this.#database = database;
    this.#capacity = capacity;
  }

  async find(key: string): Promise<ResponseRecord | null> {
    const found = await this.#database.transact('readonly', (transaction) =>
      transaction.objectStore('responses').get(key),
    );
    const record = intactRecord(found);
    if (found !== undefined && record === null) await this.remove(key);
    return record;
  }

  async body(record: ResponseRecord): Promise<ArrayBuffer | null> {
    const [found, body] = await this.#database.transact('readonly', (transaction) =>
      Promise.all([
        transaction.objectStore('responses').get(record.key),
        transaction.objectStore('bodies').get(record.key),
      ]),
    );
    const current = intactRecord(found);
    if (current === null || !isSameRevision(current, record)) return null;
    const whole = intactBody(current, body);
    if (whole === null) await this.remove(record.key);
    return whole;
  }

  async update(key: string, decide: Decide): Promise<RecordChange> {
    let needed = 0;
    const noting: Decide = (current) => {
      const change = decide(current);
      if (change.kind === 'replace') needed = change.stored.size;
      return change;
    };
    try {
      return await this.#carryOut(key, noting);
    } catch (error) {
      if (!isQuotaExceeded(error)) throw error;
      await this.#makeRoom(needed);
      return await this.#carryOut(key, decide);
    }
  }

  async remove(key: string): Promise<void> {
    await this.#database.transact('readwrite', async (transaction) => {
      const responses = transaction.objectStore('responses');
      const size = sizeOf(await responses.get(key));
      const { bytes } = await usageIn(transaction);
      await Promise.all([
        responses.delete(key),
        transaction.objectStore('bodies').delete(key),
        transaction.objectStore('meta').put(bytes - size, BYTES),
      ]);
    });
  }

  async clear(): Promise<void> {
    await this.#database.transact('readwrite', (transaction) =>
      Promise.all([
        transaction.objectStore('responses').clear(),
        transaction.objectStore('bodies').clear(),
        transaction.objectStore('meta').put(0, BYTES),
      ]),
    );
  }

  async salt(candidate: string): Promise<string> {
    const known = await this.#database.transact('readonly', (transaction) =>
      transaction.objectStore('meta').get(SALT),
    );
    if (typeof known === 'string') return known;
    return await this.#database.transact('readwrite', async (transaction) => {
      const meta = transaction.objectStore('meta');
      const meanwhile = await meta.get(SALT);
      if (typeof meanwhile === 'string') return meanwhile;
      await meta.put(candidate, SALT);
      return candidate;
    });
  }

  usage(): Promise<Usage> {
    return this.#database.transact('readonly', (transaction) => usageIn(transaction));
  }

  #carryOut(key: string, decide: Decide): Promise<RecordChange> {
    return this.#database.transact('readwrite', async (transaction) => {
      const responses = transaction.objectStore('responses');
      const found: unknown = await responses.get(key);
      const change = decide(intactRecord(found));
      if (change.kind === 'describe') await responses.put(change.stored);
      if (change.kind === 'replace') await this.#replace(transaction, change, sizeOf(found));
      return change;
    });
  }

  async #replace(
    transaction: Transaction<'readwrite'>,
    { stored, body }: Extract<RecordChange, { kind: 'replace' }>,
    sizeBefore: number,
  ): Promise<void> {
    refuseOversized(stored.size, this.#capacity);
    const { bytes } = await usageIn(transaction);
    await Promise.all([
      transaction.objectStore('bodies').put(body, stored.key),
      transaction.objectStore('responses').put(stored),
      transaction.objectStore('meta').put(bytes - sizeBefore + stored.size, BYTES),
    ]);
    await evict(transaction, (usage) => fits(usage, this.#capacity), stored.key);
  }

  /** The browser's quota is unknown: half of what there is goes, and at least as much as is needed. */
  async #makeRoom(needed: number): Promise<void> {
    await this.#database.transact('readwrite', async (transaction) => {
      const { bytes } = await usageIn(transaction);
      const goal = Math.max(0, Math.min(bytes / 2, bytes - needed));
      await evict(transaction, (usage) => usage.bytes <= goal, null);
    });
  }
}

/** Removes the least recently received answers until it is enough; the one of key `spared` stays. */
async function evict(
  transaction: Transaction<'readwrite'>,
  isEnough: (usage: Usage) => boolean,
  spared: string | null,
): Promise<void> {
  let usage = await usageIn(transaction);
  if (isEnough(usage)) return;
  let cursor = await transaction.objectStore('responses').index('receivedAt').openCursor();
  while (cursor && !isEnough(usage)) {
    if (cursor.primaryKey !== spared) {
      usage = { entries: usage.entries - 1, bytes: usage.bytes - sizeOf(cursor.value) };
      await Promise.all([cursor.delete(), transaction.objectStore('bodies').delete(cursor.primaryKey)]);
    }
    cursor = await cursor.continue();
  }
  await transaction.objectStore('meta').put(usage.bytes, BYTES);
}

/** The bytes are counted as they come and go, since adding them up would read every record. */
async function usageIn(transaction: Transaction<'readonly'> | Transaction<'readwrite'>): Promise<Usage> {
  const [entries, bytes] = await Promise.all([
    transaction.objectStore('responses').count(),
    transaction.objectStore('meta').get(BYTES),
  ]);
  return { entries, bytes: typeof bytes === 'number' ? bytes : 0 };
}

function isQuotaExceeded(error: unknown): boolean {
  return error instanceof Error && error.name === 'QuotaExceededError';
}
