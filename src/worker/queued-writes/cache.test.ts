import { describe, expect, test } from 'vitest';
import { json, unreachable } from '../platform/system.fixture.ts';
import { decide } from './named-writes.fixture.ts';
import { OutboxStage, waitFor } from './outbox-stage.fixture.ts';

const PUT = { method: 'PUT', template: '/photo/7' };

describe('the cache', () => {
  test.each([
    ['', 'done'],
    [', also where it was discarded on its way', 'discarded'],
  ])(
    'a DELETE that is done by a 404 after a lost answer makes stale what it says%s',
    async (_case, state) => {
      const stage = new OutboxStage();
      const tab = stage.open();
      tab.meet();
      stage.answer = () => json([7], { 'Cache-Control': 'max-age=3600' });
      const list = { template: '/photos', policy: { revalidate: false } };
      await tab.call(50, list);
      let times = 0;
      const last = async (): Promise<Response> => {
        if (state === 'discarded') await decide(tab, 'entry-1', { kind: 'discard' });
        return json({}, {}, 404);
      };
      stage.answer = ({ init }) =>
        init.method !== 'DELETE'
          ? json([], { 'Cache-Control': 'max-age=3600' })
          : (times += 1) === 1
            ? unreachable()
            : last();
      await tab.queue(1, '', {
        method: 'DELETE',
        template: '/photo/7',
        body: { kind: 'none' },
        policy: { invalidates: ['/photos'] },
      });
      await waitFor(stage, 30_000);
      await tab.heard(`entry-1 ${state}`);
      const before = stage.world.requests.length;
      await tab.call(51, list);
      expect(stage.world.requests.length).toBe(before + 1);
    },
  );

  test('control: a DELETE that is answered does so', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    tab.meet();
    stage.answer = () => json([7], { 'Cache-Control': 'max-age=3600' });
    const list = { template: '/photos', policy: { revalidate: false } };
    await tab.call(50, list);
    stage.answer = ({ init }) =>
      init.method !== 'DELETE' ? json([], { 'Cache-Control': 'max-age=3600' }) : null;
    await tab.queue(1, '', {
      method: 'DELETE',
      template: '/photo/7',
      body: { kind: 'none' },
      policy: { invalidates: ['/photos'] },
    });
    await tab.heard('entry-1 done');
    const before = stage.world.requests.length;
    await tab.call(51, list);
    expect(stage.world.requests.length).toBe(before + 1);
  });
});

describe('the key', () => {
  test('that the page has set itself is not replaced', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    await tab.queue(1, 'Dusk', { headers: [['Idempotency-Key', '"order-17"']] });
    await tab.heard('entry-1 done');
    expect(stage.world.requests.at(-1)?.headers.get('Idempotency-Key')).toBe('"order-17"');
  });
});

test('a policy of the cache does not keep a write for ever', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  await tab.queue(1, 'x', { ...PUT, policy: { cache: 'cache-only' } });
  await waitFor(stage, 60_000);
  expect([stage.performed, tab.told]).toEqual([['x'], ['entry-1 done']]);
});

test('a large answer is parsed', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = () => json({ long: 'x'.repeat(300_000) }, {}, 201);
  await tab.queue(1, 'x');
  await tab.heard('entry-1 done');
  const body = tab.writes.at(-1)?.answer?.body;
  expect(body?.kind === 'value' && Object(body.value).long.length).toBe(300_000);
});
