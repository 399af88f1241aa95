import { expect, test } from 'vitest';
import { json } from '../platform/system.fixture.ts';
import { IDBFactory } from '../storage/indexeddb.fixture.ts';
import { askedOf, CREATES, made, USER } from './named-writes.fixture.ts';
import { EDIT, goOn, OutboxStage, rounds } from './outbox-stage.fixture.ts';
import type { OutboxTab } from './outbox-stage.fixture.ts';
import { Spare, waitingFor } from './spare.fixture.ts';

async function stateOf(tab: OutboxTab): Promise<string[]> {
  return (await tab.list()).map(({ entry, state }) => `${entry} ${state}`);
}

test('writes that wait outlive the loss of all databases, in their order and under their keys', async () => {
  const stage = new OutboxStage(new IDBFactory(), new Spare());
  await waitingFor(stage, ['Dusk', 'Dawn', 'Noon']);
  const keys: (string | null)[] = [];
  stage.loseDatabases();
  stage.answer = ({ headers }) => (keys.push(headers.get('Idempotency-Key')), null);
  const tab = stage.open();
  await tab.queue(4, 'Night');
  await goOn(stage, 20);
  expect([stage.performed, keys]).toEqual([
    ['Dusk', 'Dawn', 'Noon', 'Night'],
    [1, 2, 3, 4].map((each) => expect.stringContaining(`key-${each}`)),
  ]);
  expect(await tab.list()).toEqual([]);
});

test('they go without a page, too, when the browser starts the worker', async () => {
  const stage = new OutboxStage(new IDBFactory(), new Spare());
  await waitingFor(stage, ['Dusk', 'Dawn']);
  stage.loseDatabases();
  stage.answer = () => null;
  stage.open().meet();
  await goOn(stage, 20);
  expect(stage.performed).toEqual(['Dusk', 'Dawn']);
});

test('those of a user are there when the same user signs in again, and for nobody else', async () => {
  const stage = new OutboxStage(new IDBFactory(), new Spare());
  await waitingFor(stage, ['Dusk'], 'ada');
  stage.loseDatabases();
  stage.answer = () => null;
  const other = stage.open();
  await other.sign('bob');
  await goOn(stage, 20);
  expect([stage.performed, await other.list()]).toEqual([[], []]);
  const tab = stage.open();
  await tab.sign('ada');
  await goOn(stage, 20);
  expect(stage.performed).toEqual(['Dusk']);
});

test('what was done or discarded does not come back', async () => {
  const spare = new Spare();
  const stage = new OutboxStage(new IDBFactory(), spare);
  const tab = await waitingFor(stage, ['Dusk', 'Dawn', 'Noon']);
  await tab.remote.control({ kind: 'decide', entry: 'entry-2', decision: { kind: 'discard' } });
  stage.answer = (seen) => (seen.init.body === 'Noon' ? json({}, {}, 503) : null);
  await goOn(stage, 5);
  expect(stage.performed).toEqual(['Dusk']);
  stage.loseDatabases();
  const next = stage.open();
  next.meet();
  await goOn(stage, 1);
  expect((await next.list()).map(({ entry }) => entry)).toEqual(['entry-3']);
  stage.answer = () => null;
  await goOn(stage, 20);
  expect([stage.performed, await spare.text()]).toEqual([
    ['Dusk', 'Noon'],
    expect.not.stringContaining('entry-'),
  ]);
});

test('an edit comes back as it was edited', async () => {
  const stage = new OutboxStage(new IDBFactory(), new Spare());
  const tab = await waitingFor(stage, ['Dusk', 'Dawn']);
  const body = { kind: 'text', text: 'Noon' } as const;
  await tab.remote.control({ kind: 'decide', entry: 'entry-2', decision: { ...EDIT, body } });
  stage.loseDatabases();
  stage.answer = () => null;
  stage.open().meet();
  await goOn(stage, 20);
  expect(stage.performed).toEqual(['Dusk', 'Noon']);
});

test('what a thing was named is known to the writes that use it', async () => {
  const stage = new OutboxStage(new IDBFactory(), new Spare());
  const tab = stage.open();
  stage.answer = ({ init }) => (init.method === 'POST' ? made(7) : json({}, {}, 503));
  await tab.queue(1, 'Dusk', {}, CREATES);
  await tab.queue(2, 'Dawn', USER, { lane: 'b' });
  await goOn(stage, 3);
  stage.loseDatabases();
  stage.answer = () => null;
  stage.open().meet();
  await goOn(stage, 20);
  expect(askedOf(stage)).toEqual(['PUT /photo/7']);
});

test('a sign-out that discards leaves nothing in the copy', async () => {
  const spare = new Spare();
  const stage = new OutboxStage(new IDBFactory(), spare);
  const tab = await waitingFor(stage, ['Dusk'], 'ada');
  expect(await spare.text()).toContain('Dusk');
  await tab.discard();
  await rounds();
  expect(await spare.text()).not.toContain('Dusk');
});

test('what waited before there was a copy is copied when the worker starts', async () => {
  const databases = new IDBFactory();
  const before = new OutboxStage(databases);
  await waitingFor(before, ['Dusk', 'Dawn']);
  const spare = new Spare();
  const stage = new OutboxStage(databases, spare);
  stage.answer = before.answer;
  stage.open().meet();
  await goOn(stage, 1);
  await rounds();
  stage.loseDatabases();
  stage.answer = () => null;
  stage.open().meet();
  await goOn(stage, 20);
  expect(stage.performed).toEqual(['Dusk', 'Dawn']);
});

test('nothing is made in the other place before something is queued', async () => {
  const spare = new Spare();
  const stage = new OutboxStage(new IDBFactory(), spare);
  const tab = stage.open();
  await tab.sign('ada');
  await tab.list();
  stage.restart();
  stage.open().meet();
  await goOn(stage, 3);
  expect(spare.opened).toBe(0);
});

test.each([
  ['fails', () => Promise.reject(new Error('no bucket'))],
  ['hangs', () => new Promise<never>(() => {})],
])('writes are queued and sent all the same where the other place %s', async (_, open) => {
  const stage = new OutboxStage(new IDBFactory(), { isThere: async () => true, open });
  const tab = stage.open();
  await goOn(stage, 10);
  const queued = Promise.all([tab.queue(1, 'Dusk'), tab.queue(2, 'Dawn')]);
  await goOn(stage, 20);
  await queued;
  await goOn(stage, 5);
  expect([stage.performed, await stateOf(tab)]).toEqual([['Dusk', 'Dawn'], []]);
});
