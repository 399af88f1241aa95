import { expect, test } from 'vitest';
import { json } from '../platform/system.fixture.ts';
import { stateOf } from '../platform/virtual-clock.fixture.ts';
import { HangingFactory } from '../storage/hanging-database.fixture.ts';
import { forceCloseDatabase, IDBFactory } from '../storage/indexeddb.fixture.ts';
import { deleteAll, goOn, OutboxStage, rounds } from './outbox-stage.fixture.ts';
import { openedWithoutCopies, Spare, waitingFor } from './spare.fixture.ts';
import { FaultyDisk } from './faulty-disk.fixture.ts';
import type { Begin } from './faulty-disk.fixture.ts';
import { TroubledDisk } from './troubled-disk.fixture.ts';

/** Databases in which some requests of a store fail. */
class FailingFactory extends FaultyDisk {
  fails: (store: string, method: 'get' | 'put', given: unknown) => boolean = () => false;

  protected override isMeant(): boolean {
    return true;
  }

  protected override begin(
    begin: Begin,
    ...[names, mode = 'readonly', options]: Parameters<Begin>
  ): IDBTransaction {
    const transaction = begin(names, mode, options);
    const storeOf = transaction.objectStore.bind(transaction);
    transaction.objectStore = (name) => {
      const store = storeOf(name);
      const [get, put] = [store.get.bind(store), store.put.bind(store)];
      store.get = (key) => {
        const request = get(key);
        if (this.fails(name, 'get', key)) request.addEventListener('success', () => transaction.abort());
        return request;
      };
      store.put = (...args) => {
        const request = put(...args);
        if (this.fails(name, 'put', args[0])) request.addEventListener('success', () => transaction.abort());
        return request;
      };
      return store;
    };
    return transaction;
  }
}

test('a user who signed in while the salt was not known finds what waits after a sign-out', async () => {
  const spare = new Spare();
  const stage = new OutboxStage(new IDBFactory(), spare);
  await waitingFor(stage, ['Dusk'], 'ada');
  stage.loseDatabases();
  spare.isBroken = true;
  const tab = stage.open();
  await tab.sign('ada');
  await tab.queue(2, 'Dawn');
  await goOn(stage, 40);
  await tab.sign(null);
  spare.isBroken = false;
  await goOn(stage, 40);
  stage.answer = () => null;
  await tab.sign('ada');
  await goOn(stage, 60);
  expect(stage.performed).toContain('Dawn');
});

test('one body that can be read no more keeps nothing else from coming back', async () => {
  const factory = new FailingFactory();
  const stage = new OutboxStage(new IDBFactory(), new Spare(factory));
  await waitingFor(stage, ['Dusk', 'Dawn']);
  stage.loseDatabases();
  factory.fails = (store, method, key) => store === 'copiedBodies' && method === 'get' && key === 'entry-1';
  stage.answer = () => null;
  const tab = stage.open();
  tab.meet();
  await goOn(stage, 600);
  expect(stage.performed).toContain('Dawn');
});

test('one write for which the other place has no room keeps no other out of it', async () => {
  const databases = new IDBFactory();
  const before = new OutboxStage(databases);
  await waitingFor(before, ['large', 'Dusk', 'Dawn']);
  await goOn(before, 1);
  const factory = new FailingFactory();
  factory.fails = (store, method, value) =>
    store === 'copiedBodies' && method === 'put' && JSON.stringify(value).includes('large');
  const spare = new Spare(factory);
  const stage = new OutboxStage(databases, spare);
  stage.answer = () => json({}, { 'Retry-After': '3600' }, 503);
  const tab = stage.open();
  tab.meet();
  await goOn(stage, 600);
  await tab.queue(4, 'Noon');
  await goOn(stage, 600);
  const text = await spare.text();
  expect(['Dusk', 'Dawn', 'Noon'].filter((each) => !text.includes(each))).toEqual([]);
});

test('what is queued after the copy has failed for long does not overtake what it has by now', async () => {
  const disk = new TroubledDisk();
  const stage = new OutboxStage(new IDBFactory(), new Spare(disk));
  const tab = await waitingFor(stage, ['Dusk', 'Dawn']);
  await goOn(stage, 1);
  disk.isBroken = true;
  await tab.queue(3, 'Morn', {}, { lane: 'b' });
  await goOn(stage, 40);
  disk.isBroken = false;
  await deleteAll(stage.indexedDB);
  stage.answer = () => null;
  await tab.queue(4, 'Noon');
  await goOn(stage, 1_000);
  expect(stage.performed).toEqual(['Dusk', 'Dawn', 'Noon']);
});

test('what is queued while much is taken back does not overtake it', async () => {
  const factory = new HangingFactory();
  const stage = new OutboxStage(new IDBFactory(), new Spare(factory));
  stage.answer = () => json({}, { 'Retry-After': '2' }, 503);
  const tab = stage.open();
  for (let id = 1; id <= 12; id += 1)
    await tab.queue(id, '', {
      body: { kind: 'bytes', bytes: new ArrayBuffer(200_000) },
      template: `/photos/${id}`,
    });
  stage.loseDatabases();
  // Each part takes a second and a half.
  const { clock } = stage.world;
  const spareOpen = factory.open.bind(factory);
  factory.open = (...given) => {
    const request = spareOpen(...given);
    request.addEventListener('success', () => {
      const begin = request.result.transaction.bind(request.result);
      request.result.transaction = (names, mode, options) => {
        const transaction = begin(names, mode, options);
        const all = typeof names === 'string' ? [names] : [...names];
        if (mode !== 'readonly' || !all.includes('copiedBodies')) return transaction;
        const until = clock.now() + 1_500;
        const store = transaction.objectStore('copiedBodies');
        const hold = (): void => {
          if (clock.now() >= until) return;
          store.count().addEventListener('success', hold);
        };
        hold();
        return transaction;
      };
    });
    return request;
  };
  stage.answer = () => null;
  const next = stage.open();
  void next.queue(13, 'Noon');
  for (let look = 0; look < 300; look += 1) {
    await rounds(2);
    await clock.advance(100);
  }
  await goOn(stage, 300);
  expect([stage.performed.length, stage.performed.indexOf('Noon')]).toEqual([13, 12]);
});

test('a user of whom nothing ever waited can sign out and discard where the other place never answers', async () => {
  const spare = new Spare();
  spare.isBroken = true;
  const stage = new OutboxStage(new IDBFactory(), spare);
  const tab = stage.open();
  await tab.sign('ada');
  const said = tab.discard().then(
    () => 'discarded',
    () => 'refused',
  );
  await goOn(stage, 60);
  expect(await said).toBe('discarded');
});

test('a slow copy is not compared after each write', async () => {
  const factory = new HangingFactory();
  const stage = new OutboxStage(new IDBFactory(), new Spare(factory));
  stage.answer = () => json({}, { 'Retry-After': '3600' }, 503);
  const tab = stage.open();
  await tab.queue(1, 'w1');
  await goOn(stage, 5);
  let reads = 0;
  factory.refuses = (stores, mode) => {
    if (mode === 'readonly' && stores.includes('copies')) reads += 1;
    return false;
  };
  const { clock } = stage.world;
  const found = await factory.databases();
  expect(found.length).toBeGreaterThan(0);
  // Each of its transactions takes 150 ms.
  factory.hangs = () => {
    clock.set(150);
    return false;
  };
  for (let id = 2; id <= 21; id += 1) await tab.queue(id, `w${id}`);
  await goOn(stage, 5);
  expect(reads).toBeLessThan(5);
});

/** Databases of which the browser closes the connections to outboxes. */
class ClosingFactory extends IDBFactory {
  #open: IDBDatabase[] = [];

  override open(...given: Parameters<IDBFactory['open']>): IDBOpenDBRequest {
    const request = super.open(...given);
    if (given[0].includes('outbox'))
      request.addEventListener('success', () => this.#open.push(request.result));
    return request;
  }

  closeAll(): void {
    for (const each of this.#open.splice(0)) Reflect.apply(forceCloseDatabase, null, [each]);
  }
}

test('an outbox that is whole is read at once where its connection is lost and the copy does not answer', async () => {
  const disk = new TroubledDisk();
  const databases = new ClosingFactory();
  const stage = new OutboxStage(databases, new Spare(disk));
  stage.answer = () => json({}, { 'Retry-After': '3600' }, 503);
  const tab = stage.open();
  await tab.queue(1, 'Dusk');
  await goOn(stage, 3);
  disk.isBroken = true;
  await tab.queue(2, 'Dawn', {}, { lane: 'b' });
  await goOn(stage, 40);
  databases.closeAll();
  const before = stage.world.clock.now();
  const listed = tab.list();
  for (let look = 0; look < 40; look += 1) {
    if ((await stateOf(listed)) === 'fulfilled') break;
    await stage.world.clock.advance(500);
  }
  expect((await listed).map(({ entry }) => entry)).toEqual(['entry-1', 'entry-2']);
  expect(stage.world.clock.now() - before).toBeLessThan(2_500);
});

test('what comes back late is sent by the same worker', async () => {
  const { spare, stage, tab } = await openedWithoutCopies();
  stage.answer = () => null;
  tab.meet();
  await goOn(stage, 20);
  spare.isBroken = false;
  await goOn(stage, 120);
  expect(stage.performed).toEqual(['Dusk', 'Dawn']);
  await tab.queue(3, 'Noon');
  await goOn(stage, 600);
  expect(stage.performed).toEqual(['Dusk', 'Dawn', 'Noon']);
});

test('pages are told that what was lost has come back, each time that it has, and not of what was there', async () => {
  const { spare, stage, tab } = await openedWithoutCopies();
  tab.meet();
  await goOn(stage, 20);
  await tab.queue(3, 'Noon');
  await goOn(stage, 20);
  expect(tab.restored).toBe(0);
  spare.isBroken = false;
  await goOn(stage, 120);
  expect(tab.restored).toBe(1);
  expect((await tab.list()).map(({ entry }) => entry)).toHaveLength(3);
});
