import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { WriteReport } from '../../shared/outbox.ts';
import { unanswered } from '../../shared/outcome.ts';
import type { Query } from '../queries/query.ts';
import { Resource } from '../resource/resource.ts';
import { flush } from '../session/host.fixture.ts';
import { done, OptimisticPage } from './optimistic-page.fixture.ts';
import type { Photo } from './optimistic-page.fixture.ts';

interface Counted extends Photo {
  readonly likes: number;
}

let page: OptimisticPage;
let query: Query;
let like: () => unknown;

function likeRow(rows: readonly Counted[]): readonly Counted[] {
  return rows.map((row) => ({ ...row, likes: row.likes + 1 }));
}

/** A list that an app changes by a function of its own: where the answer contains the write already, it shows twice. */
beforeEach(async () => {
  page = new OptimisticPage();
  const photos = new Resource(
    {
      list: { method: 'GET', url: '/liked' },
      like: { method: 'POST', url: '/liked/{id}', offline: 'queue', optimistic: { list: likeRow } },
    } as const,
    { connection: page.connection, name: 'liked' },
  );
  query = photos.query('list', {});
  query.subscribe(() => {});
  await list(0, 0);
  like = () => photos.like({ id: 1 }, {});
});

afterEach(() => page.leave());

async function list(count: number, second: number): Promise<void> {
  const row: Counted = { id: 1, title: 'Dawn', likes: count };
  await page.list([row], second);
}

async function sending(): Promise<WriteReport> {
  like();
  const write = await page.last();
  const report: WriteReport = { ...write, state: 'sending', body: null, attempts: 1 };
  await page.tell(report);
  return report;
}

function pass(seconds: number): void {
  vi.advanceTimersByTime(seconds * 1_000);
}

function likes(): number | undefined {
  const { data } = query.snapshot;
  const rows: readonly Counted[] = Array.isArray(data) ? data : [];
  return rows[0]?.likes;
}

test('answers that waited for the end of a long attempt are left out, and do not count as three seconds of that', async () => {
  const write = await sending();
  // Asked for before the write was done, and performed already.
  void query.refresh();
  await list(1, 1);
  pass(30);
  void query.refresh();
  await list(1, 30);
  await page.tell(done(write, page.at(31)));
  expect(likes()).toBe(1);
});

test('an answer that comes after three seconds of that is shown, though the write may show twice', async () => {
  const write = await sending();
  await page.tell(done(write, page.at(31)));
  void query.refresh();
  await list(1, 29);
  expect(likes()).toBe(1);
  pass(2.9);
  void query.refresh();
  await list(1, 30);
  expect(likes()).toBe(1);
  pass(0.2);
  void query.refresh();
  await list(1, 30.5);
  expect(likes()).toBe(2);
});

test('an answer for a later write has three seconds of its own', async () => {
  const write = await sending();
  void query.refresh();
  await list(1, 30);
  await page.tell(done(write, page.at(31)));
  await flush();
  const asked = page.host.life.submitted.findLast(({ invocation }) => invocation.method === 'GET');
  await page.answer(asked?.id ?? 0, unanswered({ code: 'network', message: 'gone' }));
  pass(60);
  const next = await sending();
  void query.refresh();
  await list(2, 90);
  await page.tell(done(next, page.at(91)));
  expect(likes()).toBe(2);
});

test.each([1, 5])(
  'what others have changed is shown while writes overlap for a minute, with polls of %i s',
  async (period) => {
    let open = await sending();
    let shownAt: number | null = null;
    for (let turn = 0; turn < 60; turn += 1) {
      // The next one begins before this one ends.
      const next = await sending();
      if (turn % period === 0) {
        void query.refresh();
        await list(turn + 100, 30 + turn);
      }
      pass(0.5);
      await page.tell(done(open, page.at(30.5 + turn)));
      pass(0.5);
      open = next;
      if (shownAt === null && (likes() ?? 0) >= 100) shownAt = turn;
    }
    // Three seconds, the time of an attempt, and a poll.
    expect(shownAt).toBeLessThan(6 + 2 * period);
  },
);
