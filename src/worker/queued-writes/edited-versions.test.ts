import { expect, test } from 'vitest';
import { json, until } from '../platform/system.fixture.ts';
import { CREATES, decide, FORM, made, TEMPORARY, USER } from './named-writes.fixture.ts';
import { bodyOf, EDIT, goOn, OutboxStage, rounds } from './outbox-stage.fixture.ts';
import type { OutboxTab } from './outbox-stage.fixture.ts';

/** Has it read, and stored. */
async function read(stage: OutboxStage, tab: OutboxTab, id: number): Promise<void> {
  await tab.call(id);
  await goOn(stage, 5);
}

test('an edit that repeats the params of a conflict, as its entry tells them, keeps the ETag that this has named', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = ({ init }) =>
    init.method === 'POST' ? made(7) : json({ title: 'theirs' }, { ETag: '"five"' }, 412);
  await tab.queue(1, 'Dusk', {}, CREATES);
  await tab.queue(2, 'Dawn', USER);
  await tab.heard('entry-2 conflict');
  const params = tab.writes.findLast(({ entry }) => entry === 'entry-2')?.params ?? [];
  expect(params).toEqual([['id', '7']]);
  stage.answer = () => null;
  await decide(tab, 'entry-2', { ...EDIT, params, body: { kind: 'text', text: 'merged' } });
  await tab.heard('entry-2 done');
  const sent = stage.world.requests.at(-1);
  expect([sent?.url, sent?.headers.get('If-Match')]).toEqual(['https://page.example/photo/7', '"five"']);
});

test('an edit that names the params of a conflict in another order keeps the ETag that this has named', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = () => json({ title: 'theirs' }, { ETag: '"five"' }, 412);
  const at = {
    method: 'PUT',
    template: '/album/{album}/photo/{id}',
    params: [
      ['album', '1'],
      ['id', '7'],
    ],
  } as const;
  await tab.queue(2, 'Dawn', at);
  await tab.heard('entry-2 conflict');
  stage.answer = () => null;
  const params = [
    ['id', '7'],
    ['album', '1'],
  ] as const;
  await decide(tab, 'entry-2', { ...EDIT, params, body: { kind: 'text', text: 'merged' } });
  await tab.heard('entry-2 done');
  const sent = stage.world.requests.at(-1);
  expect([sent?.url, sent?.headers.get('If-Match')]).toEqual([
    'https://page.example/album/1/photo/7',
    '"five"',
  ]);
});

test.each(['', '*', 'w/"a"', '"a', '"a", "b"'])(
  'an ETag that is none goes along with no write: %s',
  async (etag) => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = () => json({ id: 7 }, { ETag: etag, 'Cache-Control': 'no-cache' });
    tab.meet();
    await tab.call(50);
    stage.answer = () => null;
    await tab.queue(1, 'mine', { method: 'PUT', template: '/photo/7' });
    await tab.heard('entry-1 done');
    expect(stage.world.requests.at(-1)?.headers.get('If-Match')).toBeNull();
  },
);

test('a form keeps a value of which a temporary id is only a part', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = (seen) => (bodyOf(seen) === 'Dusk' ? made(7) : null);
  await tab.queue(1, 'Dusk', {}, CREATES);
  await tab.queue(2, `filter=album=${TEMPORARY}`, FORM);
  await tab.heard('entry-2 done');
  expect(stage.performed).toEqual([`filter=album=${TEMPORARY}`]);
});

test('an edit of a version that somebody has decided about since changes nothing, and says so', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  let version = 2;
  stage.answer = () => json({ version }, { ETag: `"${version}"` }, 412);
  await tab.queue(1, 'mine', { method: 'PUT', template: '/photo/7' });
  await tab.heard('entry-1 conflict');
  const seen = tab.writes.at(-1)?.version ?? -1;
  version = 3;
  await decide(tab, 'entry-1', { kind: 'retry' });
  await rounds();
  const merged = { ...EDIT, body: { kind: 'text', text: 'merged with 2' }, version: seen } as const;
  const reply = await tab.remote.control({ kind: 'decide', entry: 'entry-1', decision: merged });
  expect(reply).toEqual({ kind: 'decided', as: 'changed' });
  stage.answer = () => null;
  const now = tab.writes.at(-1)?.version ?? -1;
  await decide(tab, 'entry-1', { ...merged, version: now });
  await tab.heard('entry-1 done');
  expect(stage.performed).toEqual(['merged with 2']);
});

const CONDITION = ['If-Unmodified-Since', 'Wed, 01 Jan 2025 00:00:00 GMT'] as const;

function theirs(status: number): Response {
  return json({ title: 'theirs' }, { ETag: '"theirs"', 'Cache-Control': 'no-cache' }, status);
}

test.each([
  ['that was told before the conflict came', { version: 0, isOfConflict: false }, 'conflict', null],
  ['that was a conflict', { version: 0, isOfConflict: true }, 'done', '"theirs"'],
  ['by an older page, which does not say that', { version: 0 }, 'done', '"theirs"'],
  ['by its id', {}, 'done', '"theirs"'],
])('an edit of an entry %s: %o', async (_name, seen, end, sent) => {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = () => json({}, {}, 503);
  await tab.queue(1, 'mine', { method: 'PUT', template: '/photo/7', headers: [CONDITION] });
  await stage.failed(tab, 1);
  stage.answer = ({ headers, init }) =>
    headers.get('If-Match') === '"theirs"' ? null : theirs(init.method === 'GET' ? 200 : 412);
  await goOn(stage, 10);
  await tab.heard('entry-1 conflict');
  // What is stored by now is no more than what the conflict has named.
  await tab.call(50);
  await decide(tab, 'entry-1', { ...EDIT, body: { kind: 'text', text: 'typed' }, ...seen });
  await until(() => tab.told.length > 1);
  const last = stage.world.requests.findLast(({ init }) => init.method === 'PUT');
  expect([tab.told.at(-1), last?.headers.get('If-Match')]).toEqual([`entry-1 ${end}`, sent]);
  expect(last?.headers.get(CONDITION[0]) === CONDITION[1]).toBe(end === 'conflict');
});

test('what replaces a conflict changes the version that was read since, where the refusal has named none', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  let etag = '"a"';
  stage.answer = ({ init, headers }) => {
    if (init.method === 'GET') return json({ etag }, { ETag: etag, 'Cache-Control': 'no-cache' });
    return [etag, null].includes(headers.get('If-Match')) ? null : json({ etag }, {}, 412);
  };
  tab.meet();
  await read(stage, tab, 50);
  etag = '"b"';
  await tab.queue(1, 'mine', { method: 'PUT', template: '/photo/7' });
  await tab.heard('entry-1 conflict');
  await read(stage, tab, 51);
  // Its user looks at both versions for a while, and somebody else saves another one.
  etag = '"c"';
  await decide(tab, 'entry-1', { ...EDIT, body: { kind: 'text', text: 'merged of a and b' }, version: 0 });
  await until(() => tab.told.length > 1);
  expect([stage.performed, tab.told.at(-1)]).toEqual([[], 'entry-1 conflict']);
});

test.each([
  ['the version that was read since, though it is the one of before', true, '"a"'],
  ['none, where nothing was read since', false, null],
])('what replaces a 409 that names no version changes %s', async (_what, isRead, last) => {
  const stage = new OutboxStage();
  const tab = stage.open();
  let isTaken = true;
  stage.answer = ({ init }) => {
    if (init.method === 'GET') return json({}, { ETag: '"a"', 'Cache-Control': 'max-age=3600' });
    return isTaken ? json({ reason: 'that title is taken' }, {}, 409) : null;
  };
  tab.meet();
  await read(stage, tab, 50);
  await tab.queue(1, 'mine', { method: 'PUT', template: '/photo/7' });
  await tab.heard('entry-1 conflict');
  if (isRead) await read(stage, tab, 51);
  isTaken = false;
  await decide(tab, 'entry-1', { ...EDIT, body: { kind: 'text', text: 'another title' } });
  await tab.heard('entry-1 done');
  const said = stage.world.requests.filter(({ init }) => init.method === 'PUT');
  expect(said.map(({ headers }) => headers.get('If-Match'))).toEqual(['"a"', last]);
});
