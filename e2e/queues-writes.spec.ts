import type { Page } from '@playwright/test';
import { WriteServer } from './faults/outbox/write-server.ts';
import { sendJson } from './server/exchange.ts';
import { expect, test } from './test.ts';

const LANES = ['a', 'b'];

/** The numbers of what waits, by state. */
function waiting(page: Page): Promise<Record<string, number[]>> {
  return page.evaluate(() => window.outbox.waiting());
}

function queue(page: Page, from: number, count: number): Promise<{ acknowledged: readonly number[] }> {
  return page.evaluate(({ first, many, lanes }) => window.outbox.queue(first, many, lanes, 10_000), {
    first: from,
    many: count,
    lanes: LANES,
  });
}

test.describe('writes that wait', () => {
  test('are acknowledged without a network, survive page and worker, and arrive once and in order', async ({
    page,
    context,
    server,
    openTab,
    stopWorkers,
  }) => {
    const writes = new WriteServer(server, LANES);
    const other = await openTab();
    await context.setOffline(true);
    expect((await queue(page, 1, 6)).acknowledged).toHaveLength(6);
    await expect.poll(() => page.evaluate(() => window.offstage.connect().outbox.count)).toBe(6);
    await page.close();
    await stopWorkers();
    // The first of each lane may be sent in vain at this moment.
    const { queued = [], sending = [] } = await waiting(other);
    expect([...queued, ...sending].toSorted((one, two) => one - two)).toEqual([1, 2, 3, 4, 5, 6]);
    await context.setOffline(false);
    await expect.poll(() => writes.all.toSorted((one, two) => one - two)).toEqual([1, 2, 3, 4, 5, 6]);
    await expect.poll(() => other.evaluate(() => window.offstage.connect().outbox.count)).toBe(0);
    expect([writes.unordered, writes.mixed, await waiting(other)]).toEqual([0, 0, {}]);
  });

  test('are told as queued and done to the page that called, and once to every other tab', async ({
    page,
    server,
    openTab,
  }) => {
    const writes = new WriteServer(server, LANES);
    writes.fate = (number) => (number === 2 ? { status: 422, body: '{"why":"too dark"}' } : 'performed');
    const other = await openTab();
    const heard = await other.evaluateHandle(() => window.outbox.listen());
    const told = await page.evaluateHandle(() => window.outbox.record());
    await queue(page, 1, 2);
    await expect.poll(() => heard.evaluate(({ heard: all }) => all)).toHaveLength(2);
    expect(new Map(await heard.evaluate(({ heard: all }) => all))).toEqual(
      new Map([
        ['done', 1],
        ['review', 2],
      ]),
    );
    await expect
      .poll(() => told.evaluate((all) => all.toSorted()))
      .toEqual(['writeError', 'writeQueued', 'writeQueued', 'writeSuccess']);
    expect(await waiting(page)).toEqual({ review: [2] });
    writes.fate = () => 'performed';
    await page.evaluate(async () => {
      const { outbox } = window.offstage.connect();
      const [entry] = await outbox.list();
      if (entry) await outbox.edit(entry.id, { data: { number: 3 } });
    });
    await expect.poll(() => writes.all).toContain(3);
    await expect.poll(() => waiting(page)).toEqual({});
  });

  test('may name what an earlier one creates, before its server has named it', async ({
    page,
    context,
    server,
    openTab,
    stopWorkers,
  }) => {
    const told: string[] = [];
    server.on('POST /things', (exchange) => sendJson(exchange, { thing: { id: 7 } }, {}, 201));
    server.on('PUT /things/7', (exchange) => {
      told.push(exchange.body.toString('latin1'));
      sendJson(exchange, {});
    });
    const other = await openTab();
    await context.setOffline(true);
    const temporaryId = await page.evaluate(() => window.outbox.addAndUse());
    await page.close();
    await stopWorkers();
    const names = await other.evaluateHandle(() => window.outbox.listenToNames());
    await context.setOffline(false);
    await expect.poll(() => told).toHaveLength(2);
    await expect.poll(() => names.evaluate((all) => all)).toEqual([[temporaryId, 7]]);
    expect(told[0]).toBe('parent=7');
    expect(told[1]).toContain('name="parent"\r\n\r\n7\r\n--');
    expect(told[1]).toContain('\u0000\u00ff\r\n\r\n--');
    await expect.poll(() => waiting(other)).toEqual({});
  });
});
