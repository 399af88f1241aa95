import type { TestType } from '@playwright/test';
import { test as base, expect } from '../test.ts';
import { CHANGES, Couch } from './couch.ts';
import { changesOf, follow, livesOf, placeOf } from './follower.ts';

type Args = typeof base extends TestType<infer Test, infer Worker> ? [Test, Worker] : never;

const FEED = `${CHANGES}?feed=longpoll&include_docs=true`;

/** The page asks on its own origin, whose server hands on to the database: so its journal is what that was asked. */
const test: TestType<Args[0] & { readonly couch: Couch }, Args[1]> = base.extend<{ readonly couch: Couch }>({
  couch: async ({ server }, use) =>
    Couch.use(async (couch) => {
      server.on(`GET ${CHANGES}`, couch.relay);
      await use(couch);
    }),
});

test.describe('the changes of a CouchDB-compatible server', () => {
  test('are followed from answer to answer, each from where the one before ended', async ({
    page,
    server,
    couch,
  }) => {
    await couch.writeInBulk(names(1, 20));
    await follow(page, FEED);
    await expect.poll(() => placeOf(page)).toBe(20);
    await couch.write(names(21, 22));
    await couch.writeInBulk(names(23, 30));
    await expect.poll(() => placeOf(page)).toBe(30);
    await expect.poll(() => server.journal.open(CHANGES).length).toBe(1);

    const [told = []] = await livesOf(page);
    expect(changesOf(told).map(({ id, seq }) => [id, seq])).toEqual(numbered(names(1, 30)));
    const asked = server.journal.of(CHANGES).map(({ url }) => new URLSearchParams(url.split('?')[1]));
    expect(asked.map((query) => query.getAll('since'))).toEqual([
      ['0'],
      ...told.map(({ last_seq: place }) => [String(place)]),
    ]);
    for (const query of asked) {
      expect(query.get('timeout')).toBe('25000');
      expect(query.get('feed')).toBe('longpoll');
    }
  });

  test('are gone on with where a held request brought nothing, and read past its heartbeat', async ({
    page,
    server,
    couch,
  }) => {
    await couch.write(names(1, 2));
    await follow(page, `${FEED}&heartbeat=100`, 1_500);
    await expect.poll(() => placeOf(page)).toBe(2);
    // The server never times out by itself: the page's watchdog does, which is no event and no step on.
    await expect.poll(() => server.journal.of(CHANGES).length, { timeout: 10_000 }).toBeGreaterThan(3);
    await expect.poll(() => server.journal.open(CHANGES).length).toBe(1);
    await couch.write(names(3, 3));
    await expect.poll(() => placeOf(page)).toBe(3);

    const lives = await livesOf(page);
    expect(lives.map((told) => told.map(({ results }) => results.length))).toEqual([[2, 1]]);
    expect(sinces(server.journal.of(CHANGES)).slice(0, 4)).toEqual([0, 2, 2, 2]);
  });

  test('are told to every tab once and in order, though the worker dies, a tab joins and another reloads', async ({
    page,
    server,
    couch,
    openTab,
    stopWorkers,
  }) => {
    await couch.write(names(1, 20));
    await follow(page, FEED);
    await expect.poll(() => placeOf(page)).toBe(20);

    await couch.write(names(21, 28));
    const writing = couch.writeAtOnce(names(29, 36));
    await stopWorkers();
    await writing;
    await couch.write(names(37, 40));
    await expect.poll(() => placeOf(page)).toBe(40);

    const second = await openTab();
    await follow(second, FEED);
    await couch.writeAtOnce(names(41, 48));
    await expect.poll(() => placeOf(second)).toBe(48);

    const onAndOn = couch.write(names(49, 60));
    await page.reload();
    await page.evaluate(async () => {
      await window.offstage.connect({ serviceWorker: '/service-worker.js' }).ready;
    });
    await follow(page, FEED);
    await onAndOn;

    const bulk = couch.writeInBulk(names(61, 68));
    await stopWorkers();
    await bulk;
    await couch.write(names(69, 70));
    for (const tab of [page, second]) await expect.poll(() => placeOf(tab), { timeout: 15_000 }).toBe(70);

    const tabs = await Promise.all([livesOf(page), livesOf(second)]);
    expect(tabs.map((lives) => lives.length)).toEqual([2, 1]);
    const heard = tabs.flat().map((told) => changesOf(told).map(({ seq }) => seq));
    for (const seqs of heard) {
      const [first = 0] = seqs;
      expect(seqs, 'each once, in order, none left out since it began').toEqual(
        range(first, seqs.at(-1) ?? 0),
      );
    }
    const [before = [], after = [], joined = []] = heard;
    expect(before[0], 'the first life begins at the beginning').toBe(1);
    expect(after[0], 'the second misses nothing that the first was not told').toBeLessThanOrEqual(
      (before.at(-1) ?? 0) + 1,
    );
    expect([after.at(-1), joined.at(-1)]).toEqual([70, 70]);
    const ids = new Set(tabs.flat().flatMap((told) => changesOf(told).map(({ id }) => id)));
    expect([...ids].toSorted()).toEqual(names(1, 70));

    const places = new Set([0, ...tabs.flat(2).map(({ last_seq: place }) => place)]);
    const asked = sinces(server.journal.of(CHANGES));
    expect(
      asked.filter((place) => !places.has(place)),
      'asked for places that no answer named',
    ).toEqual([]);
  });
});

/** `photo-007` and so on. */
function names(first: number, last: number): string[] {
  return range(first, last).map((n) => `photo-${String(n).padStart(3, '0')}`);
}

function numbered(ids: readonly string[]): [id: string, seq: number][] {
  return ids.map((id, index) => [id, index + 1]);
}

function range(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}

/** The places that were asked for, in order; NaN where a request named none. */
function sinces(requests: readonly { readonly url: string }[]): number[] {
  return requests.map(({ url }) => {
    const place = new URLSearchParams(url.split('?')[1]).get('since');
    return place === null ? Number.NaN : Number(place);
  });
}
