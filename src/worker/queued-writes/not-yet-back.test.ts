import { expect, test } from 'vitest';
import { json } from '../platform/system.fixture.ts';
import { IDBFactory } from '../storage/indexeddb.fixture.ts';
import { CREATES, made, USER } from './named-writes.fixture.ts';
import { EDIT, GIVEN_UP, goOn, OutboxStage } from './outbox-stage.fixture.ts';
import { Spare, waitingFor } from './spare.fixture.ts';

// All databases are lost, and the copy does not open for a while: what is not there may come back.

function isPost({ init }: { readonly init: RequestInit }): boolean {
  return init.method === 'POST';
}

test.each([
  ['waits', () => json({}, { 'Retry-After': '2' }, 503)],
  ['is done', () => made(7)],
])('what names a thing waits until the copy has said what that is; its write %s', async (_, answer) => {
  const spare = new Spare();
  const stage = new OutboxStage(new IDBFactory(), spare);
  stage.answer = answer;
  await stage.open().queue(1, 'album', {}, CREATES);
  await goOn(stage, 5);
  spare.isBroken = true;
  stage.loseDatabases();
  stage.answer = (seen) => (isPost(seen) ? made(7) : null);
  const tab = stage.open();
  await Promise.all([tab.queue(2, 'Dawn', USER, { lane: 'b' }), goOn(stage, 30)]);
  expect((await tab.list()).map(({ entry, state }) => [entry, state])).toEqual([['entry-2', 'queued']]);
  spare.isBroken = false;
  await goOn(stage, 120);
  expect(await tab.list()).toEqual([]);
});

test('what names a thing that the copy does not know either comes to review once that is known', async () => {
  const spare = new Spare();
  const stage = new OutboxStage(new IDBFactory(), spare);
  spare.isBroken = true;
  const tab = stage.open();
  await Promise.all([tab.queue(1, 'Dawn', USER), goOn(stage, 30)]);
  spare.isBroken = false;
  await goOn(stage, 120);
  expect((await tab.list()).map(({ entry, state }) => [entry, state])).toEqual([['entry-1', 'review']]);
});

test('a page that asks what has become of its call, or decides about it, is not told that there is none', async () => {
  const spare = new Spare();
  const stage = new OutboxStage(new IDBFactory(), spare);
  await waitingFor(stage, ['Dusk']);
  await goOn(stage, 5);
  spare.isBroken = true;
  stage.loseDatabases();
  const tab = stage.open();
  await tab.greet();
  const { remote } = tab;
  const asked = Promise.allSettled([
    remote.control({ kind: 'list-outbox', after: null, entries: ['entry-1'] }),
    remote.control({ kind: 'decide', entry: 'entry-1', decision: { kind: 'discard' } }),
    remote.control({ kind: 'decide', entry: 'entry-1', decision: { kind: 'retry' } }),
    remote.control({ kind: 'decide', entry: 'entry-1', decision: EDIT }),
  ]);
  await goOn(stage, 30);
  expect((await asked).map(({ status }) => status)).toEqual(Array(4).fill('rejected'));
});

test('a write whose call is given up is not sent once it is back, in no life', async () => {
  const spare = new Spare();
  const stage = new OutboxStage(new IDBFactory(), spare);
  await waitingFor(stage, ['Dusk', 'Dawn']);
  spare.isBroken = true;
  stage.loseDatabases();
  stage.answer = () => null;
  const tab = stage.open();
  await tab.greet();
  const giving = Promise.allSettled([tab.remote.control(GIVEN_UP)]);
  await goOn(stage, 30);
  expect(await giving).toMatchObject([{ status: 'rejected' }]);
  spare.isBroken = false;
  await goOn(stage, 120);
  stage.restart();
  await stage.open().greet();
  await goOn(stage, 60);
  expect(stage.performed).toEqual(['Dawn']);
});
