import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { unanswered } from '../../shared/outcome.ts';
import type { Query } from '../queries/query.ts';
import { flush } from '../session/host.fixture.ts';
import { answered } from '../session/invocation.fixture.ts';
import { done, OptimisticPage, titles } from './optimistic-page.fixture.ts';

const ROWS = [
  { id: 1, title: 'Dawn' },
  { id: 2, title: 'Noon' },
];

let page: OptimisticPage;
let query: Query;

beforeEach(async () => {
  page = new OptimisticPage();
  query = page.resource.query('list', {});
  query.subscribe(() => {});
  await page.list(ROWS, 0);
});

afterEach(() => page.leave());

/** Answers what the query asks, so often at most; returns how often it has asked. */
async function answerAll(answer: (call: number) => Promise<void>, most: number): Promise<number> {
  const before = await page.asked();
  let known = before;
  for (let call = 0; call < most; call += 1) {
    await answer(call);
    const now = await page.asked();
    if (now === known) break;
    known = now;
  }
  return known - before;
}

describe('a query asks again once a write is done, and not for ever', () => {
  test('where the list is empty now, and the server says so by 204', async () => {
    page.resource.remove({ id: 1 });
    page.resource.remove({ id: 2 });
    const write = await page.last();
    await page.tell(done(write, page.at(10)));
    const more = await answerAll(
      (call) =>
        page.list([], 20 + call, {
          answer: { status: 204, headers: [], body: { kind: 'value', value: null } },
        }),
      25,
    );
    expect(more).toBeLessThan(3);
  });

  test('where the clock is set back by an hour after the write was done', async () => {
    page.resource.rename({ id: 1 }, { title: 'Morning' });
    const write = await page.last();
    vi.setSystemTime(page.at(3_600));
    await page.tell(done(write, page.at(3_600)));
    vi.setSystemTime(page.at(5));
    const more = await answerAll((call) => page.list([{ id: 1, title: 'MORNING' }], 6 + call), 25);
    expect(more).toBeLessThan(3);
  });

  test('where the clock is set back, what servers say is shown', async () => {
    page.resource.rename({ id: 1 }, { title: 'Morning' });
    const write = await page.last();
    vi.setSystemTime(page.at(3_600));
    await page.tell(done(write, page.at(3_600)));
    vi.setSystemTime(page.at(5));
    await page.list(
      [
        { id: 1, title: 'MORNING' },
        { id: 3, title: 'Night' },
      ],
      6,
    );
    await page.list(
      [
        { id: 1, title: 'MORNING' },
        { id: 3, title: 'Night' },
      ],
      7,
    );
    expect(titles(query)).toEqual(['MORNING', 'Night']);
  });
});

describe('answers are held for the time of one attempt', () => {
  test('while a queue of writes is sent, one after the other', async () => {
    const writes = [];
    for (let turn = 0; turn < 40; turn += 1) {
      page.resource.rename({ id: 1 }, { title: `Morning ${turn}` });
      const write = await page.last();
      await page.tell(write);
      writes.push(write);
    }
    let shownAt: number | null = null;
    for (const [turn, write] of writes.entries()) {
      const second = 10 + turn * 2;
      await page.tell({ ...write, state: 'sending', body: null, attempts: 1 });
      // Somebody else's photo is in each answer from the first on.
      await page.list([...ROWS, { id: 3, title: 'Night' }], second);
      await page.tell(done(write, page.at(second + 1)));
      if (shownAt === null && titles(query)?.includes('Night')) shownAt = turn;
    }
    expect(shownAt).not.toBeNull();
    expect(shownAt).toBeLessThan(5);
  });

  // The same with plain calls that overlap: somebody types, and each key saves.
  test('while plain calls overlap', async () => {
    let open = page.resource.like({ id: 1 }, { title: 'a' });
    let isShown = false;
    for (let turn = 0; turn < 30; turn += 1) {
      const next = page.resource.like({ id: 1 }, { title: `a${turn}` });
      void query.refresh();
      await page.list([...ROWS, { id: 3, title: 'Night' }], 10 + turn);
      await page.answer(open, answered({}, { asOf: page.at(10.5 + turn) }));
      open = next;
      isShown ||= titles(query)?.includes('Night') ?? false;
    }
    expect(isShown).toBe(true);
    await page.answer(open, unanswered({ code: 'network', message: 'gone' }));
    await flush();
  });
});
