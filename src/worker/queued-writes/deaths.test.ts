import { expect, test } from 'vitest';
import { houseOf } from '../house.fixture.ts';
import { FakeSystem, json, until } from '../platform/system.fixture.ts';
import { IDBFactory } from '../storage/indexeddb.fixture.ts';
import { submission } from '../tab.fixture.ts';
import { OutboxStage, OutboxTab, rounds } from './outbox-stage.fixture.ts';

const turns = async (n: number): Promise<void> => {
  for (let turn = 0; turn < n; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

function call(id: number, text: string, epoch?: number) {
  const ticket = { entry: `entry-${id}`, key: `key-${id}`, resource: 'photos', action: 'add', lane: 'a' };
  const body = { kind: 'text', text } as const;
  return {
    ...submission(id, { method: 'POST', template: '/photos', body }),
    ticket,
    ...(epoch !== undefined && { epoch }),
  };
}

test('a worker that dies at any turn: each write has one effect, in order, and its end is told', async () => {
  const wrong: unknown[] = [];
  for (let k = 0; k < 90; k += 1) {
    const stage = new OutboxStage();
    const tab = stage.open();
    tab.meet();
    void tab.submitAll([1, 2, 3].map((id) => call(id, `w${id}`)));
    await turns(k);
    stage.restart();
    const next = stage.open();
    next.meet();
    await turns(k % 7);
    void next.submitAll([1, 2, 3].filter((id) => !tab.queued.includes(id)).map((id) => call(id, `w${id}`)));
    await rounds(12);
    await stage.world.clock.advance(30_000);
    await rounds(3);
    const done = new Set([...tab.told, ...next.told].filter((each) => each.endsWith('done')));
    if (stage.performed.join() !== 'w1,w2,w3' || done.size !== 3) wrong.push([k, stage.performed, [...done]]);
  }
  expect(wrong).toEqual([]);
});

test('a user who goes at any turn: the write is sent as that user alone, once', async () => {
  const wrong: unknown[] = [];
  for (let k = 0; k < 60; k += 1) {
    const stage = new OutboxStage();
    const tab = stage.open();
    await tab.sign('anna');
    void tab.submitAll([call(1, 'of anna', tab.epoch)]);
    await turns(k);
    const told = [...tab.queued];
    const out = tab.sign(null);
    for (let n = 0; n < 4; n += 1) await stage.world.clock.advance(1_000);
    await out;
    const before = stage.world.requests.length;
    await tab.sign('bert');
    await rounds(2);
    await stage.world.clock.advance(60_000);
    const after = stage.world.requests.length;
    await tab.sign('anna');
    await rounds(5);
    await stage.world.clock.advance(60_000);
    const isLost = told.length > 0 && stage.performed.length !== 1;
    if (before !== after || isLost || stage.performed.length > 1)
      wrong.push([k, before, after, told, stage.performed]);
  }
  expect(wrong).toEqual([]);
});

test('the same user who comes back at once, at any turn: each write has one effect, and its end is told', async () => {
  const wrong: unknown[] = [];
  for (let k = 0; k < 60; k += 1) {
    const stage = new OutboxStage();
    const tab = stage.open();
    await tab.sign('anna');
    void tab.submitAll([1, 2].map((id) => call(id, `w${id}`, tab.epoch)));
    await turns(k);
    const told = [...tab.queued];
    void tab.sign(null);
    const back = tab.sign('anna');
    for (let n = 0; n < 5; n += 1) await stage.world.clock.advance(1_000);
    await back;
    await rounds(5);
    await stage.world.clock.advance(60_000);
    const { performed } = stage;
    if (
      performed.length < told.length ||
      new Set(performed).size !== performed.length ||
      performed.join() > 'w1,w2'
    )
      wrong.push([k, told, performed]);
  }
  expect(wrong).toEqual([]);
});

test('a page in the back/forward cache hears afterwards what has become of its call', async () => {
  const wrong: unknown[] = [];
  for (let k = 0; k < 40; k += 1) {
    const stage = new OutboxStage();
    const tab = stage.open();
    await tab.greet();
    void tab.submitAll([call(1, 'Dusk')]);
    await turns(k);
    void tab.remote.control({ kind: 'leave' });
    await turns(1);
    tab.reachable = false;
    await rounds(5);
    await stage.world.clock.advance(30_000);
    tab.reachable = true;
    await tab.greet();
    await rounds(5);
    if (tab.queued.join() !== '1' || !tab.told.includes('entry-1 done'))
      wrong.push([k, tab.queued, tab.told]);
  }
  expect(wrong).toEqual([]);
});

test('a drain at any turn: what is queued is done by the next worker, once, in order', async () => {
  const wrong: unknown[] = [];
  for (let k = 0; k < 60; k += 1) {
    const stage = new OutboxStage();
    const tab = stage.open();
    tab.meet();
    void tab.submitAll([1, 2, 3].map((id) => call(id, `w${id}`)));
    await turns(k);
    void tab.remote.control({ kind: 'drain' });
    for (let n = 0; n < 3; n += 1) await stage.world.clock.advance(300);
    stage.restart();
    const next = stage.open();
    next.meet();
    void next.submitAll([1, 2, 3].filter((id) => !tab.queued.includes(id)).map((id) => call(id, `w${id}`)));
    await rounds(12);
    await stage.world.clock.advance(30_000);
    await rounds(3);
    const done = new Set([...tab.told, ...next.told].filter((each) => each.endsWith('done')));
    if (stage.performed.join() !== 'w1,w2,w3' || done.size !== 3) wrong.push([k, stage.performed, [...done]]);
  }
  expect(wrong).toEqual([]);
});

test('an outbox that is deleted under it goes on', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = () => json({}, {}, 503);
  await tab.queue(1, 'Dusk');
  await stage.failed(tab, 1);
  for (const { name } of (await stage.indexedDB?.databases()) ?? [])
    await new Promise((resolve) => {
      stage.indexedDB?.deleteDatabase(String(name)).addEventListener('success', resolve);
    });
  await stage.world.clock.advance(60_000);
  stage.answer = () => null;
  await tab.queue(2, 'Dawn');
  await tab.heard('entry-2 done');
  await until(() => tab.waiting === 0);
  expect(stage.performed).toContain('Dawn');
});

test('a refusal is told, whenever the worker dies', async () => {
  const wrong: unknown[] = [];
  for (let k = 20; k < 70; k += 1) {
    const stage = new OutboxStage();
    const [tab, other] = [stage.open(), stage.open()];
    stage.answer = () => json({}, {}, 422);
    void other.greet();
    tab.meet();
    void tab.submitAll([call(1, 'bad')]);
    await turns(k);
    stage.restart();
    const told = [...other.told];
    // The tab that has queued it is closed. The other one greets the next worker.
    const next = stage.open();
    await next.greet();
    await rounds(8);
    await stage.world.clock.advance(30_000);
    const [entry] = await next.list();
    if (entry?.state === 'review' && ![...told, ...next.told].includes('entry-1 review')) wrong.push(k);
  }
  expect(wrong).toEqual([]);
});

test('encrypted: a write that waits outlives its worker, is edited, and is done', async () => {
  const indexedDB = new IDBFactory();
  const server = new OutboxStage(null);
  const life = () => {
    const world = Object.assign(new FakeSystem(), { indexedDB, uuid: () => crypto.randomUUID() });
    world.grant();
    world.serve = async (seen) => (await server.answer(seen)) ?? server.perform(seen);
    const house = houseOf(world, { encrypts: true });
    return { world, tab: new OutboxTab((...message) => house.receive(...message), 'client 1') };
  };
  const one = life();
  server.answer = () => json({}, {}, 422);
  await one.tab.queue(1, 'bad');
  await one.tab.heard('entry-1 review');
  one.world.serve = () => new Promise(() => {});
  const next = life();
  server.answer = () => null;
  await next.tab.greet();
  await rounds();
  expect((await next.tab.list()).map(({ state }) => state)).toEqual(['review']);
  const body = { kind: 'text', text: 'good' } as const;
  const decision = { kind: 'edit', key: 'key-9', params: null, body, contentType: null } as const;
  await next.tab.remote.control({ kind: 'decide', entry: 'entry-1', decision });
  await next.tab.heard('entry-1 done');
  expect(server.performed).toEqual(['good']);
});
