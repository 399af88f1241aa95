import type { JSHandle, Page } from '@playwright/test';
import type { Loop, RestStore, StoreWindow } from 'offstage';
import { sendJson } from './server/exchange.ts';
import type { FixtureServer } from './server/fixture-server.ts';
import { expect, test } from './test.ts';

const INTERVAL = 200;
const COUNT = 1_000;

/** Characters of a message: all photos take fifty thousand. */
const LARGEST = 8_000;

interface Photo {
  readonly id: number;
  readonly title: string;
  readonly likes: number;
}

test.use({ page: async ({ context }, use) => use(await context.newPage()) });

for (const host of ['service-worker', 'page'] as const) {
  test.describe(`functions of an app in its ${host}`, () => {
    test('make what is told of a poll, of which the page pays for what changed', async ({ page, server }) => {
      const photos = new Photos(server);
      const polled = await poll(page, host);
      await shows(polled, photos.mostLiked());
      const before = await polled.evaluateHandle(({ store }) => [...(store.model ?? [])]);
      await polled.evaluate(({ sizes }) => void (sizes.length = 0));
      photos.change(7, { likes: 1_000_000 });
      await shows(polled, photos.mostLiked());
      const kept = await polled.evaluate(
        ({ store }, rows) => (store.model ?? []).filter((row) => rows.includes(row)).length,
        before,
      );
      expect(kept).toBe(COUNT - 1);
      const sizes = await polled.evaluate((each) => each.sizes);
      expect(sizes.filter((size) => size >= LARGEST)).toEqual([]);
      expect(sizes.length > 0).toBe(host === 'service-worker');
      photos.change(8, { title: '' });
      await expect
        .poll(() => polled.evaluate(({ store }) => store.status.error?.failure))
        .toMatchObject({ code: 'schema', issues: [{ path: ['items', 8, 'title'] }] });
      await shows(polled, photos.mostLiked(7));
    });

    test('filter and sort the rows of a window, wherever it moves', async ({ page, server }) => {
      const photos = new Photos(server);
      const polled = await poll(page, host);
      const ids = (): Promise<unknown> =>
        polled.evaluate(({ window: { model, total } }) => ({ total, ids: model?.map(({ id }) => id) }));
      await expect.poll(ids).toEqual(photos.matching('7', 0));
      await polled.evaluate(({ window: shown }) => shown.move(100));
      await expect.poll(ids).toEqual(photos.matching('7', 100));
      await polled.evaluate(({ window: shown }) =>
        shown.arrange({ filter: ['matches', '99'], sorter: 'byLikes' }),
      );
      await expect.poll(ids).toEqual(photos.matching('99', 0));
      photos.change(99, { likes: 2_000_000 });
      await expect.poll(ids).toEqual(photos.matching('99', 0));
      await polled.evaluate(({ window: shown }) => shown.arrange({ filter: 'none' }));
      await expect
        .poll(() => polled.evaluate(({ window: { status } }) => status.error?.message))
        .toContain("no function 'none' (it has ");
    });
  });
}

/** A collection that a server serves. */
class Photos {
  #photos: readonly Photo[] = Array.from({ length: COUNT }, (_, id) => ({
    id,
    title: `The photo of number ${id}`,
    likes: (id * 7_919) % COUNT,
  }));
  /** What was served last, but for what a schema refuses. */
  readonly #served: (readonly Photo[])[] = [];

  constructor(server: FixtureServer) {
    server.on('GET /photos', (exchange) => sendJson(exchange, { items: this.#photos }));
  }

  change(id: number, change: Partial<Photo>): void {
    this.#served.push(this.#photos);
    this.#photos = this.#photos.map((photo) => (photo.id === id ? { ...photo, ...change } : photo));
  }

  /** All of them, or those before the newest change. */
  mostLiked(before?: number): readonly Photo[] {
    const photos = before === undefined ? this.#photos : (this.#served.at(-1) ?? []);
    return photos.toSorted((one, other) => other.likes - one.likes);
  }

  matching(text: string, start: number): unknown {
    const matching = this.mostLiked().filter(({ title }) => title.includes(text));
    return { total: matching.length, ids: matching.slice(start, start + 10).map(({ id }) => id) };
  }
}

interface Polled {
  readonly store: RestStore<readonly Photo[]>;
  readonly window: StoreWindow<Photo>;
  readonly loops: readonly Loop[];
  /** Characters of each message of a worker. */
  readonly sizes: number[];
}

/** Polls the collection twice: as the worker's functions make it, for a store, and as it comes, for a window. */
async function poll(page: Page, host: 'service-worker' | 'page'): Promise<JSHandle<Polled>> {
  await page.goto('/');
  await page.waitForFunction(() => 'offstage' in window);
  return page.evaluateHandle(
    async ([where, interval]) => {
      const { connect, Resource, RestStore } = window.offstage;
      const options = { host: where, serviceWorker: '/own-worker.js', functions: window.functions };
      const connection = connect(options);
      await connection.ready;
      const sizes: number[] = [];
      window.witness.overhear((data) => sizes.push(JSON.stringify(data).length));
      const photos = new Resource(
        {
          liked: {
            method: 'GET',
            url: '/photos',
            transform: ['titled', 'mostLiked'],
            response: Resource.type<readonly Photo[]>(),
          },
          all: {
            method: 'GET',
            url: '/photos',
            response: Resource.type<{ readonly items: readonly Photo[] }>(),
          },
        },
        { connection },
      );
      const store = new RestStore(photos, 'liked');
      store.subscribe(() => {});
      const all = new RestStore(photos, 'all', { select: '/items' });
      const shown = all.window(0, 10, { filter: ['matches', '7'], sorter: 'byLikes' });
      const loops = [photos.poll('liked', {}, { interval }), photos.poll('all', {}, { interval })];
      return { store, window: shown, loops, sizes };
    },
    [host, INTERVAL] as const,
  );
}

async function shows(polled: JSHandle<Polled>, photos: readonly Photo[]): Promise<void> {
  await expect.poll(() => polled.evaluate(({ store }) => store.model)).toEqual(photos);
}
