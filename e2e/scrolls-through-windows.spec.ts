import type { JSHandle, Page } from '@playwright/test';
import type { Loop, RestStore, StoreWindow } from 'offstage';
import { sendJson } from './server/exchange.ts';
import type { FixtureServer } from './server/fixture-server.ts';
import { expect, test } from './test.ts';

const INTERVAL = 200;
const ROWS = 10_000;
const COUNT = 50;

/** Characters of a message: the whole list takes half a million, a window less. */
const LARGEST = 8_000;

interface Row {
  readonly id: number;
  readonly title: string;
}

test.describe('a window of a list that is polled', () => {
  test('brings its rows and the length of the list, and nothing else comes to the page', async ({
    page,
    server,
  }) => {
    const list = new List(server);
    const scrolling = await scroll(page);
    await shows(scrolling, list, 0);
    await scrolling.evaluate(({ window: shown }) => shown.move(9_980));
    await shows(scrolling, list, 9_980);
    await scrolling.evaluate(({ window: shown }) => {
      for (let start = 100; start <= 5_000; start += 100) shown.move(start);
    });
    await shows(scrolling, list, 5_000);
    await ticked(scrolling);
    expect(await largest(scrolling)).toBeLessThan(LARGEST);
  });

  test('shows a row that changed, and leaves the others the objects they are', async ({ page, server }) => {
    const list = new List(server);
    const scrolling = await scroll(page);
    await shows(scrolling, list, 0);
    list.change((rows) => rows.with(7, { id: 7, title: 'Changed' }));
    await shows(scrolling, list, 0);
    expect(await scrolling.evaluate(({ kept }) => kept)).toEqual([0, COUNT - 1]);
    await scrolling.evaluate(({ window: shown }) => shown.move(20));
    await shows(scrolling, list, 20);
    expect(await scrolling.evaluate(({ kept }) => kept)).toEqual([0, COUNT - 1, COUNT - 20]);
    list.change((rows) => [{ id: -1, title: 'Inserted' }, ...rows]);
    await shows(scrolling, list, 20);
    expect(await scrolling.evaluate(({ kept }) => kept.at(-1))).toBe(COUNT - 1);
    expect(await largest(scrolling)).toBeLessThan(LARGEST);
  });

  test('is not changed by what changes outside of it, but for the length', async ({ page, server }) => {
    const list = new List(server);
    const scrolling = await scroll(page);
    await shows(scrolling, list, 0);
    const parts = await scrolling.evaluate((each) => each.parts.length);
    list.change((rows) => [...rows.with(5_000, { id: 5_000, title: 'Changed' }), { id: ROWS, title: 'New' }]);
    await expect.poll(() => scrolling.evaluate((each) => each.window.total)).toBe(ROWS + 1);
    expect(await scrolling.evaluate(({ kept }) => kept)).toEqual([0]);
    expect(await scrolling.evaluate((each) => each.parts.length)).toBe(parts + 1);
    await ticked(scrolling);
    expect(await scrolling.evaluate((each) => each.parts.length)).toBe(parts + 1);
  });

  test('goes on where the worker was stopped', async ({ page, server, stopWorkers }) => {
    const list = new List(server);
    const scrolling = await scroll(page);
    await shows(scrolling, list, 0);
    await stopWorkers();
    await scrolling.evaluate(({ window: shown }) => shown.move(7_000));
    await shows(scrolling, list, 7_000);
    await stopWorkers();
    list.change((rows) => rows.with(7_001, { id: 7_001, title: 'Changed' }));
    await shows(scrolling, list, 7_000);
    expect(await largest(scrolling)).toBeLessThan(LARGEST);
  });

  test('leaves a listener that is added later to get the whole, at once', async ({ page, server }) => {
    const list = new List(server);
    const scrolling = await scroll(page, 60_000);
    await shows(scrolling, list, 0);
    const length = await scrolling.evaluate(
      ({ photo }) =>
        new Promise((resolve) => {
          photo.addListener('success', ({ response }) =>
            resolve(Reflect.get(Object(response), 'items').length),
          );
        }),
    );
    expect(length).toBe(ROWS);
    // It has not been waited for the next poll.
    expect(list.asked).toBe(1);
  });

  test('shares the page with the whole', async ({ page, server }) => {
    const list = new List(server);
    const scrolling = await scroll(page);
    await shows(scrolling, list, 0);
    const models = await scrolling.evaluateHandle(({ store }) => {
      const lengths: unknown[] = [];
      const unsubscribe = store.subscribe((model) => void lengths.push(Array.isArray(model) && model.length));
      return { lengths, unsubscribe };
    });
    await expect.poll(() => models.evaluate(({ lengths }) => lengths.at(-1))).toBe(ROWS);
    await scrolling.evaluate(({ window: shown }) => shown.move(300));
    await shows(scrolling, list, 300);
    const parts = await scrolling.evaluate((each) => each.parts.length);
    list.change((rows) => rows.slice(1));
    await shows(scrolling, list, 300);
    expect(await models.evaluate(({ lengths }) => lengths.at(-1))).toBe(ROWS - 1);
    expect(await scrolling.evaluate((each) => each.parts.length)).toBe(parts);
    await models.evaluate(({ unsubscribe }) => unsubscribe());
    await scrolling.evaluate((each) => void (each.sizes.length = 0));
    list.change((rows) => rows.slice(1_000));
    await shows(scrolling, list, 300);
    expect(await largest(scrolling)).toBeLessThan(LARGEST);
  });

  test('has its rows of answers that may not be stored, which come whole', async ({ page, server }) => {
    const list = new List(server, { 'Cache-Control': 'no-store' });
    const scrolling = await scroll(page);
    await shows(scrolling, list, 0);
    await scrolling.evaluate(({ window: shown }) => shown.move(9_000));
    await shows(scrolling, list, 9_000);
    list.change((rows) => rows.with(9_001, { id: 9_001, title: 'Changed' }));
    await shows(scrolling, list, 9_000);
    expect(await scrolling.evaluate((each) => each.parts.length)).toBe(0);
  });
});

/** A list in an object that a server serves, without validators: every answer is the whole. */
class List {
  #rows: readonly Row[] = Array.from({ length: ROWS }, (_, id) => ({
    id,
    title: `The photo of number ${id}`,
  }));
  asked = 0;

  constructor(server: FixtureServer, headers: Readonly<Record<string, string>> = {}) {
    server.on('GET /rows', (exchange) => {
      this.asked += 1;
      sendJson(exchange, { page: 1, items: this.#rows }, headers);
    });
  }

  change(change: (rows: readonly Row[]) => readonly Row[]): void {
    this.#rows = change(this.#rows);
  }

  /** What a window from there shows. */
  from(start: number): unknown {
    return { rows: this.#rows.slice(start, start + COUNT), start, total: this.#rows.length };
  }
}

interface Scrolling {
  readonly photo: RestStore['resource'];
  readonly store: RestStore;
  readonly window: StoreWindow;
  readonly loop: Loop;
  /** Of each model, how many rows are objects of the one before. */
  readonly kept: readonly number[];
  /** Characters of each message from the worker. */
  readonly sizes: number[];
  /** The messages among them that have a part. */
  readonly parts: readonly unknown[];
  readonly ticks: readonly unknown[];
}

function scroll(page: Page, interval = INTERVAL): Promise<JSHandle<Scrolling>> {
  return page.evaluateHandle(
    ({ each, count }) => {
      const { Resource, RestStore } = window.offstage;
      const [sizes, parts, ticks, kept]: [number[], unknown[], unknown[], number[]] = [[], [], [], []];
      window.witness.overhear((data) => {
        const text = JSON.stringify(data);
        sizes.push(text.length);
        if (text.includes('"part"')) parts.push(text);
        if (text.includes('"tick"')) ticks.push(text);
      });
      const photo = new Resource({ list: { method: 'GET', url: '/rows' } });
      const store = new RestStore(photo, 'list', { select: '/items' });
      const shown = store.window(0, count);
      let known = new Set<unknown>();
      shown.subscribe((rows) => {
        if (rows === null) return;
        kept.push(rows.filter((row) => known.has(row)).length);
        known = new Set(rows);
      });
      const loop = photo.poll('list', {}, { interval: each });
      return { photo, store, window: shown, loop, kept, sizes, parts, ticks };
    },
    { each: interval, count: COUNT },
  );
}

/** Waits until the window shows what the list has from there on. */
async function shows(scrolling: JSHandle<Scrolling>, list: List, start: number): Promise<void> {
  const shown = (): Promise<unknown> =>
    scrolling.evaluate(({ window: { model, start: from, total } }) => ({ rows: model, start: from, total }));
  await expect.poll(shown).toEqual(list.from(start));
}

/** Waits for two more ticks. */
async function ticked(scrolling: JSHandle<Scrolling>): Promise<void> {
  const before = await scrolling.evaluate(({ ticks }) => ticks.length);
  await expect.poll(() => scrolling.evaluate(({ ticks }) => ticks.length)).toBeGreaterThan(before + 1);
}

function largest(scrolling: JSHandle<Scrolling>): Promise<number> {
  return scrolling.evaluate(({ sizes }) => Math.max(...sizes));
}
