import { expect, test } from 'vitest';
import { unreachable } from '../platform/system.fixture.ts';
import { IDBFactory } from '../storage/indexeddb.fixture.ts';
import { goOn, OutboxStage } from './outbox-stage.fixture.ts';
import { Spare, waitingFor } from './spare.fixture.ts';

/** A bucket that has no room for one copy. */
class Refusing extends IDBFactory {
  refuses = '';

  override open(name: string, version?: number): IDBOpenDBRequest {
    const request = super.open(name, version);
    request.addEventListener('success', () => this.#watch(request.result));
    return request;
  }

  #watch(database: IDBDatabase): void {
    const begin = database.transaction.bind(database);
    database.transaction = (names, mode, options): IDBTransaction => {
      const transaction = begin(names, mode, options);
      const storeOf = transaction.objectStore.bind(transaction);
      transaction.objectStore = (name) => {
        const store = storeOf(name);
        if (name !== 'copies' || mode !== 'readwrite') return store;
        const put = store.put.bind(store);
        store.put = (value: { readonly entry?: string }): IDBRequest<IDBValidKey> => {
          if (value.entry === this.refuses) throw new DOMException('no room', 'QuotaExceededError');
          return put(value);
        };
        return store;
      };
      return transaction;
    };
  }
}

test('what came back from a former copy and is done does not come back again where another copy had no room', async () => {
  const factory = new Refusing();
  const spare = new Spare(factory);
  const stage = new OutboxStage(new IDBFactory(), spare);
  await waitingFor(stage, ['Dusk', 'Dawn'], 'ada');
  await goOn(stage, 2);
  stage.loseDatabases();
  // The other place is late, so that the user gets another salt.
  spare.isBroken = true;
  stage.answer = unreachable;
  const tab = stage.open();
  await tab.sign('ada');
  await goOn(stage, 5);
  spare.isBroken = false;
  factory.refuses = 'entry-2';
  stage.answer = () => null;
  await goOn(stage, 180);
  expect(stage.performed).toEqual(['Dusk']);
  await Promise.all([tab.sign(null), goOn(stage, 60)]);
  const before = stage.world.requests.length;
  await Promise.all([tab.sign('ada'), goOn(stage, 180)]);
  expect(stage.world.requests.slice(before).map(({ init }) => init.body)).toEqual([]);
});
