import { afterEach, beforeEach, expect, test } from 'vitest';
import { Resource } from '../resource/resource.ts';
import type { ResourceOf } from '../resource/resource.ts';
import { flush } from '../session/host.fixture.ts';
import { answered } from '../session/invocation.fixture.ts';
import { RestStore } from '../store/rest-store.ts';
import { done, OptimisticPage } from './optimistic-page.fixture.ts';
import type { Photo } from './optimistic-page.fixture.ts';

/** A function of the app's own: where the answer contains the write already, it shows twice. */
const DESCRIPTION = {
  list: { method: 'GET', url: '/listing' },
  create: {
    method: 'POST',
    url: '/listing',
    offline: 'queue',
    optimistic: { list: (rows: readonly Photo[], { data }: { data: unknown }) => [Object(data), ...rows] },
  },
} as const;

const BEFORE: readonly object[] = [{ title: 'Dawn' }];
const FRESH: readonly object[] = [{ title: 'Mine' }, { title: 'Of Bob' }, { title: 'Dawn' }];

let page: OptimisticPage;
let photos: ResourceOf<typeof DESCRIPTION>;

beforeEach(() => {
  page = new OptimisticPage();
  photos = new Resource(DESCRIPTION, { connection: page.connection, name: 'listing' });
});

afterEach(() => page.leave());

/** A write is under way while `bring` brings an answer that was asked for before its end. */
async function writeDuring(bring: () => Promise<void>): Promise<void> {
  photos.create(null, { title: 'Mine' });
  const write = await page.last();
  await page.tell({ ...write, state: 'sending', body: null, attempts: 1 });
  await bring();
  await page.tell(done(write, page.at(21)));
}

/** A query that hears of its loop: what the loop brings was asked for at that second. */
async function follow(
  options: Parameters<typeof photos.query>[2],
): Promise<[() => unknown, (rows: readonly object[], second: number) => Promise<void>]> {
  const query = photos.query('list', {}, options);
  query.subscribe(() => {});
  await flush();
  const { life } = page.host;
  const loop = life.told('declare').at(-1)?.declaration.loop ?? 0;
  const tick = async (rows: readonly object[], second: number): Promise<void> => {
    const outcome = answered(rows, { asOf: page.at(second) });
    await life.deliver({ kind: 'tick', loop, outcome, nextIn: 0 });
    await flush();
  };
  await tick(BEFORE, 0);
  return [() => query.snapshot.data, tick];
}

// From then on a server that holds requests has no news, and the worker tells none.
test('a long-polled list asks once itself for what came while a write was under way', async () => {
  const [shown, tick] = await follow({ longPoll: true });
  await writeDuring(() => tick(FRESH, 20));
  expect(await page.asked()).toBe(1);
  await page.list(FRESH, 22);
  expect(shown()).toEqual(FRESH);
  expect(await page.asked()).toBe(1);
});

test.each([
  ['polled, whose loop asks at once', { interval: 5_000 }],
  [
    'a feed, whose every answer comes by its loop',
    { longPoll: { cursor: { from: { header: 'X-Next' }, to: { query: 'since' } } } },
  ],
])('but not a list that is %s', async (_case, options) => {
  const [, tick] = await follow(options);
  await writeDuring(() => tick(FRESH, 20));
  expect(await page.asked()).toBe(0);
});

test.each([
  ['an action', {}],
  ['one query', { params: {} }],
])('a store of %s asks for what came while a write was under way', async (_case, delegate) => {
  const store = new RestStore(photos, 'list', delegate);
  await page.answer(photos.list(), answered(BEFORE, { asOf: page.at(0) }));
  await writeDuring(() => page.answer(photos.list(), answered(FRESH, { asOf: page.at(20) })));
  expect(await page.asked()).toBe(3);
  await page.list(FRESH, 22);
  expect(store.model).toEqual(FRESH);
  expect(await page.asked()).toBe(3);
});
