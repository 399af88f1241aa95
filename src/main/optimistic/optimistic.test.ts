import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OutboxCounts, WriteReport } from '../../shared/outbox.ts';
import { unanswered } from '../../shared/outcome.ts';
import { WRITE } from '../outbox/write.fixture.ts';
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

describe('a write that is queued', () => {
  test('is shown at once', async () => {
    page.resource.create(null, { title: 'Dusk' });
    expect(titles(query)).toEqual(['Dawn', 'Noon', 'Dusk']);
    page.resource.rename({ id: 1 }, { title: 'Morning' });
    page.resource.remove({ id: 2 });
    expect(titles(query)).toEqual(['Morning', 'Dusk']);
  });

  test('is shown over every new answer, and those that waited in an earlier life, too', async () => {
    page.resource.rename({ id: 1 }, { title: 'Morning' });
    const write = await page.last();
    await page.tell(write);
    void query.refresh();
    await page.list([...ROWS, { id: 3, title: 'Night' }], 5);
    expect(titles(query)).toEqual(['Morning', 'Noon', 'Night']);
    await page.tell({ ...write, entry: 'of-another-tab', place: 9, params: [['id', '2']] });
    expect(titles(query)).toEqual(['Morning', 'Morning', 'Night']);
  });

  test('goes when an answer contains it that was asked for after it was done, and no sooner', async () => {
    page.resource.rename({ id: 1 }, { title: 'Morning' });
    const write = await page.last();
    await page.tell(done(write, page.at(10)));
    expect(titles(query)).toEqual(['Morning', 'Noon']);
    // The query asks by itself, but this answer is from before.
    expect(await page.asked()).toBe(2);
    await page.list([...ROWS, { id: 3, title: 'Night' }], 9);
    expect(titles(query)).toEqual(['Morning', 'Noon', 'Night']);
    // So it asks again.
    expect(await page.asked()).toBe(3);
    await page.list(
      [
        { id: 1, title: 'MORNING' },
        { id: 3, title: 'Night' },
      ],
      10,
    );
    expect(titles(query)).toEqual(['MORNING', 'Night']);
    expect(await page.asked()).toBe(3);
  });

  test('is not shown twice by an answer that came while it was under way', async () => {
    page.resource.create(null, { title: 'Dusk' });
    const write = await page.last();
    await page.tell({ ...write, state: 'sending', body: null });
    void query.refresh();
    await page.list([...ROWS, { id: 7, title: 'Dusk' }], 5);
    expect(titles(query)).toEqual(['Dawn', 'Noon', 'Dusk']);
    await page.tell(done(write, page.at(6), 7));
    expect(titles(query)).toEqual(['Dawn', 'Noon', 'Dusk']);
    await page.list([...ROWS, { id: 7, title: 'Dusk' }], 6);
    expect(titles(query)).toEqual(['Dawn', 'Noon', 'Dusk']);
  });

  test('lets answers through again once its attempt has failed', async () => {
    page.resource.rename({ id: 1 }, { title: 'Morning' });
    const write = await page.last();
    await page.tell({ ...write, state: 'sending', body: null });
    void query.refresh();
    await page.list([...ROWS, { id: 3, title: 'Night' }], 5);
    expect(titles(query)).toEqual(['Morning', 'Noon']);
    await page.tell({ ...write, state: 'queued', body: null, attempts: 1 });
    expect(titles(query)).toEqual(['Morning', 'Noon', 'Night']);
  });

  test.each(['review', 'discarded'] as const)('is shown no more once its state is %s', async (state) => {
    page.resource.create(null, { title: 'Dusk' });
    await page.tell(await page.last({ state }));
    expect(query.snapshot.data).toBe(query.snapshot.data);
    expect(titles(query)).toEqual(['Dawn', 'Noon']);
  });

  test.each(['paused', 'conflict'] as const)('stays shown while its state is %s', async (state) => {
    page.resource.create(null, { title: 'Dusk' });
    await page.tell(await page.last({ state, body: null }));
    expect(titles(query)).toEqual(['Dawn', 'Noon', 'Dusk']);
  });

  test('has the ids that servers have given wherever its data name things, as members, too', async () => {
    const data: unknown[] = [];
    page.resource.map('mark', 'PUT', '/photos/{id}', undefined, {
      headers: { 'Content-Type': 'application/json' },
      offline: 'queue',
      optimistic: {
        list: (model, write) => {
          data.push(write.data);
          return model;
        },
      },
    });
    page.resource.create(null, { title: 'Dusk' });
    const write = await page.last();
    const { temporaryId } = write;
    page.resource.invoke('mark', { id: 1 }, { [temporaryId ?? '']: { in: [temporaryId] } });
    await page.tell(done(write, page.at(6), 7));
    expect(data.at(-1)).toEqual({ '7': { in: [7] } });
  });

  test('says to its function when somebody has to decide about it, and not when it is sent', async () => {
    const states: unknown[] = [];
    page.resource.map('mark', 'PUT', '/photos/{id}', undefined, {
      offline: 'queue',
      optimistic: {
        list: (rows, { entry }) => {
          states.push(entry?.state ?? null);
          return rows;
        },
      },
    });
    page.resource.invoke('mark', { id: 1 });
    const write = await page.last();
    await page.tell(write);
    for (const state of ['sending', 'queued', 'sending', 'conflict', 'queued'] as const)
      await page.tell({ ...write, state, body: null });
    expect(states).toEqual([null, 'queued', 'conflict', 'queued']);
  });

  test('is applied by a function that knows what was asked for', async () => {
    page.resource.map('mark', 'PUT', '/photos/{id}', undefined, {
      optimistic: { list: (rows, { params }, asked) => [rows, params, asked] },
    });
    const second = page.resource.query('list', { page: 2 });
    second.subscribe(() => {});
    await page.list(ROWS, 0);
    page.resource.invoke('mark', { id: 1 });
    expect(second.snapshot.data).toEqual([ROWS, { id: '1' }, { page: '2' }]);
    expect(query.snapshot.data).toEqual([ROWS, { id: '1' }, {}]);
  });

  test('is shown again when it is sent once more after a review', async () => {
    page.resource.create(null, { title: 'Dusk' });
    const write = await page.last();
    await page.tell({ ...write, state: 'review' });
    await page.tell(write);
    expect(titles(query)).toEqual(['Dawn', 'Noon', 'Dusk']);
  });

  test('is shown as somebody has edited it', async () => {
    page.resource.create(null, { title: 'Dusk' });
    const write = await page.last();
    await page.tell(write);
    await page.tell({ ...write, key: 'other', body: { kind: 'text', text: 'title=Evening' } });
    expect(titles(query)).toEqual(['Dawn', 'Noon', 'Evening']);
  });

  test('has the id that its server gives it, and so has what names it', async () => {
    page.resource.create(null, { title: 'Dusk' });
    const write = await page.last();
    await page.tell(write);
    page.resource.rename({ id: write.temporaryId }, { title: 'Evening' });
    await page.tell(await page.last());
    expect(titles(query)).toEqual(['Dawn', 'Noon', 'Evening']);
    await page.tell(done(write, page.at(10), 7));
    expect(query.snapshot.data).toEqual([...ROWS, { id: 7, title: 'Evening' }]);
    await page.list([...ROWS, { id: 7, title: 'Dusk' }], 10);
    expect(query.snapshot.data).toEqual([...ROWS, { id: 7, title: 'Evening' }]);
  });

  test('keeps the rows that it does not change', async () => {
    const before = query.snapshot.data;
    page.resource.rename({ id: 1 }, { title: 'Morning' });
    const [first, second] = rowsOf(query);
    expect(second).toBe(rowsIn(before)[1]);
    void query.refresh();
    await page.list([...ROWS, { id: 3, title: 'Night' }], 5);
    expect(rowsOf(query)[0]).toBe(first);
    expect(rowsOf(query)[1]).toBe(second);
  });

  test('is none of a resource with another name, and one of a second resource with the same', async () => {
    const same = page.open().query('list', {});
    same.subscribe(() => {});
    page.resource.create(null, { title: 'Dusk' });
    await page.tell(await page.last({ resource: 'albums', entry: 'other' }));
    expect(titles(same)).toEqual(['Dawn', 'Noon', 'Dusk']);
  });

  test('is forgotten with its user', async () => {
    page.resource.create(null, { title: 'Dusk' });
    await flush();
    await page.host.life.deliver({
      kind: 'identity',
      identity: { name: 'bert', isSignedIn: true, epoch: 3 },
    });
    await flush();
    expect(titles(query)).toBeNull();
  });
});

describe('a call that is not queued', () => {
  test('is shown until an answer contains it', async () => {
    const id = page.resource.like({ id: 1 }, { title: 'Dawn!' });
    expect(titles(query)).toEqual(['Dawn!', 'Noon']);
    void query.refresh();
    // Nobody knows whether that contains it.
    await page.list(ROWS, 5);
    expect(titles(query)).toEqual(['Dawn!', 'Noon']);
    await page.answer(id, answered({}, { endedAt: page.at(6) }));
    expect(titles(query)).toEqual(['Dawn!', 'Noon']);
    await page.list([{ id: 1, title: 'Dawn!!' }], 6);
    expect(titles(query)).toEqual(['Dawn!!']);
  });

  test('is rolled back where it fails', async () => {
    const before = query.snapshot.data;
    const id = page.resource.like({ id: 1 }, { title: 'Dawn!' });
    await page.answer(id, unanswered({ code: 'network', message: 'gone' }));
    expect(query.snapshot.data).toBe(before);
  });
});

describe('a page that comes later', () => {
  test('shows what waits already', async () => {
    const later = new OptimisticPage();
    const shown = later.resource.query('list', {});
    shown.subscribe(() => {});
    await later.list(ROWS, 0);
    page.resource.create(null, { title: 'Dusk' });
    later.keep([await page.last()]);
    await later.host.life.deliver({ kind: 'outbox', counts: { waiting: 1, due: 1 } });
    await flush();
    expect(titles(shown)).toEqual(['Dawn', 'Noon', 'Dusk']);
    later.leave();
  });
});

test('what the worker had lost is shown once that has come back', async () => {
  const dusk: WriteReport = { ...WRITE, isShown: true };
  const night: WriteReport = {
    ...dusk,
    entry: 'entry-2',
    place: 2,
    body: { kind: 'text', text: '{"title":"Night"}' },
  };
  const counted = async (counts: OutboxCounts): Promise<void> => {
    await page.host.life.deliver({ kind: 'outbox', counts });
    await flush();
  };
  page.keep([night]);
  await counted({ waiting: 1, due: 1, restored: 0 });
  expect(titles(query)).toEqual(['Dawn', 'Noon', 'Night']);
  page.keep([dusk, night]);
  await counted({ waiting: 2, due: 2, restored: 0 });
  expect(titles(query)).toEqual(['Dawn', 'Noon', 'Night']);
  await counted({ waiting: 2, due: 2, restored: 1 });
  expect(titles(query)).toEqual(['Dawn', 'Noon', 'Dusk', 'Night']);
});

function rowsOf({ snapshot }: Query): readonly unknown[] {
  return rowsIn(snapshot.data);
}

function rowsIn(data: unknown): readonly unknown[] {
  return Array.isArray(data) ? data : [];
}
