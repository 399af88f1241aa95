import { sendJson } from './server/exchange.ts';
import { expect, test } from './test.ts';

test('an answer that is stale for a while is told at once, and the server’s after it, by new workers too', async ({
  page,
  server,
  stopWorkers,
}) => {
  let asked = 0;
  const held: (() => void)[] = [];
  server.on('GET /menu', (exchange) => {
    const nth = (asked += 1);
    const headers = { 'Cache-Control': 'max-age=0, stale-while-revalidate=600' };
    if (nth === 1) sendJson(exchange, { nth }, headers);
    else held.push(() => sendJson(exchange, { nth }, headers));
  });
  const get = () =>
    page.evaluate(async () => {
      const menu = new window.offstage.Resource({ get: { method: 'GET', url: '/menu' } });
      Reflect.set(window, 'heard', window.witness.record(menu, 'success', 'error'));
      return menu.result(menu.get());
    });
  expect(await get()).toEqual({ nth: 1 });
  // An answer is told before it is stored.
  const entries = () => page.evaluate(async () => (await window.offstage.connect().inspect()).cache.entries);
  await expect.poll(entries).toBe(1);
  await stopWorkers();
  expect(await get()).toEqual({ nth: 1 });
  await expect.poll(() => asked).toBe(2);
  const heard = () => page.evaluate(() => Reflect.get(window, 'heard'));
  expect(await heard()).toMatchObject([{ servedFrom: 'cache', stale: true, response: { nth: 1 } }]);
  held[0]?.();
  await expect.poll(heard).toMatchObject([
    { servedFrom: 'cache', stale: true, response: { nth: 1 } },
    { servedFrom: 'network', stale: false, response: { nth: 2 } },
  ]);
});
