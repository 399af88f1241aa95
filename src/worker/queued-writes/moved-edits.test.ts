import { expect, test } from 'vitest';
import type { Wish } from '../cache/invocation.fixture.ts';
import { json, until } from '../platform/system.fixture.ts';
import type { Seen } from '../platform/system.fixture.ts';
import { Deferred } from '../platform/waiting.ts';
import { submission } from '../tab.fixture.ts';
import { CREATES, decide, made, TEMPORARY, USER } from './named-writes.fixture.ts';
import { bodyOf, EDIT, goOn, OutboxStage, OutboxTab, rounds } from './outbox-stage.fixture.ts';

function at(id: string): Wish {
  return { template: '/photo/{id}', params: [['id', id]] };
}

function answer(etag: string, status = 200): Response {
  return json({ title: 'theirs' }, { ETag: etag, 'Cache-Control': 'no-cache' }, status);
}

function busy(): Response {
  return json({}, {}, 503);
}

async function read(tab: OutboxTab, id: string): Promise<void> {
  tab.meet();
  await tab.submitAll([submission(50 + Number(id), at(id))]);
  await until(() => tab.settled.includes(50 + Number(id)));
}

/** The URL and the version of the last request. */
function lastOf(stage: OutboxStage): unknown[] {
  const last = stage.world.requests.at(-1);
  return [last?.url, last?.headers.get('If-Match')];
}

test('an edit that moves a write to another photo says which version of that it changes', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = ({ url }) => answer(url.endsWith('7') ? '"seven"' : '"eight"');
  await read(tab, '7');
  await read(tab, '8');
  stage.answer = busy;
  await tab.queue(1, 'mine', { method: 'PUT', ...at('7') });
  await stage.failed(tab, 1);
  stage.answer = () => answer('"nine"', 412);
  await decide(tab, 'entry-1', { ...EDIT, params: [['id', '8']] });
  await tab.heard('entry-1 conflict');
  expect(lastOf(stage)).toEqual(['https://page.example/photo/8', '"eight"']);
  // Moved out of a conflict, and back: each photo has versions of its own.
  stage.answer = busy;
  await decide(tab, 'entry-1', { ...EDIT, key: 'key-10', params: [['id', '7']] });
  await stage.failed(tab, 1);
  expect(lastOf(stage)).toEqual(['https://page.example/photo/7', '"seven"']);
});

test('an edit to what has no id yet says which version it changes once there is one', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = () => answer('"other"', 412);
  await tab.queue(1, 'mine', { method: 'PUT', ...at('8') });
  await tab.heard('entry-1 conflict');
  const isMade = new Deferred();
  stage.answer = async ({ init }) => {
    if (init.method === 'POST') await isMade.promise;
    return init.method === 'POST' ? made(7) : answer('"seven"');
  };
  await read(tab, '7');
  await tab.queue(2, 'Dusk', {}, { ...CREATES, lane: 'b' });
  await decide(tab, 'entry-1', { ...EDIT, params: [['id', TEMPORARY]] });
  isMade.resolve();
  await tab.heard('entry-1 done');
  expect(lastOf(stage)).toEqual(['https://page.example/photo/7', '"seven"']);
});

test('an edit that repeats the params of a write, as its entry tells them, says which version it changes', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = ({ init }) => (init.method === 'POST' ? made(7) : busy());
  await tab.queue(1, 'Dusk', {}, CREATES);
  await tab.queue(2, 'Dawn', USER, { lane: 'b' });
  await stage.failed(tab, 1);
  stage.answer = ({ init }) => (init.method === 'GET' ? answer('"a"') : busy());
  await read(tab, '7');
  const params = (await tab.list())[0]?.params ?? [];
  expect(params).toEqual([['id', '7']]);
  stage.answer = () => null;
  await decide(tab, 'entry-2', { ...EDIT, params, body: { kind: 'text', text: 'Noon' } });
  await tab.heard('entry-2 done');
  expect(lastOf(stage)).toEqual(['https://page.example/photo/7', '"a"']);
});

test('an edit that moves a write is not in conflict with what its user has just changed there', async () => {
  const wrong: unknown[] = [];
  for (let turns = 0; turns < 20; turns += 1) {
    const stage = new OutboxStage();
    const tab = stage.open();
    let etag = '"eight"';
    const isFree = new Deferred();
    const perform = ({ headers }: Seen): Response => {
      const condition = headers.get('If-Match');
      if (condition !== null && condition !== etag) return answer(etag, 412);
      etag = etag === '"eight"' ? '"nine"' : '"ten"';
      return answer(etag);
    };
    stage.answer = () => answer(etag);
    await read(tab, '8');
    let isMoved = false;
    stage.answer = async (seen) => {
      if (bodyOf(seen) === 'other') await isFree.promise;
      else if (!isMoved) return busy();
      return perform(seen);
    };
    await tab.queue(1, 'mine', { method: 'PUT', ...at('7') });
    await stage.failed(tab, 1);
    await tab.queue(2, 'other', { method: 'PUT', ...at('8') }, { lane: 'b' });
    await until(() => bodyOf(stage.world.requests.at(-1)) === 'other');
    isMoved = true;
    const editing = decide(tab, 'entry-1', { ...EDIT, params: [['id', '8']] });
    for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    isFree.resolve();
    await editing;
    await goOn(stage, 3);
    await rounds(5);
    if (!tab.told.includes('entry-1 done')) wrong.push([turns, tab.told]);
  }
  expect(wrong).toEqual([]);
});
