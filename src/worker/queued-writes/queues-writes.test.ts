import { describe, expect, test } from 'vitest';
import { OutboxStage } from './outbox-stage.fixture.ts';
import { json, unreachable, until } from '../platform/system.fixture.ts';

describe('a call with a ticket', () => {
  test('is told as queued, sent under its key, told as done in every tab, and waits no more', async () => {
    const stage = new OutboxStage();
    const [one, other] = [stage.open(), stage.open()];
    await other.greet();
    await one.queue(1, 'Dusk');
    await one.heard('entry-1 done');
    await other.heard('entry-1 done');
    expect(stage.world.requests.at(-1)?.headers.get('Idempotency-Key')).toBe('"key-1"');
    expect([stage.performed, one.settled, await one.list()]).toEqual([['Dusk'], [], []]);
    expect(one.writes.at(-1)).toMatchObject({
      attempts: 1,
      answer: { status: 201, body: { value: { done: 1 } } },
    });
    await until(() => one.waiting === 0);
  });

  test('that is handed to two workers is queued once', async () => {
    const stage = new OutboxStage();
    stage.answer = unreachable;
    const tab = stage.open();
    await tab.queue(1, 'Dusk');
    stage.restart();
    stage.answer = () => null;
    const next = stage.open();
    await next.queue(1, 'Dusk');
    await next.heard('entry-1 done');
    expect(stage.performed).toEqual(['Dusk']);
    stage.restart();
    const last = stage.open();
    await last.queue(1, 'Dusk');
    expect(last.deliveries.find(({ kind }) => kind === 'queued')).toMatchObject({ write: { state: 'done' } });
    expect([stage.performed, await last.list()]).toEqual([['Dusk'], []]);
  });

  test('that is aborted as it is being stored is not sent', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    await tab.greet();
    const queueing = tab.queue(1, 'Dusk').catch(() => {});
    await tab.remote.control({ kind: 'abort', ids: [1] });
    await tab.queue(2, 'Dawn');
    await tab.heard('entry-2 done');
    expect([stage.performed, tab.queued]).toEqual([['Dawn'], [2]]);
    await queueing;
  });

  test('is sent like any other where nothing can be stored', async () => {
    const stage = new OutboxStage(null);
    const tab = stage.open();
    await tab.queue(1, 'Dusk');
    expect([stage.performed, tab.settled, tab.queued]).toEqual([['Dusk'], [1], []]);
  });
});

describe('a write that waits', () => {
  test('is tried again where its server fails for now, no earlier than it asks, and nobody is told of an error', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = () => json({}, { 'Retry-After': '20' }, 503);
    await tab.queue(1, 'Dusk');
    await stage.failed(tab, 1);
    stage.answer = () => null;
    await stage.world.clock.advance(19_000);
    expect(stage.performed).toEqual([]);
    await stage.world.clock.advance(30_000);
    await tab.heard('entry-1 done');
    expect([stage.performed, tab.told]).toEqual([['Dusk'], ['entry-1 done']]);
  });

  test('is sent again under the same key where a worker has died with it', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = (seen) => {
      stage.perform(seen);
      return new Promise(() => {});
    };
    await tab.queue(1, 'Dusk');
    await until(() => stage.performed.length === 1);
    stage.restart();
    stage.answer = () => null;
    const next = stage.open();
    await next.greet();
    await next.heard('entry-1 done');
    expect([stage.performed, next.writes.at(-1)?.attempts]).toEqual([['Dusk'], 2]);
  });

  test('goes after those before it in its lane, and holds no other lane', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = ({ init }) => (init.body === 'first' ? json({}, {}, 500) : null);
    await tab.queue(1, 'first');
    await tab.queue(2, 'second');
    await tab.queue(3, 'other', {}, { lane: 'b' });
    await tab.heard('entry-3 done');
    expect(stage.performed).toEqual(['other']);
    stage.answer = () => null;
    await stage.world.clock.advance(5_000);
    await tab.heard('entry-2 done');
    expect(stage.performed).toEqual(['other', 'first', 'second']);
  });

  test('waits for other credentials where its server wants them, and for as long as they are refused', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = () => json({}, {}, 401);
    await tab.queue(1, 'Dusk');
    await tab.heard('entry-1 paused');
    await stage.world.clock.advance(600_000);
    expect(stage.world.requests).toHaveLength(1);
    const given = { kind: 'given', headers: [], expiresAt: null } as const;
    for (let times = 0; times < 20; times += 1)
      await tab.remote.control({ kind: 'credentials', question: 'none', reply: given });
    await until(() => stage.world.requests.length === 2);
    await stage.world.clock.advance(200);
    expect(stage.world.requests).toHaveLength(2);
    stage.answer = () => null;
    await tab.remote.control({ kind: 'credentials', question: 'none', reply: given });
    await stage.world.clock.advance(60_000);
    await tab.heard('entry-1 done');
  });

  test('that is refused waits for somebody, who may edit, retry or discard it; its lane goes on', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = ({ init }) => (init.body === 'bad' ? json({ why: 'too dark' }, {}, 422) : null);
    await tab.queue(1, 'bad');
    await tab.queue(2, 'good');
    await tab.queue(3, 'bad');
    await tab.heard('entry-2 done');
    await tab.heard('entry-3 review');
    expect(tab.writes.find(({ state }) => state === 'review')).toMatchObject({
      failure: { code: 'http', status: 422 },
      answer: { body: { value: { why: 'too dark' } } },
    });
    expect((await tab.list()).map(({ entry }) => entry)).toEqual(['entry-1', 'entry-3']);
    const body = { kind: 'text', text: 'better' } as const;
    const edit = { kind: 'edit', key: 'key-9', params: null, body, contentType: null } as const;
    expect(await tab.remote.control({ kind: 'decide', entry: 'entry-1', decision: edit })).toEqual({
      kind: 'decided',
      as: 'decided',
    });
    await tab.heard('entry-1 done');
    expect(stage.world.requests.at(-1)?.headers.get('Idempotency-Key')).toBe('"key-9"');
    await tab.remote.control({ kind: 'decide', entry: 'entry-3', decision: { kind: 'discard' } });
    expect([stage.performed, await tab.list()]).toEqual([['good', 'better'], []]);
  });

  test('says which version it changes, and one that its server has another version of holds its lane', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    const wish = { method: 'PUT', template: '/photo/7' };
    stage.answer = () => json({ id: 7 }, { ETag: '"a"', 'Cache-Control': 'no-cache' });
    tab.meet();
    await tab.call(50);
    stage.answer = ({ headers }) =>
      headers.get('If-Match') === '"a"' ? json({ mine: 'no' }, { ETag: '"b"' }, 412) : null;
    await tab.queue(1, 'mine', wish);
    await tab.queue(2, 'later', wish);
    await tab.heard('entry-1 conflict');
    expect(stage.performed).toEqual([]);
    const body = { kind: 'text', text: 'merged' } as const;
    const edit = { kind: 'edit', key: 'key-8', params: null, body, contentType: null } as const;
    await tab.remote.control({ kind: 'decide', entry: 'entry-1', decision: edit });
    await tab.heard('entry-1 done');
    const sent = stage.world.requests.findLast(({ init }) => init.body === 'merged');
    expect(sent?.headers.get('If-Match')).toBe('"b"');
    await tab.heard('entry-2 done');
    // Its server has named no version after that.
    expect(stage.world.requests.at(-1)?.headers.get('If-Match')).toBeNull();
  });
});

describe('the writes of a user', () => {
  test('are sent as that user alone: they wait while another one is signed in', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = unreachable;
    await tab.sign('anna');
    await tab.queue(1, 'of anna');
    await tab.sign(null);
    stage.answer = () => null;
    await stage.world.clock.advance(60_000);
    expect([stage.performed, await tab.list()]).toEqual([[], []]);
    await tab.sign('bert');
    await tab.queue(2, 'of bert');
    await tab.heard('entry-2 done');
    expect(stage.performed).toEqual(['of bert']);
    stage.restart();
    const next = stage.open();
    await next.sign('anna');
    await stage.world.clock.advance(60_000);
    await next.heard('entry-1 done');
    expect(stage.performed).toEqual(['of bert', 'of anna']);
  });

  test('are gone where they are discarded with a sign-out, and what was done is never there afterwards', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    await tab.sign('anna');
    await tab.queue(1, 'done');
    await tab.heard('entry-1 done');
    stage.answer = unreachable;
    await tab.queue(2, 'waits');
    await tab.discard();
    stage.answer = () => null;
    await tab.sign('anna');
    await stage.world.clock.advance(60_000);
    expect([stage.performed, await tab.list()]).toEqual([['done'], []]);
  });
});

test('the key that is told of a write is the one that is sent, where the app has set it, too', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  await tab.queue(1, 'Dusk', { headers: [['Idempotency-Key', 'mine']] });
  await tab.queue(2, 'Dawn');
  await tab.heard('entry-2 done');
  const sent = stage.world.requests.map(({ headers }) => headers.get('Idempotency-Key'));
  expect([tab.writes.map(({ key }) => key), sent]).toEqual([
    ['mine', 'key-2'],
    ['mine', '"key-2"'],
  ]);
});
