import type { JSHandle, Page } from '@playwright/test';
import type { Loop } from 'offstage';
import { sendJson } from './server/exchange.ts';
import type { FixtureServer } from './server/fixture-server.ts';
import { expect, test } from './test.ts';

const INTERVAL = 200;
const ROWS = 1_000;

/** Characters of a message: one that holds the whole list takes more, one that tells of a row takes less. */
const SMALL = 2_000;

interface Row {
  readonly id: number;
  readonly title: string;
}

/** What a page saw of one tick. */
interface Tick {
  readonly changed: boolean;
  /** The response as text. */
  readonly text: string;
  /** How many rows are the very objects of the response before. */
  readonly kept: number;
}

test.describe('a poll of a list', () => {
  test('brings the rows that changed, and leaves the others the objects they are', async ({
    page,
    server,
  }) => {
    const list = new List(server);
    const following = await follow(page);
    await ticked(following, list);
    list.change((rows) => rows.with(500, { id: 500, title: 'Changed' }));
    expect(await ticked(following, list)).toMatchObject({ changed: true, kept: ROWS - 1 });
    list.change((rows) => [{ id: -1, title: 'Inserted' }, ...rows]);
    expect(await ticked(following, list)).toMatchObject({ changed: true, kept: ROWS });
    list.change((rows) => [...rows.slice(400), ...rows.slice(0, 400)].filter(({ id }) => id !== 7));
    expect(await ticked(following, list)).toMatchObject({ changed: true, kept: ROWS });
    const { first, later } = await sizes(following);
    expect(first).toBeGreaterThan(10 * SMALL);
    expect(Math.max(...later)).toBeLessThan(SMALL);
  });

  test('costs next to nothing while nothing changes', async ({ page, server }) => {
    const list = new List(server);
    const following = await follow(page);
    await ticked(following, list);
    await expect.poll(() => following.evaluate(({ ticks }) => ticks.length)).toBeGreaterThan(4);
    const ticks = await following.evaluate((each) => each.ticks.slice(1));
    for (const tick of ticks) expect(tick).toMatchObject({ changed: false, kept: ROWS });
    const { later } = await sizes(following);
    expect(Math.max(...later)).toBeLessThan(SMALL);
  });

  test('goes on with what changed when the worker was stopped', async ({ page, server, stopWorkers }) => {
    const list = new List(server);
    const following = await follow(page);
    await ticked(following, list);
    await stopWorkers();
    list.change((rows) => rows.with(3, { id: 3, title: 'Changed' }));
    expect(await ticked(following, list)).toMatchObject({ kept: ROWS - 1 });
    const { later } = await sizes(following);
    expect(Math.max(...later)).toBeLessThan(SMALL);
  });

  test('brings a tab that joins the whole, and both what changed from then on', async ({
    page,
    openTab,
    server,
  }) => {
    const list = new List(server);
    const one = await follow(page);
    await ticked(one, list);
    list.change((rows) => rows.with(1, { id: 1, title: 'Before' }));
    await ticked(one, list);
    const two = await follow(await openTab());
    await ticked(two, list);
    list.change((rows) => rows.slice(1));
    for (const following of [one, two]) {
      expect(await ticked(following, list)).toMatchObject({ kept: ROWS - 1 });
      const { first, later } = await sizes(following);
      expect(first).toBeGreaterThan(10 * SMALL);
      expect(Math.max(...later)).toBeLessThan(SMALL);
    }
  });

  test('gives the store of the page the same rows', async ({ page, server }) => {
    const list = new List(server);
    const following = await follow(page);
    await ticked(following, list);
    list.change((rows) => rows.with(500, { id: 500, title: 'Changed' }));
    await ticked(following, list);
    expect(await following.evaluate(({ models }) => models)).toEqual([0, ROWS - 1]);
  });

  test('that is not to be stored brings no more than what changed, either', async ({ page, server }) => {
    const list = new List(server, { 'Cache-Control': 'no-store' });
    const following = await follow(page);
    await ticked(following, list);
    list.change((rows) => rows.with(500, { id: 500, title: 'Changed' }));
    expect(await ticked(following, list)).toMatchObject({ changed: true, kept: ROWS - 1 });
    await expect.poll(() => following.evaluate(({ ticks }) => ticks.length)).toBeGreaterThan(5);
    const { later } = await sizes(following);
    expect(Math.max(...later)).toBeLessThan(SMALL);
    // Where nothing has changed there is no new model.
    expect(await following.evaluate(({ models }) => models)).toEqual([0, ROWS - 1]);
  });
});

/** A list that a server serves, without validators: every answer is the whole. */
class List {
  #rows: readonly Row[] = Array.from({ length: ROWS }, (_, id) => ({
    id,
    title: `The photo of number ${id}`,
  }));

  constructor(server: FixtureServer, headers: Readonly<Record<string, string>> = {}) {
    server.on('GET /rows', (exchange) => sendJson(exchange, this.#rows, headers));
  }

  get text(): string {
    return JSON.stringify(this.#rows);
  }

  change(change: (rows: readonly Row[]) => readonly Row[]): void {
    this.#rows = change(this.#rows);
  }
}

interface Following {
  readonly ticks: readonly Tick[];
  /** Of each model, how many rows are the very objects of the one before. */
  readonly models: readonly number[];
  /** Characters of each message from the worker that has a body. */
  readonly sizes: readonly number[];
  readonly loop: Loop;
}

function follow(page: Page): Promise<JSHandle<Following>> {
  return page.evaluateHandle((interval) => {
    const { Resource, RestStore } = window.offstage;
    const photo = new Resource({ list: { method: 'GET', url: '/rows' } });
    const [ticks, models, bodies]: [Tick[], number[], number[]] = [[], [], []];
    const { kept } = window.witness;
    window.witness.overhear((data) => {
      const text = JSON.stringify(data);
      if (text.includes('"tick"')) bodies.push(text.length);
    });
    let last: unknown = null;
    photo.addListener('success', ({ changed, response }) => {
      ticks.push({ changed, text: JSON.stringify(response), kept: kept(last, response) });
      last = response;
    });
    const store = new RestStore(photo, 'list');
    let model: unknown = null;
    store.subscribe((value) => {
      if (value !== null) models.push(kept(model, value));
      model = value;
    });
    return { ticks, models, sizes: bodies, loop: photo.poll('list', {}, { interval }) };
  }, INTERVAL);
}

/** The first tick that shows the list as it is. */
async function ticked(following: JSHandle<Following>, { text }: List): Promise<Tick | undefined> {
  await expect.poll(() => following.evaluate(({ ticks }) => ticks.at(-1)?.text)).toBe(text);
  return following.evaluate(({ ticks }, shown) => ticks.find((tick) => tick.text === shown), text);
}

async function sizes(
  following: JSHandle<Following>,
): Promise<{ readonly first: number; readonly later: readonly number[] }> {
  const [first = 0, ...later] = await following.evaluate((each) => each.sizes);
  return { first, later };
}
