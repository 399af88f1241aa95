import { expect, test } from 'vitest';
import type { Wish } from '../cache/invocation.fixture.ts';
import { json } from '../platform/system.fixture.ts';
import { decide } from './named-writes.fixture.ts';
import { EDIT, OutboxStage } from './outbox-stage.fixture.ts';

function put(condition: readonly [string, string]): Wish {
  const headers = [['Accept', 'application/json'], condition] as const;
  return { method: 'PUT', template: '/photo/{id}', params: [['id', '7']], headers };
}

test.each([
  ['If-Match', '"old"'],
  ['If-None-Match', '*'],
  ['If-Unmodified-Since', 'Wed, 01 Jan 2025 00:00:00 GMT'],
] as const)(
  'what replaces a version goes without the condition of the page that has refused it: %s',
  async (...condition) => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = () => json({ title: 'theirs' }, { ETag: '"b"' }, 412);
    await tab.queue(1, 'mine', put(condition));
    await tab.heard('entry-1 conflict');
    stage.answer = () => null;
    await decide(tab, 'entry-1', { ...EDIT, body: { kind: 'text', text: 'merged' }, version: 0 });
    await tab.heard('entry-1 done');
    const [first, last] = stage.world.requests.map(({ headers }) => headers);
    const isSame = condition[0] === 'If-Match';
    expect(first?.get(condition[0])).toBe(condition[1]);
    expect([last?.get('If-Match'), last?.get(condition[0])]).toEqual(['"b"', isSame ? '"b"' : null]);
  },
);

test('a write that is to create something does not overwrite what is there already at another URL', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = () => json({ title: 'theirs' }, { ETag: '"b"' }, 412);
  await tab.queue(1, 'mine', put(['If-None-Match', '*']));
  await tab.heard('entry-1 conflict');
  stage.answer = () => null;
  await decide(tab, 'entry-1', { ...EDIT, params: [['id', '8']] });
  await tab.heard('entry-1 done');
  const last = stage.world.requests.at(-1);
  expect([last?.url, last?.headers.get('If-None-Match')]).toEqual(['https://page.example/photo/8', '*']);
});

test.each([
  ['If-Match', '"old"'],
  ['If-None-Match', '*'],
] as const)(
  'what replaces a version that the server does not name changes the one that was read, without the condition of the page: %s',
  async (...condition) => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = ({ init, headers }) => {
      if (init.method === 'GET') return json({}, { ETag: '"b"', 'Cache-Control': 'no-cache' });
      return headers.get(condition[0]) === condition[1] ? json({}, {}, 412) : null;
    };
    await tab.queue(1, 'mine', put(condition));
    await tab.heard('entry-1 conflict');
    await tab.call(50, { template: '/photo/7', headers: [['Accept', 'application/json']] });
    await decide(tab, 'entry-1', { ...EDIT, body: { kind: 'text', text: 'merged' }, version: 0 });
    await tab.heard('entry-1 done');
    const { headers } = stage.world.requests.at(-1) ?? {};
    expect([headers?.get('If-Match'), headers?.get('If-None-Match')]).toEqual(['"b"', null]);
  },
);

test('an edit that goes elsewhere, and keeps the condition of its page, says no version beside that', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = ({ init }) =>
    json({}, { ETag: '"b"', 'Cache-Control': 'no-cache' }, init.method === 'GET' ? 200 : 412);
  tab.meet();
  await tab.call(50, { template: '/photo/8', headers: [['Accept', 'application/json']] });
  await tab.queue(1, 'mine', put(['If-None-Match', '*']));
  await tab.heard('entry-1 conflict');
  stage.answer = () => null;
  await decide(tab, 'entry-1', { ...EDIT, params: [['id', '8']] });
  await tab.heard('entry-1 done');
  const { headers } = stage.world.requests.at(-1) ?? {};
  expect([headers?.get('If-Match'), headers?.get('If-None-Match')]).toEqual([null, '*']);
});
