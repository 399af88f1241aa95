import { isSameRevision } from '../../shared/outcome.ts';
import type { Revision } from '../../shared/outcome.ts';
import type { System } from '../system.ts';
import { AnswerWriter } from './answer-writer.ts';
import { CAPACITY } from './capacity.ts';
import type { Usage } from './capacity.ts';
import type { Database, Transaction } from './database.ts';
import { ANSWERS, BYTES, erase, usageIn, withRoom } from './eviction.ts';
import { sizeOf } from './response-record.ts';
import type { Decide, RecordChange, ResponseRecord } from './response-record.ts';
import { readBytes, wholeBody } from './stored-body.ts';
import { intactAnswer } from './stored-answer.ts';

/** Its name in `meta`. */
const SALT = 'salt';

/** The stored answers of one partition, in its database. All calls reject when the database fails. */
export class IdbResponses {
  readonly #system: Pick<System, 'digest' | 'pause'>;
  readonly #database: Database;
  readonly #writer: AnswerWriter;

  /** `capacity` in bytes. */
  constructor(
    system: Pick<System, 'clock' | 'digest' | 'pause'>,
    database: Database,
    capacity: number = CAPACITY,
  ) {
    this.#system = system;
    this.#database = database;
    this.#writer = new AnswerWriter(system.clock, capacity);
  }

  async find(key: string): Promise<ResponseRecord | null> {
    const found: unknown = await this.#database.transact(['responses'], 'readonly', (transaction) =>
      transaction.objectStore('responses').get(key),
    );
    const answer = intactAnswer(found);
    if (found !== undefined && answer === null) await this.remove(key);
    return answer?.record ?? null;
  }

  async keys(): Promise<string[]> {
    const keys = await this.#database.transact(['responses'], 'readonly', (transaction) =>
      transaction.objectStore('responses').getAllKeys(),
    );
    return keys.map(String);
  }

  async body({ key, revision }: ResponseRecord): Promise<ArrayBuffer | null> {
    const { found, bytes } = await this.#database.transact(
      ['responses', 'bodies', 'patches'],
      'readonly',
      (transaction) => readBytes(transaction, key),
    );
    const answer = intactAnswer(found);
    if (answer === null || !isSameRevision(answer.record.revision, revision)) return null;
    const whole = await wholeBody(answer, bytes, this.#system);
    if (whole === null) await this.#removeDamaged(key, revision);
    return whole;
  }

  async update(key: string, decide: Decide): Promise<RecordChange> {
    let needed = 0;
    return withRoom(
      this.#database,
      () => needed,
      () => this.#carryOut(key, decide, (bytes) => (needed = bytes)),
    );
  }

  async remove(key: string): Promise<void> {
    await this.#database.transact(ANSWERS, 'readwrite', (transaction) => remove(transaction, key));
  }

  async clear(): Promise<void> {
    await this.#database.transact(ANSWERS, 'readwrite', (transaction) =>
      Promise.all([
        transaction.objectStore('responses').clear(),
        transaction.objectStore('bodies').clear(),
        transaction.objectStore('patches').clear(),
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

  #carryOut(key: string, decide: Decide, needs: (bytes: number) => void): Promise<RecordChange> {
    return this.#database.transact(ANSWERS, 'readwrite', async (transaction) => {
      const found: unknown = await transaction.objectStore('responses').get(key);
      const answer = intactAnswer(found);
      const change = decide(answer?.record ?? null);
      await this.#writer.write({ transaction, before: sizeOf(found), needs }, answer, change);
      return change;
    });
  }

  /** Unless another answer has taken its place meanwhile. */
  async #removeDamaged(key: string, revision: Revision): Promise<void> {
    await this.#database.transact(ANSWERS, 'readwrite', async (transaction) => {
      const current = intactAnswer(await transaction.objectStore('responses').get(key));
      if (current && isSameRevision(current.record.revision, revision)) await remove(transaction, key);
    });
  }
}

async function remove(transaction: Transaction<'readwrite'>, key: string): Promise<void> {
  const size = sizeOf(await transaction.objectStore('responses').get(key));
  const { bytes } = await usageIn(transaction);
  await Promise.all([erase(transaction, key), transaction.objectStore('meta').put(bytes - size, BYTES)]);
}
