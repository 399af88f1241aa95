import type { RootLookup, RootRecord, RootStore } from '../contracts/root-store.ts';
import type { TellStorage } from '../contracts/storage-news.ts';
import type { System } from '../platform/system.ts';
import { Database } from './database.ts';
import type { Step } from './migrations.ts';

/** The stores of the root database: `meta` alone. A released step never changes. */
export const ROOT_STEPS: readonly Step[] = [({ db }): void => void db.createObjectStore('meta')];

/** Its name in `meta`. */
const IDENTITY = 'identity';

/** Who is signed in, in the root database of a scope. */
export class StoredRoot implements RootStore {
  readonly #database: Database;
  /** Why there is no database. */
  #reason = '';

  constructor(system: Pick<System, 'clock' | 'indexedDB'>, scope: string) {
    const tell: TellStorage = (news) => {
      if (news.kind === 'memory') this.#reason = news.reason;
    };
    this.#database = new Database(system, scope, tell, { steps: ROOT_STEPS });
  }

  async read(blank: RootRecord): Promise<RootLookup> {
    try {
      if ((await this.#database.connect()) === null) return { kind: 'memory', reason: this.#reason };
      const stored = await this.#database.transact(['meta'], 'readonly', (transaction) =>
        transaction.objectStore('meta').get(IDENTITY),
      );
      const value = intact(stored) ?? (await this.update((meanwhile) => meanwhile ?? blank));
      return { kind: 'found', value };
    } catch (error) {
      return { kind: 'unknown', error };
    }
  }

  update(change: (stored: RootRecord | null) => RootRecord): Promise<RootRecord> {
    return this.#database.transact(['meta'], 'readwrite', async (transaction) => {
      const meta = transaction.objectStore('meta');
      const record = change(intact(await meta.get(IDENTITY)));
      await meta.put(record, IDENTITY);
      return record;
    });
  }
}

/** Null for what is missing or damaged. */
function intact(stored: unknown): RootRecord | null {
  const { partition, digest, epoch, salt, doomed } = Object(stored);
  const isIntact =
    [partition, salt].every((each) => typeof each === 'string' && each !== '') &&
    (digest === null || typeof digest === 'string') &&
    Number.isSafeInteger(epoch) &&
    Array.isArray(doomed) &&
    doomed.every((each) => typeof each === 'string');
  return isIntact ? { partition, digest, epoch, salt, doomed } : null;
}
