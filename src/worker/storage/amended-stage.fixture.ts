import { FakeSystem } from '../platform/system.fixture.ts';
import { Database } from './database.ts';
import type { StoreName } from './database.ts';
import { IdbResponses } from './idb-responses.ts';
import { amended, whole } from './states.fixture.ts';

/** A partition's database, its answers, and the next instances of the worker. */
export class AmendedStage {
  readonly system: FakeSystem = new FakeSystem();
  readonly database: Database;
  readonly answers: IdbResponses;
  readonly #capacity: number | undefined;

  constructor(database?: Database, capacity?: number) {
    this.database = database ?? new Database(this.system, 'default', () => {});
    this.#capacity = capacity;
    this.answers = new IdbResponses(this.system, this.database, capacity);
  }

  nextLife(): IdbResponses {
    return new IdbResponses(this.system, new Database(this.system, 'default', () => {}), this.#capacity);
  }

  /** Stores the first state whole and those up to `n` as byte deltas, so many milliseconds apart. */
  async reach(n: number, apart = 0, key = 'a'): Promise<this> {
    await this.answers.update(key, whole(key, 1));
    await this.goOn(2, n, apart, key);
    return this;
  }

  async goOn(from: number, to: number, apart = 0, key = 'a'): Promise<void> {
    for (let n = from; n <= to; n += 1) {
      await this.answers.update(key, amended(key, n));
      await this.system.clock.advance(apart);
    }
  }

  keysIn(store: StoreName): Promise<IDBValidKey[]> {
    return this.database.transact([store], 'readonly', (transaction) =>
      transaction.objectStore(store).getAllKeys(),
    );
  }

  /** Numbers of the stored byte deltas. */
  async patches(key = 'a'): Promise<unknown[]> {
    const keys = await this.keysIn('patches');
    return keys.flatMap((each) => (Array.isArray(each) && each[0] === key ? [each[1]] : []));
  }

  bytes(): Promise<number> {
    return this.answers.usage().then(({ bytes }) => bytes);
  }

  put(store: StoreName, value: unknown, key?: string): Promise<unknown> {
    return this.database.transact([store], 'readwrite', (transaction) =>
      transaction.objectStore(store).put(value, key),
    );
  }

  delete(store: StoreName, key: IDBValidKey): Promise<unknown> {
    return this.database.transact([store], 'readwrite', (transaction) =>
      transaction.objectStore(store).delete(key),
    );
  }
}

/** `n` from `from` to `to`. */
export function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
