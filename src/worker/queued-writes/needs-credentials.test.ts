import { expect, test } from 'vitest';
import type { Header } from '../../shared/header.ts';
import { houseOf } from '../house.fixture.ts';
import { FakeSystem, json, unreachable } from '../platform/system.fixture.ts';
import { IDBFactory } from '../storage/indexeddb.fixture.ts';
import { goOn, OutboxStage, OutboxTab, rounds } from './outbox-stage.fixture.ts';

const ORIGIN = 'https://page.example';

/** The tab has a provider, which its app gives it after signing in. */
async function provide(
  tab: OutboxTab,
  headers: Header[] = [['Authorization', 'Bearer anna']],
): Promise<void> {
  tab.listener = (delivery) => {
    if (delivery.kind !== 'credentials-wanted') return;
    const reply = { kind: 'given', headers, expiresAt: null } as const;
    void tab.remote.control({ kind: 'credentials', question: delivery.question, reply });
  };
  await tab.remote.control({ kind: 'provides', origins: [ORIGIN] });
}

/** Anna's tab, with a write that was tried once, and a server that takes writes of anybody from now on. */
async function tried(stage: OutboxStage, isProvided = true): Promise<OutboxTab> {
  const tab = stage.open();
  await tab.sign('anna');
  if (isProvided) await provide(tab);
  stage.answer = unreachable;
  await tab.queue(1, 'Dusk');
  await stage.failed(tab, 1);
  stage.answer = () => null;
  return tab;
}

function sentIn({ world }: Pick<OutboxStage, 'world'>): (string | null)[] {
  return world.requests.map(({ headers }) => headers.get('Authorization'));
}

test('a write that was queued where credentials are provided waits for them in the next life', async () => {
  const stage = new OutboxStage();
  await tried(stage);
  stage.restart();
  const next = stage.open();
  await next.sign('anna');
  await rounds();
  await goOn(stage, 5);
  const [entry] = await next.list();
  expect([sentIn(stage), entry?.state, entry?.failure?.code]).toEqual([[], 'paused', 'credentials']);
  await provide(next);
  await goOn(stage, 10);
  expect([sentIn(stage), stage.performed]).toEqual([['Bearer anna'], ['Dusk']]);
});

test('a worker that is woken without a page does not send it, and need not be woken for it again', async () => {
  const indexedDB = new IDBFactory();
  const first = Object.assign(new FakeSystem(), { indexedDB });
  first.grant();
  first.serve = unreachable;
  const before = houseOf(first, {});
  const tab = new OutboxTab((...message) => before.receive(...message), 'client 1');
  await tab.sign('anna');
  await provide(tab);
  await tab.queue(1, 'Dusk');
  await rounds();
  const world = Object.assign(new FakeSystem(), { indexedDB, clock: first.clock });
  Object.assign(world, { uuid: () => `second ${Math.random()}` });
  world.grant();
  world.serve = () => json({ done: true }, {}, 201);
  const waking = houseOf(world, {}).wake();
  await goOn({ world }, 30);
  expect([sentIn({ world }), await waking]).toEqual([[], true]);
});

test('it waits once the tab that provides them is closed, and another tab does not', async () => {
  const stage = new OutboxStage();
  const tab = await tried(stage);
  const other = stage.open();
  await other.sign('anna');
  void tab.remote.control({ kind: 'leave' });
  await rounds(5);
  await goOn(stage, 30);
  expect(stage.performed).toEqual([]);
  await provide(other);
  await goOn(stage, 30);
  expect([stage.performed, sentIn(stage).includes(null)]).toEqual([['Dusk'], false]);
});

test('so does one that was queued before there was a provider, and was sent with what that gave', async () => {
  const stage = new OutboxStage();
  const tab = await tried(stage, false);
  stage.answer = unreachable;
  await provide(tab);
  await goOn(stage, 30);
  expect(sentIn(stage).at(-1)).toBe('Bearer anna');
  stage.restart();
  stage.answer = () => null;
  const next = stage.open();
  await next.sign('anna');
  await goOn(stage, 30);
  expect(sentIn(stage)).toEqual([]);
});

test('so does one that was queued where there was one, and was never sent', async () => {
  const stage = new OutboxStage();
  const tab = await tried(stage);
  // It is behind the first one of its lane.
  await tab.queue(2, 'Dawn');
  void tab.remote.control({ kind: 'leave' });
  await rounds(5);
  stage.restart();
  const next = stage.open();
  await next.sign('anna');
  const decision = { kind: 'discard' } as const;
  const epoch = next.epoch === undefined ? {} : { epoch: next.epoch };
  await next.remote.control({ kind: 'decide', entry: 'entry-1', decision, ...epoch });
  await goOn(stage, 30);
  expect([sentIn(stage), (await next.list()).map(({ entry }) => entry)]).toEqual([[], ['entry-2']]);
});

test('one for which nobody has ever provided any is sent without', async () => {
  const stage = new OutboxStage();
  await tried(stage, false);
  stage.restart();
  const next = stage.open();
  await next.sign('anna');
  await goOn(stage, 30);
  expect([sentIn(stage), stage.performed]).toEqual([[null], ['Dusk']]);
});

test('one that is to have none waits for nobody', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  await tab.sign('anna');
  await provide(tab);
  stage.answer = unreachable;
  await tab.queue(1, 'Dusk', { policy: { credentials: 'omit' } });
  await stage.failed(tab, 1);
  stage.restart();
  stage.answer = () => null;
  const next = stage.open();
  await next.sign('anna');
  await goOn(stage, 30);
  expect([sentIn(stage), stage.performed]).toEqual([[null], ['Dusk']]);
});

test('one whose provider gives no header waits for another, and what is queued from then on needs none', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  await tab.sign('anna');
  await provide(tab, []);
  await tab.queue(1, 'Dusk');
  await tab.heard('entry-1 paused');
  await tab.queue(2, 'Dawn', {}, { lane: 'b' });
  await tab.heard('entry-2 done');
  await goOn(stage, 60);
  expect([sentIn(stage), stage.performed]).toEqual([[null], ['Dawn']]);
  await tab.remote.control({ kind: 'provides', origins: [] });
  await provide(tab);
  await tab.heard('entry-1 done');
  expect(sentIn(stage)).toEqual([null, 'Bearer anna']);
});

test('one whose provider gives no header after a 401 is not sent once more without', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  await tab.sign('anna');
  await provide(tab);
  stage.answer = () => {
    void provide(tab, []);
    return json({}, {}, 401);
  };
  await tab.queue(1, 'Dusk');
  await tab.heard('entry-1 paused');
  await goOn(stage, 60);
  expect(sentIn(stage)).toEqual(['Bearer anna']);
});
