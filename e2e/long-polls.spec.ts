import type { Page } from '@playwright/test';
import type { LoopInspection } from 'offstage';
import { QUICK_TRIES } from '../src/worker/contracts/rule.ts';
import { hasten } from './haste.ts';
import { sendJson } from './server/exchange.ts';
import { expect, test } from './test.ts';

const [FIRST_TRY] = QUICK_TRIES;

test.describe('a long-poll', () => {
  test('asks again at once after each answer, and tells none that has nothing new', async ({
    page,
    server,
  }) => {
    const poll = await page.evaluateHandle(() => {
      const photo = new window.offstage.Resource({ news: { method: 'GET', url: '/hold?key={key}' } });
      const heard = window.witness.record(photo, 'newsSuccess', 'error');
      return { photo, heard, loop: photo.longPoll('news', { key: 'a' }) };
    });
    const asked = (): number => server.journal.of('/hold').length;
    const answers = ['{"n":1}', '', '{"n":2}', '{"n":2}'];
    for (const [index, body] of answers.entries()) {
      await expect.poll(asked).toBe(index + 1);
      server.release('a', body, body === '' ? 204 : 200);
    }
    await expect.poll(asked).toBe(5);
    const { heard, pace } = await poll.evaluate(({ heard: all, loop }) => ({
      heard: all,
      pace: [loop.interval, window.witness.thrown(() => (loop.interval = 1_000))],
    }));
    expect(heard).toMatchObject([
      { response: { n: 1 }, changed: true },
      { response: { n: 2 }, changed: true },
      { response: { n: 2 }, changed: false },
    ]);
    expect(new Set(heard.map(({ id }) => id)).size).toBe(3);
    expect(pace).toEqual([null, expect.stringContaining('TypeError')]);

    await poll.evaluate(({ photo }) => photo.abort('news'));
    await expect.poll(asked).toBe(6);
    await poll.evaluate(({ loop }) => loop.stop());
    await expect.poll(() => server.journal.open('/hold')).toEqual([]);
    await poll.evaluate(({ loop }) => loop.restart());
    await expect.poll(asked).toBe(7);
    // It follows nothing since it was stopped: it is told what is stored, for the request may be held for long.
    const last = (): Promise<unknown> => poll.evaluate(({ heard: all }) => all.at(-1));
    await expect.poll(last).toMatchObject({ type: 'newsSuccess', response: { n: 2 }, changed: false });
    expect(await poll.evaluate(({ heard: all }) => all.at(-2))).toMatchObject({ code: 'aborted' });
  });

  test('without parameters asks what the last invocation asked; its timeout is the watchdog', async ({
    page,
    server,
  }) => {
    server.on('GET /photo/1', (exchange) => {
      if (server.journal.of('/photo/1').length === 1) sendJson(exchange, {});
    });
    const poll = await page.evaluateHandle(async () => {
      const photo = new window.offstage.Resource({ get: { method: 'GET', url: '/photo/{id=none}' } });
      await photo.result(photo.get({ id: 1 }));
      const heard = window.witness.record(photo, 'success', 'error');
      photo.longPoll('get', null, { timeout: 300 });
      return { heard };
    });
    await expect.poll(() => server.journal.of('/photo/1').length).toBeGreaterThan(3);
    expect(server.journal.of('/photo/1')[1]).toMatchObject({ state: 'cut' });
    // What is stored is told at once; the server, which holds its requests, says nothing.
    expect(await poll.evaluate(({ heard }) => heard)).toMatchObject([{ servedFrom: 'cache', stale: false }]);
  });

  test('survives errors and outages, is patient with them, and comes back', async ({
    page,
    context,
    server,
  }) => {
    await hasten(context, 20);
    const poll = await page.evaluateHandle(() => {
      const photo = new window.offstage.Resource({ news: { method: 'GET', url: '/hold?key=a' } });
      const heard = window.witness.record(photo, 'success', 'error');
      return { heard, loop: photo.longPoll('news') };
    });
    await expect.poll(() => server.journal.open('/hold').length).toBe(1);
    server.release('a', '"sorry"', 500);
    await expect.poll(() => server.journal.of('/hold').length).toBe(2);
    expect(await loopOf(page), 'is held, and has failed before').toMatchObject({
      state: 'asking',
      failures: 1,
    });
    const [first, second] = server.journal.of('/hold');
    expect((second?.at ?? 0) - (first?.at ?? 0), 'not at once').toBeGreaterThan(FIRST_TRY.least / 20);
    server.release('a', '"back"');
    await expect.poll(() => loopOf(page)).toMatchObject({ state: 'asking', failures: 0 });

    await server.down();
    // It goes on failing meanwhile, so that no single number is there for long.
    await expect.poll(async () => (await loopOf(page)).failures).toBeGreaterThan(1);
    await server.up();
    await expect.poll(() => server.journal.open('/hold').length, { timeout: 10_000 }).toBe(1);
    server.release('a', '"again"');
    await expect.poll(() => poll.evaluate(({ heard }) => heard.at(-1)?.response)).toBe('again');
    const { heard } = await poll.evaluate((each) => ({ heard: each.heard }));
    expect(heard).toMatchObject([
      { type: 'error', code: 'http', response: 'sorry' },
      { type: 'success', response: 'back', stale: false },
      { type: 'success', response: 'back', stale: true, servedFrom: 'cache' },
      { type: 'success', response: 'again', stale: false },
    ]);
  });

  test('slows down where the server does not hold, and goes on', async ({ page, context, server }) => {
    const poll = await page.evaluateHandle(() => {
      const photo = new window.offstage.Resource({ news: { method: 'GET', url: '/photo/1' } });
      const heard = window.witness.record(photo, 'success', 'error');
      return { heard, loop: photo.longPoll('news') };
    });
    const pause = async (): Promise<number> => {
      const { nextDueAt, now } = await loopOf(page);
      return (nextDueAt ?? now) - now;
    };
    await expect.poll(pause, { intervals: [50] }).toBeGreaterThan(500);
    const asked = server.journal.of('/photo/1').length;
    expect(asked).toBeGreaterThanOrEqual(30);
    await expect.poll(pause, { intervals: [50] }).toBeGreaterThan(1_500);
    expect(server.journal.of('/photo/1').length).toBeLessThan(asked + 3);
    await hasten(context, 20);
    await expect.poll(() => server.journal.of('/photo/1').length).toBeGreaterThan(asked + 3);
    const heard = await poll.evaluate((each) => each.heard);
    expect(heard).toMatchObject(heard.map(() => ({ type: 'success' })));
  });
});

/** The only loop that the worker has, and the worker's time. */
async function loopOf(page: Page): Promise<LoopInspection & { readonly now: number }> {
  return page.evaluate(async () => {
    const { loops, now } = await window.offstage.connect().inspect();
    const [loop] = loops;
    if (!loop) throw new Error('The worker has no loop');
    return { ...loop, now };
  });
}
