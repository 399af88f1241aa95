import { isSameRevision } from '../../shared/outcome.ts';
import { CAPACITY, fits, refuseOversized } from './capacity.ts';
import type { Usage } from './capacity.ts';
import type { Database, StoreName, Transaction } from './database.ts';
import { BYTES, evict, usageIn, withRoom } from './eviction.ts';
import { intactBody, intactRecord, sizeOf } from './response-record.ts';
import type { Decide, RecordChange, ResponseRecord } from './response-record.ts';

/** Its name in `meta`. */
const SALT = 'salt';

/** Both hold something of every answer, and what they take is counted. */
const ANSWERS: readonly StoreName[] = ['responses', 'bodies', 'meta'];

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
    const found = await this.#database.transact(['responses'], 'readonly', (transaction) =>
      transaction.objectStore('responses').get(key),
    );
    const record = intactRecord(found);
    if (found !== undefined && record === null) await this.remove(key);
    return record;
  }

  async body(record: ResponseRecord): Promise<ArrayBuffer | null> {
    const [found, body] = await this.#database.transact(['responses', 'bodies'], 'readonly', (transaction) =>
      Promise.all([
        transaction.objectStore('responses').get(record.key),
        transaction.objectStore('bodies').get(record.key),
      ]),
    );
    const current = intactRecord(found);
    if (current === null || !isSameRevision(current.revision, record.revision)) return null;
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
    return withRoom(
      this.#database,
      () => needed,
      () => this.#carryOut(key, noting),
    );
  }

  async remove(key: string): Promise<void> {
    await this.#database.transact(ANSWERS, 'readwrite', async (transaction) => {
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
    await this.#database.transact(ANSWERS, 'readwrite', (transaction) =>
      Promise.all([
        transaction.objectStore('responses').clear(),
        transaction.objectStore('bodies').clear(),
        transaction.objectStore('meta').put(0, BYTES),
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
    return this.#database.transact(['responses', 'meta'], 'readonly', (transaction) => usageIn(transaction));
  }

  #carryOut(key: string, decide: Decide): Promise<RecordChange> {
    return this.#database.transact(ANSWERS, 'readwrite', async (transaction) => {
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
}
