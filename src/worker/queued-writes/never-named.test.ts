import { expect, test } from 'vitest';
import type { Wish } from '../cache/invocation.fixture.ts';
import { json, unreachable, until } from '../platform/system.fixture.ts';
import { submission } from '../tab.fixture.ts';
import { askedOf, CREATES, decide, made, TEMPORARY, USER } from './named-writes.fixture.ts';
import { OutboxStage, waitFor } from './outbox-stage.fixture.ts';
import { TroubledDisk } from './troubled-disk.fixture.ts';

// What names a thing that will never have an id comes to review, and is not sent.

test('a write that is queued after its maker was discarded, in another tab', async () => {
  const stage = new OutboxStage();
  const [tab, other] = [stage.open(), stage.open()];
  stage.answer = unreachable;
  await tab.queue(1, 'Dusk', {}, CREATES);
  await stage.failed(tab, 1);
  await other.greet();
  await decide(other, 'entry-1', { kind: 'discard' });
  stage.answer = () => json({});
  await tab.queue(2, 'Dawn', USER);
  await tab.heard('entry-2 review');
  expect(askedOf(stage)).not.toContain(`PUT /photo/${TEMPORARY}`);
});

test('a write that is queued after its maker was done without an id', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = () => json({ uuid: 7 }, {}, 201);
  await tab.queue(1, 'Dusk', {}, CREATES);
  await tab.heard('entry-1 done');
  await tab.queue(2, 'Dawn', USER);
  await tab.heard('entry-2 review');
  expect(askedOf(stage)).toEqual(['POST /photos']);
});

test('a write that names what no write creates', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  await tab.queue(2, 'Dawn', USER);
  await tab.heard('entry-2 review');
  const [{ failure } = { failure: null }] = await tab.list();
  expect([stage.world.requests.length, failure?.code, failure?.message]).toEqual([
    0,
    'outbox',
    `No write waits that creates '${TEMPORARY}', and it is not known that one has`,
  ]);
});

test('a write that is tried again though its maker was discarded: it is told each time', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = unreachable;
  await tab.queue(1, 'Dusk', {}, CREATES);
  await tab.queue(2, 'Dawn', USER);
  await stage.failed(tab, 1);
  await decide(tab, 'entry-1', { kind: 'discard' });
  await tab.heard('entry-2 review');
  stage.answer = () => json({});
  await decide(tab, 'entry-2', { kind: 'retry' });
  await waitFor(stage, 60_000);
  const versions = tab.writes.filter(({ state }) => state === 'review').map(({ version }) => version);
  expect([askedOf(stage).includes(`PUT /photo/${TEMPORARY}`), versions]).toEqual([false, [0, 1]]);
});

test.each(['', '\ud800', 1e300, '..', '.', 'a\\b', 'x'.repeat(20_000)])(
  'a write whose maker was given an id that is none, or may not be asked: %#',
  async (id) => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = ({ init }) => (init.method === 'POST' ? made(id) : json({}));
    await tab.queue(1, 'Dusk', {}, CREATES);
    await tab.queue(2, '', { ...USER, method: 'DELETE', body: { kind: 'none' } });
    await tab.queue(3, 'last');
    await tab.heard('entry-2 review');
    await tab.heard('entry-3 done');
    expect(askedOf(stage)).toEqual(['POST /photos', 'POST /photos']);
  },
);

test('a write whose maker was given a number that JSON cannot carry', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  const headers = { 'Content-Type': 'application/json' };
  stage.answer = () => new Response('{"id":1234567890123456789}', { status: 201, headers });
  await tab.queue(1, 'Dusk', {}, CREATES);
  await tab.queue(2, 'Dawn', USER);
  await tab.heard('entry-2 review');
  expect(askedOf(stage)).toEqual(['POST /photos']);
});

test.each([
  ['all that waited is gone', new OutboxStage()],
  ['nothing can be stored', new OutboxStage(null)],
])('a plain write that names what no write creates fails, and a read does not: %s', async (_case, stage) => {
  const tab = stage.open();
  tab.meet();
  await tab.submitAll([submission(1, USER), submission(2, { ...USER, method: 'GET' })]);
  await until(() => tab.settled.length === 2);
  const failures = tab.deliveries.flatMap((each) =>
    each.kind === 'settled' && each.outcome.kind === 'failed' ? [each.id, each.outcome.failure.code] : [],
  );
  expect([failures, askedOf(stage)]).toEqual([[1, 'outbox'], [`GET /photo/${TEMPORARY}`]]);
});

test.each<Wish>([
  { template: '/search{?q}', params: [['q', 'temporary-parking']] },
  { method: 'POST', template: '/comments', body: { kind: 'text', text: 'A temporary-fix.' } },
])('a call that names nothing, though its text looks a little like it, needs no disk: %o', async (wish) => {
  const disk = new TroubledDisk();
  const stage = new OutboxStage(disk);
  const tab = stage.open();
  await tab.queue(1, 'first');
  await tab.heard('entry-1 done');
  disk.isBroken = true;
  await tab.call(60, wish);
  expect(tab.deliveries.find((each) => each.kind === 'settled')?.outcome.kind).toBe('answered');
});
