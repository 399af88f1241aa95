import { isSameRevision } from '../../shared/outcome.ts';
import type { Usage } from './capacity.ts';
import type { Database, StoreName } from './database.ts';
import { BYTES, usageIn } from './eviction.ts';
import { intactBody, intactRecord, sizeOf } from './response-record.ts';
import type { Decide, RecordChange, ResponseRecord } from './response-record.ts';

const ANSWERS: readonly StoreName[] = ['responses', 'bodies', 'meta'];

/** The stored answers as the releases before patches have them: that reads what lies there, and writes, as they do. */
export class ResponsesBeforePatches {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async find(key: string): Promise<ResponseRecord | null> {
    const found: unknown = await this.#database.transact(['responses'], 'readonly', (transaction) =>
      transaction.objectStore('responses').get(key),
    );
    const record = intactRecord(found);
    if (found !== undefined && record === null) await this.remove(key);
    return record;
  }

  async body(record: ResponseRecord): Promise<ArrayBuffer | null> {
    const [found, body]: unknown[] = await this.#database.transact(
      ['responses', 'bodies'],
      'readonly',
      (transaction) =>
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

  update(key: string, decide: Decide): Promise<RecordChange> {
    return this.#database.transact(ANSWERS, 'readwrite', async (transaction) => {
      const found: unknown = await transaction.objectStore('responses').get(key);
      const change = decide(intactRecord(found));
      if (change.kind === 'describe' || change.kind === 'replace')
        await transaction.objectStore('responses').put(change.stored);
      if (change.kind === 'replace') {
        const { bytes } = await usageIn(transaction);
        await transaction.objectStore('bodies').put(change.body, key);
        await transaction.objectStore('meta').put(bytes - sizeOf(found) + change.stored.size, BYTES);
      }
      return change;
    });
  }

  async remove(key: string): Promise<void> {
    await this.#database.transact(ANSWERS, 'readwrite', async (transaction) => {
      const size = sizeOf(await transaction.objectStore('responses').get(key));
      const { bytes } = await usageIn(transaction);
      await Promise.all([
        transaction.objectStore('responses').delete(key),
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

  usage(): Promise<Usage> {
    return this.#database.transact(['responses', 'meta'], 'readonly', (transaction) => usageIn(transaction));
  }
}
