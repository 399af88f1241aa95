import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { unanswered } from '../../shared/outcome.ts';
import { Resource } from '../resource/resource.ts';
import type { ResourceOf } from '../resource/resource.ts';
import { flush } from '../session/host.fixture.ts';
import { answered, refused } from '../session/invocation.fixture.ts';
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

type Tick = (rows: readonly object[], second: number) => Promise<void>;

/** A query that hears of its loop. */
async function follow(options: Parameters<typeof photos.query>[2]): Promise<[() => unknown, Tick]> {
  const query = photos.query('list', {}, options);
  query.subscribe(() => {});
  return [() => query.snapshot.data, await hear()];
}

/** From here on, the loop brings answers to requests of that second. */
async function hear(): Promise<Tick> {
  await flush();
  const { life } = page.host;
  const loop = life.told('declare').at(-1)?.declaration.loop ?? 0;
  const tick: Tick = async (rows, second) => {
    const outcome = answered(rows, { asOf: page.at(second) });
    await life.deliver({ kind: 'tick', loop, outcome, nextIn: 0 });
    await flush();
  };
  await tick(BEFORE, 0);
  return tick;
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

describe('a long-polled list is in no error where its server holds the one beside the loop as well', () => {
  test.each([
    ['until that has lasted too long', unanswered({ code: 'timeout', message: 'late', timeout: 30_000 })],
    ['and a gateway before it gives up', refused(504)],
  ])('%s', async (_case, outcome) => {
    const store = new RestStore(photos, 'list');
    const query = photos.query('list', {}, { longPoll: true });
    query.subscribe(() => {});
    const tick = await hear();
    await writeDuring(() => tick(FRESH, 20));
    await page.answer(await lastRead(), outcome);
    expect([query.snapshot.error, query.snapshot.fetching, store.status.error]).toEqual([null, false, null]);
  });

  test('but where the app has asked', async () => {
    const query = photos.query('list', {}, { longPoll: true });
    query.subscribe(() => {});
    await hear();
    const refreshed = query.refresh();
    await flush();
    await page.answer(await lastRead(), refused(504));
    await expect(refreshed).rejects.toMatchObject({ code: 'http' });
  });
});

async function lastRead(): Promise<number> {
  await flush();
  return page.host.life.submitted.findLast(({ invocation }) => invocation.method === 'GET')?.id ?? 0;
}

const FEED = { cursor: { from: { header: 'X-Next' }, to: { query: 'since' } } };

test.each([
  ['polled, whose loop asks at once', { interval: 5_000 }],
  ['a feed, whose every answer comes by its loop', { longPoll: FEED }],
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

test.each([
  ['an action that is polled', {}, () => photos.poll('list', {}, { interval: 5_000 }), 0],
  ['one query that is polled', { params: {} }, () => photos.poll('list', {}, { interval: 5_000 }), 0],
  ['a feed', {}, () => photos.longPoll('list', {}, FEED), 0],
  ['one query of a feed', { params: {} }, () => photos.longPoll('list', {}, FEED), 0],
  ['an action whose requests are held', {}, () => photos.longPoll('list', {}), 1],
  ['one query whose requests are held', { params: {} }, () => photos.longPoll('list', {}), 1],
])('a store of %s asks beside the loop where a query does', async (_case, delegate, start, times) => {
  const store = new RestStore(photos, 'list', delegate);
  start();
  const tick = await hear();
  await writeDuring(() => tick(FRESH, 20));
  expect(await page.asked()).toBe(times);
  expect(store.model).not.toBeNull();
});

test('a query without a loop leaves to a poll what both ask', async () => {
  const [, tick] = await follow({ interval: 5_000 });
  photos.query('list', {}, { refreshOn: { mount: false } }).subscribe(() => {});
  await writeDuring(() => tick(FRESH, 20));
  expect(await page.asked()).toBe(0);
});
