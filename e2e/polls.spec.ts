import { setTimeout as sleep } from 'node:timers/promises';
import { sendJson } from './server/exchange.ts';
import type { FixtureServer } from './server/fixture-server.ts';
import { expect, test } from './test.ts';

test.describe('a poll', () => {
  test('keeps to the grid of its interval, with one request out at most', async ({ page, server }) => {
    const took = { '/photo/1': 150, '/photo/2': 400 } as const;
    let [out, most] = [0, 0];
    for (const path of ['/photo/1', '/photo/2'] as const) {
      server.on(`GET ${path}`, async (exchange) => {
        if (path === '/photo/2') most = Math.max(most, (out += 1));
        await sleep(took[path]);
        if (path === '/photo/2') out -= 1;
        sendJson(exchange, {});
      });
    }
    await page.evaluate(() => {
      const photo = new window.offstage.Resource({ get: { method: 'GET', url: '/photo/{id}' } });
      photo.poll('get', { id: 1 }, { interval: 300 });
      photo.poll('get', { id: 2 }, { interval: 300 });
    });
    await expect.poll(() => server.journal.of('/photo/2').length).toBeGreaterThan(3);
    // A busy machine makes gaps longer, and one shorter where a request is late alone.
    expect(Math.min(...gapsOf(server, '/photo/1')), 'not the interval and the answer').toBeLessThan(400);
    const gaps = gapsOf(server, '/photo/2');
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
    expect(mean, 'every other tick').toBeGreaterThan(500);
    expect(most).toBe(1);
  });

  test('asks at once, or after one interval, as in the classic order of arguments', async ({
    page,
    server,
  }) => {
    await page.evaluate(() => {
      const photo = new window.offstage.Resource({ get: { method: 'GET', url: '/photo/{id}' } });
      photo.poll('get', { id: 'at-once' }, { interval: 500 });
      photo.poll('get', { id: 'later' }, { interval: 500, immediately: false });
      photo.poll('get', 500, { id: 'classic' });
      photo.poll('get', 500, { id: 'classic-at-once' }, true);
    });
    await expect.poll(() => server.journal.of('/photo/later').length).toBeGreaterThan(0);
    await expect.poll(() => server.journal.of('/photo/classic').length).toBeGreaterThan(0);
    const firstOf = (id: string): number => server.journal.of(`/photo/${id}`)[0]?.at ?? 0;
    const began = firstOf('at-once');
    expect(began).toBeGreaterThan(0);
    expect(Math.abs(firstOf('classic-at-once') - began)).toBeLessThan(300);
    expect(firstOf('later') - began).toBeGreaterThan(300);
    expect(firstOf('classic') - began).toBeGreaterThan(300);
  });

  test('takes the place of the one with the same action and parameters, and of no other', async ({
    page,
    server,
  }) => {
    const state = await page.evaluate(async () => {
      const { connect, Resource } = window.offstage;
      const photo = new Resource({
        get: { method: 'GET', url: '/photo/{id}' },
        list: { method: 'GET', url: '/photo' },
      });
      const other = new Resource({ get: { method: 'GET', url: '/photo/{id}' } });
      const { thrown } = window.witness;
      const loop = photo.poll('get', { id: 1 }, { interval: 50_000 });
      const again = photo.poll('get', { id: 1 }, { interval: 60_000 });
      photo.poll('get', { id: '1' }, { interval: 70_000 });
      photo.poll('get', { id: 2 }, { interval: 80_000 });
      photo.poll('list', null, { interval: 80_000 });
      other.poll('get', { id: 1 }, { interval: 90_000 });
      loop.stop();
      const refused = [99, 0, -1, Number.NaN, Infinity].flatMap((interval) => [
        thrown(() => photo.poll('get', { id: 3 }, { interval })),
        thrown(() => photo.poll('get', interval, { id: 3 })),
        thrown(() => (again.interval = interval)),
      ]);
      const { loops } = await connect().inspect();
      const fallback = photo.poll('get', { id: 4 });
      return { loops, refused, standard: [fallback.interval, fallback.action] };
    });
    const paces = state.loops.map(({ interval, pages }) => [interval ?? 0, pages]);
    expect(paces.toSorted(([one = 0], [two = 0]) => one - two)).toEqual([
      // That of the other resource asks for the same: the worker has one for both, at the pace of the faster.
      [70_000, 2],
      [80_000, 1],
      [80_000, 1],
    ]);
    for (const refusal of state.refused)
      expect(refusal).toContain("RangeError: Interval of 'get' must be at least 100 ms");
    expect(state.standard).toEqual([5_000, 'get']);
    expect(server.journal.of('/photo/3')).toEqual([]);
  });

  test('can be paced, restarted and stopped', async ({ page, server }) => {
    const poll = await page.evaluateHandle(() => {
      const photo = new window.offstage.Resource({ get: { method: 'GET', url: '/photo/1' } });
      const heard = window.witness.record(photo, 'success', 'error');
      const loop = photo.poll('get', {}, { interval: 60_000 });
      return { photo, heard, loop };
    });
    const asked = (): number => server.journal.of('/photo/1').length;
    const loops = (): Promise<unknown> =>
      page.evaluate(async () => (await window.offstage.connect().inspect()).loops);
    await expect.poll(loops).toMatchObject([{ state: 'waiting', requests: 1, kind: 'poll', failures: 0 }]);
    await poll.evaluate(({ loop }) => void (loop.interval = 100));
    await expect.poll(asked).toBeGreaterThan(3);
    await poll.evaluate(({ loop }) => void (loop.interval = 60_000));
    await expect.poll(loops).toMatchObject([{ state: 'waiting', interval: 60_000 }]);
    const before = asked();
    await poll.evaluate(({ loop }) => loop.restart());
    await expect.poll(asked).toBe(before + 1);
    await expect.poll(loops).toMatchObject([{ state: 'waiting', requests: 1, interval: 60_000 }]);
    await poll.evaluate(({ loop }) => loop.stop());
    await expect.poll(loops).toEqual([]);
    await poll.evaluate(({ loop }) => loop.restart());
    await expect.poll(asked).toBe(before + 2);
    await expect.poll(loops).toMatchObject([{ state: 'waiting' }]);
    expect(await poll.evaluate(({ heard }) => heard.length)).toBe(asked());
  });

  test('has its request ended by abort, and goes on; stop ends both', async ({ page, server }) => {
    const poll = await page.evaluateHandle(() => {
      const photo = new window.offstage.Resource({ get: { method: 'GET', url: '/hold?key=a' } });
      const heard = window.witness.record(photo, 'success', 'error');
      return { photo, heard, loop: photo.poll('get', {}, { interval: 200 }) };
    });
    await expect.poll(() => server.journal.open('/hold').length).toBe(1);
    await poll.evaluate(({ photo }) => photo.abort('get'));
    await expect.poll(() => server.journal.of('/hold').length).toBe(2);
    expect(await poll.evaluate(({ heard }) => heard)).toMatchObject([{ code: 'aborted', phase: 'abort' }]);
    server.release('a', '1');
    await expect.poll(() => server.journal.of('/hold').length).toBe(3);
    await poll.evaluate(({ loop }) => loop.stop());
    await expect.poll(() => server.journal.open('/hold')).toEqual([]);
    const state = await page.evaluate(() => window.offstage.connect().inspect());
    expect(state.loops).toEqual([]);
    expect(await poll.evaluate(({ heard }) => heard)).toMatchObject([{ code: 'aborted' }, { response: 1 }]);
  });

  test('without parameters repeats the last invocation; any method goes, with its data', async ({
    page,
    server,
  }) => {
    await page.evaluate(async () => {
      const photo = new window.offstage.Resource({
        put: { method: 'PUT', url: '/photo/{id}' },
        search: { method: 'POST', url: '/photo/{id}' },
        classic: { method: 'GET', url: '/photo/{id=none}' },
      });
      photo.configureRequest((request, action) => request.setRequestHeader('X-Action', action));
      await photo.result(photo.put({ id: 1 }, { title: 'Sea' }));
      await photo.result(photo.classic({ id: 2 }));
      photo.poll('put', null, { interval: 200 });
      photo.poll('classic', 200);
      photo.poll('search', { id: 3 }, { interval: 200, data: { q: 'sea' } });
      await photo.result(photo.search({ id: 4 }, { q: 'hill' }));
      photo.poll('search', null, { interval: 60_000, data: { q: 'lake' } });
    });
    await expect.poll(() => server.journal.of('/photo/1').length).toBeGreaterThan(2);
    const put = { method: 'PUT', body: 'title=Sea', headers: { 'x-action': 'put' } };
    expect(server.journal.of('/photo/1').slice(0, 3)).toMatchObject([put, put, put]);
    await expect.poll(() => server.journal.of('/photo/3').length).toBeGreaterThan(1);
    await expect.poll(() => server.journal.of('/photo/4').length).toBe(2);
    await expect.poll(() => server.journal.of('/photo/2').length).toBeGreaterThan(1);
    const search = { method: 'POST', body: 'q=sea' };
    expect(server.journal.of('/photo/3').slice(0, 2)).toMatchObject([search, search]);
    expect(server.journal.of('/photo/4')).toMatchObject([{ body: 'q=hill' }, { body: 'q=lake' }]);
    expect(server.journal.of('/photo/none')).toEqual([]);
  });
});

/** Milliseconds from each request of a path to the next. */
function gapsOf(server: FixtureServer, path: string): number[] {
  const times = server.journal.of(path).map(({ at }) => at);
  return times.slice(1).map((at, index) => at - (times[index] ?? at));
}
