import { expect, test } from 'vitest';
import { FakeSystem } from '../platform/system.fixture.ts';
import { Database } from './database.ts';
import { makeKeys } from './cipher.ts';
import type { CipherKeys } from './cipher.ts';
import { IdbResponses } from './idb-responses.ts';
import { IDBFactory } from './indexeddb.fixture.ts';
import { migrate, STEPS } from './migrations.ts';
import { record, replaceBy } from './record.fixture.ts';

function encrypted(system: FakeSystem): Database {
  return new Database(system, 'default', () => {}, { isEncrypted: true });
}

test('two engines that find damaged keys at once go on with the same new ones', async () => {
  const system = new FakeSystem();
  const before = encrypted(system);
  await (await before.connect())?.connection.put('meta', 'no keys', 'keys');
  before.retire();
  const [one, other] = [encrypted(system), encrypted(system)];
  await Promise.all([one.connect(), other.connect()]);
  await new IdbResponses(system, one).update('a', replaceBy(record('a')));
  await new IdbResponses(system, other).update('b', replaceBy(record('b')));
  expect(await new IdbResponses(system, other).find('a')).toEqual(record('a'));
  expect(await new IdbResponses(system, encrypted(system)).find('b')).toEqual(record('b'));
});

/** The first upgrade of a database is aborted, and another engine makes the database with these keys before the second. */
class OvertakenFactory extends IDBFactory {
  readonly #keys: CipherKeys;
  #isFirst = true;

  constructor(keys: CipherKeys) {
    super();
    this.#keys = keys;
  }

  override open(name: string, version?: number): IDBOpenDBRequest {
    const request = super.open(name, version);
    if (this.#isFirst) {
      request.addEventListener('upgradeneeded', () => {
        request.transaction?.addEventListener('abort', () => this.#make(name, version));
        queueMicrotask(() => request.transaction?.abort());
      });
    }
    this.#isFirst = false;
    return request;
  }

  #make(name: string, version?: number): void {
    const request = super.open(name, version);
    request.addEventListener('upgradeneeded', () => {
      if (!request.transaction) return;
      migrate(request.transaction, 0, STEPS);
      request.transaction.objectStore('meta').put(this.#keys, 'keys');
    });
    request.addEventListener('success', () => request.result.close());
  }
}

test('keys that an aborted upgrade did not store are not used', async () => {
  const system = new FakeSystem();
  const indexedDB = new OvertakenFactory(await makeKeys(system.crypto ?? crypto));
  const overtaken = Object.assign(system, { indexedDB });
  await new IdbResponses(system, encrypted(overtaken)).update('a', replaceBy(record('a')));
  expect(await new IdbResponses(system, encrypted(overtaken)).find('a')).toEqual(record('a'));
});
