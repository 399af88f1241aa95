import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../shared/limits.ts';
import { houseOf } from '../house.fixture.ts';
import { after } from '../outbox/attempts.ts';
import { write } from '../outbox/write.fixture.ts';
import { FakeSystem, json, unreachable, until } from '../platform/system.fixture.ts';
import { Deferred } from '../platform/waiting.ts';
import { submission } from '../tab.fixture.ts';
import { OutboxStage, OutboxTab, waitFor } from './outbox-stage.fixture.ts';

const PUT = { method: 'PUT', template: '/photo/7' };

describe('answers', () => {
  test('as deep as JSON may be are stored', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    const deep = `${'['.repeat(LIMITS.jsonLevels)}${']'.repeat(LIMITS.jsonLevels)}`;
    stage.answer = () => new Response(deep, { status: 201, headers: { 'Content-Type': 'application/json' } });
    await tab.queue(1, 'Dusk');
    await waitFor(stage, 10_000);
    await tab.heard('entry-1 done');
    expect(tab.writes.at(-1)?.answer?.status).toBe(201);
  });

  test.each([200, 201, 202, 204, 205, 206, 207, 226])('%i: done', async (status) => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = () =>
      [204, 205].includes(status) ? new Response(null, { status }) : json({}, {}, status);
    await tab.queue(1, 'Dusk');
    await tab.heard('entry-1 done');
    expect(tab.told).toEqual(['entry-1 done']);
  });

  test.each([408, 425, 429, 500, 501, 502, 503, 504, 505, 507, 511])('%i: again', async (status) => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = () => json({}, {}, status);
    await tab.queue(1, 'Dusk');
    await stage.failed(tab, 1);
    stage.answer = () => null;
    await waitFor(stage, 30_000);
    await tab.heard('entry-1 done');
    const keys = new Set(stage.world.requests.map(({ headers }) => headers.get('Idempotency-Key')));
    expect([...keys]).toEqual(['"key-1"']);
  });

  test.each(['Mon, 01 Jan 2001 00:00:00 GMT', 'soon', '-5', '1e3', '', '99999999999999999999999999'])(
    'Retry-After: %s',
    async (value) => {
      const stage = new OutboxStage();
      const tab = stage.open();
      stage.answer = () => json({}, { 'Retry-After': value }, 503);
      await tab.queue(1, 'Dusk');
      await stage.failed(tab, 1);
      stage.answer = () => null;
      await waitFor(stage, 3_700_000);
      await tab.heard('entry-1 done');
      expect(stage.performed).toEqual(['Dusk']);
    },
  );

  test('that break off are asked for again, under the same key', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    let times = 0;
    stage.answer = (seen) => {
      times += 1;
      if (times > 1) return null;
      stage.perform(seen);
      return new Response('{"a":', {
        status: 201,
        headers: { 'Content-Type': 'application/json', 'Content-Length': '500' },
      });
    };
    await tab.queue(1, 'Dusk');
    await waitFor(stage, 10_000);
    await tab.heard('entry-1 done');
    expect([times, stage.performed]).toEqual([2, ['Dusk']]);
  });

  test('a hook that hangs is a timeout', async () => {
    const world = new FakeSystem();
    let isHanging = true;
    world.serve = () => json({}, {}, 201);
    world.grant();
    const house = houseOf(world, { configureRequest: () => (isHanging ? new Promise(() => {}) : undefined) });
    const tab = new OutboxTab((source, envelope) => house.receive(source, envelope), 'own');
    await tab.queue(1, 'Dusk');
    await world.clock.advance(31_000);
    isHanging = false;
    await world.clock.advance(31_000);
    await tab.heard('entry-1 done');
    expect(world.requests).toHaveLength(1);
  });

  test.each([
    ['blocked-url', { template: '/a/{id}', params: [['id', '..']] as const }],
    ['url-too-long', { template: '/a/{id}', params: [['id', 'x'.repeat(100_000)]] as const }],
  ])('%s: review', async (code, wish) => {
    const stage = new OutboxStage();
    const tab = stage.open();
    await tab.queue(1, 'Dusk', wish);
    await tab.heard('entry-1 review');
    expect(tab.writes.at(-1)?.failure?.code).toBe(code);
  });

  test('bytes arrive as they were, after a restart, too', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = unreachable;
    const bytes = new Uint8Array(10_000_000).map((_, index) => index % 251).buffer;
    await tab.queue(1, '', { body: { kind: 'bytes', bytes: bytes.slice(0) } });
    stage.restart();
    stage.answer = () => null;
    const next = stage.open();
    await next.greet();
    await waitFor(stage, 30_000);
    await next.heard('entry-1 done');
    const sent = stage.world.requests.at(-1)?.init.body;
    expect(sent instanceof ArrayBuffer && Buffer.from(sent).equals(Buffer.from(bytes))).toBe(true);
  });

  test('a read that was asked before the write was done does not count', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    tab.meet();
    const read = new Deferred<Response>();
    let reads = 0;
    stage.answer = ({ init }) => {
      if (init.method !== 'GET') return null;
      reads += 1;
      if (reads > 1) return json({ title: 'new' });
      return read.promise;
    };
    await tab.submitAll([submission(50, { template: '/photo/7' })]);
    await until(() => reads === 1);
    await tab.queue(1, 'new', PUT);
    await tab.heard('entry-1 done');
    read.resolve(json({ title: 'old' }));
    await until(() => tab.settled.includes(50));
    const settled = tab.deliveries.find((each) => each.kind === 'settled' && each.id === 50);
    expect(JSON.stringify(settled)).toContain('new');
  });
});

test('one failure of the network does not begin the day of a redirection anew', () => {
  const hour = 3_600_000;
  const redirected = {
    kind: 'failed',
    failure: { code: 'redirected', message: '' },
    answer: null,
    request: null,
  } as const;
  const network = {
    kind: 'failed',
    failure: { code: 'network', message: '' },
    answer: null,
    request: null,
  } as const;
  let state = write(1, { state: 'sending', attempts: 1 });
  for (let now = 0; now <= 100 * hour; now += hour / 4)
    state = after(
      { ...state, state: 'sending' },
      { outcome: now % (6 * hour) === 0 ? network : redirected, now, random: 0.5 },
    );
  expect(state.state).toBe('review');
});
