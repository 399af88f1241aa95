import { expect, test } from 'vitest';
import { houseOf } from '../house.fixture.ts';
import { FakeSystem, json } from '../platform/system.fixture.ts';
import { IDBFactory } from '../storage/indexeddb.fixture.ts';
import { CREATES } from './named-writes.fixture.ts';
import { goOn, OutboxTab } from './outbox-stage.fixture.ts';

function engine(spare: IDBFactory, differing: Parameters<typeof houseOf>[1], world = new FakeSystem()) {
  Object.assign(world, { spare: { isThere: async () => true, open: async () => spare } });
  world.serve = async () => json({}, { 'Retry-After': '60' }, 503);
  world.grant();
  const house = houseOf(world, differing);
  return { world, tab: new OutboxTab((source, envelope) => house.receive(source, envelope), 'client') };
}

async function all(factory: IDBFactory): Promise<string> {
  const found: string[] = [];
  for (const { name } of await factory.databases()) {
    found.push(String(name));
    const opening = factory.open(String(name));
    const database: IDBDatabase = await new Promise(
      (resolve) => (opening.onsuccess = () => resolve(opening.result)),
    );
    for (const store of database.objectStoreNames) {
      const request = database.transaction(store).objectStore(store).getAll();
      const values: unknown[] = await new Promise(
        (resolve) => (request.onsuccess = () => resolve(request.result)),
      );
      found.push(...values.map((each) => `${store} ${JSON.stringify(each)}`));
    }
    database.close();
  }
  return found.join('\n');
}

test('shows nothing of a write but its entry, and comes back', async () => {
  const spare = new IDBFactory();
  const { world, tab } = engine(spare, { encrypts: true });
  await tab.sign('ada');
  await tab.queue(1, 'Dusk', { headers: [['X-Own', 'headertext']] }, { ...CREATES, lane: 'lanetext' });
  await goOn({ world }, 2);
  const text = await all(spare);
  for (const each of ['Dusk', 'headertext', 'lanetext', 'photos', 'ada', 'key-1'])
    expect(text).not.toContain(each);
  const later = engine(spare, { encrypts: true });
  await later.tab.sign('ada');
  await goOn(later, 2);
  expect((await later.tab.list()).map(({ entry, body }) => [entry, body])).toEqual([
    ['entry-1', { kind: 'text', text: 'Dusk' }],
  ]);
});

test('bytes come back as they were, encrypted or not', async () => {
  for (const encrypts of [true, false]) {
    const spare = new IDBFactory();
    const { world, tab } = engine(spare, { encrypts });
    const body = { kind: 'bytes', bytes: new Uint8Array([1, 2, 3]).buffer } as const;
    await tab.queue(1, '', { body });
    await goOn({ world }, 2);
    const later = engine(spare, { encrypts });
    later.tab.meet();
    await goOn(later, 70);
    expect((await later.tab.list()).map((each) => each.body)).toEqual([body]);
    expect(new Uint8Array(Object(later.world.requests[0]?.init.body))).toEqual(new Uint8Array([1, 2, 3]));
  }
});

test('two scopes share no copy', async () => {
  const spare = new IDBFactory();
  const { world, tab } = engine(spare, { scope: '/' });
  await tab.queue(1, 'Dusk');
  await goOn({ world }, 2);
  const later = engine(spare, { scope: '/app/' });
  later.tab.meet();
  await goOn(later, 5);
  expect(await later.tab.list()).toEqual([]);
  const same = engine(spare, { scope: '/' });
  same.tab.meet();
  await goOn(same, 5);
  expect(await same.tab.list()).toHaveLength(1);
});
