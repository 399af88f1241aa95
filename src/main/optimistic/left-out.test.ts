import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { WriteReport } from '../../shared/outbox.ts';
import type { Query } from '../queries/query.ts';
import { Resource } from '../resource/resource.ts';
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
  page.host.life.identity = { name: null, epoch: 2, isSignedIn: false };
  vi.setSystemTime(page.at(1_000));
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
