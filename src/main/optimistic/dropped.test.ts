import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { WriteReport } from '../../shared/outbox.ts';
import type { Query } from '../queries/query.ts';
import { OptimisticPage, titles } from './optimistic-page.fixture.ts';

let page: OptimisticPage;
let query: Query;
let write: WriteReport;

beforeEach(async () => {
  page = new OptimisticPage();
  query = page.resource.query('list', {});
  query.subscribe(() => {});
  await page.list([{ id: 1, title: 'Dawn' }], 0);
  page.resource.rename({ id: 1 }, { title: 'Mine' });
  write = await page.last();
  await page.tell(write);
});

afterEach(() => page.leave());

const discarded = (): WriteReport => ({ ...write, state: 'discarded', version: 1, endedAt: page.at(20) });

/** Its attempt was under way as it was discarded. */
const ended = (second: number): WriteReport => ({ ...discarded(), attempts: 1, endedAt: page.at(second) });

/** Its server has another version. */
async function conflict(): Promise<void> {
  const answer = {
    status: 412,
    headers: [],
    body: { kind: 'value', value: { id: 1, title: 'Theirs' } },
  } as const;
  const failure = { code: 'http', status: 412, message: 'no', body: null } as const;
  await page.tell({ ...write, state: 'conflict', attempts: 1, body: null, answer, failure });
}

// What is shown then is from before it: neither version.
test('what is shown is asked for again once a conflict is discarded', async () => {
  await conflict();
  expect(titles(query)).toEqual(['Mine']);
  expect(await page.asked()).toBe(1);
  await page.tell({ ...discarded(), attempts: 1 });
  expect(await page.asked()).toBe(2);
  await page.list([{ id: 1, title: 'Theirs' }], 21);
  expect(titles(query)).toEqual(['Theirs']);
  expect(await page.asked()).toBe(2);
});

test('and once a write is refused: another may have deleted what it changes', async () => {
  const failure = { code: 'http', status: 404, message: 'gone', body: null } as const;
  await page.tell({ ...write, state: 'review', attempts: 1, failure });
  expect(await page.asked()).toBe(2);
});

test('but not where a write is discarded that was never sent', async () => {
  await page.tell(discarded());
  expect(titles(query)).toEqual(['Dawn']);
  expect(await page.asked()).toBe(1);
});

test('nor where its server was not able to look at it', async () => {
  const failure = { code: 'http', status: 503, message: 'busy', body: null } as const;
  await page.tell({ ...write, attempts: 1, failure });
  await page.tell({ ...discarded(), attempts: 1 });
  expect(titles(query)).toEqual(['Dawn']);
  expect(await page.asked()).toBe(1);
});

describe('one that was discarded on its way, and whose server has answered since,', () => {
  test('is asked for once more', async () => {
    await page.tell({ ...write, state: 'sending', attempts: 1 });
    await page.tell(ended(20));
    await page.list([{ id: 1, title: 'Dawn' }], 21);
    expect(await page.asked()).toBe(2);
    await page.tell(ended(30));
    expect(await page.asked()).toBe(3);
    await page.list([{ id: 1, title: 'Mine' }], 31);
    await page.tell(ended(30));
    expect(titles(query)).toEqual(['Mine']);
    expect(await page.asked()).toBe(3);
  });

  test('also by a page that has never heard of it, unless it has asked since', async () => {
    await page.tell({ ...ended(30), entry: 'other', params: [['id', '2']] });
    expect(await page.asked()).toBe(2);
    await page.list([{ id: 1, title: 'Dawn' }], 31);
    await page.tell({ ...ended(29), entry: 'another', params: [['id', '3']] });
    expect(await page.asked()).toBe(2);
  });
});

test('it is asked for once, even if the clock is set back meanwhile', async () => {
  await conflict();
  await page.tell({ ...discarded(), attempts: 1 });
  vi.setSystemTime(page.at(1));
  await page.list([{ id: 1, title: 'Theirs' }], 1);
  expect(await page.asked()).toBe(2);
});
