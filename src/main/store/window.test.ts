import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FakePage } from '../page.fixture.ts';
import { flush } from '../session/host.fixture.ts';
import { refused } from '../session/invocation.fixture.ts';
import { RestStore } from './rest-store.ts';
import { eventsOf, rowsUpTo, WindowStage } from './window.fixture.ts';

let page: FakePage;

beforeEach(() => {
  page = new FakePage();
});

afterEach(() => {
  vi.restoreAllMocks();
  page.leave();
});

/** A window of ten rows of a hundred, of a list that is polled. */
async function polled(start = 0): Promise<{ stage: WindowStage; shown: ReturnType<RestStore['window']> }> {
  const stage = new WindowStage(page, { select: '/items' });
  const shown = stage.store.window(start, 10);
  stage.change({ items: rowsUpTo(100) });
  stage.poll();
  await stage.tick();
  return { stage, shown };
}

describe('a window', () => {
  test('shows its rows and the length of the list, once there is an answer', async () => {
    const stage = new WindowStage(page, { select: '/items' });
    const shown = stage.store.window(20, 10);
    expect([shown.model, shown.total, shown.start, shown.count]).toEqual([null, null, 20, 10]);
    stage.change({ items: rowsUpTo(100) });
    stage.poll();
    await flush();
    expect([stage.wantsBodies, stage.asked]).toEqual([false, []]);
    await stage.tick();
    expect(stage.asked).toEqual([{ pointer: '/items', start: 20, count: 10 }]);
    expect(shown.model).toEqual(rowsUpTo(30).slice(20));
    expect(shown.getSnapshot()).toBe(shown.model);
    expect(shown.status).toMatchObject({
      total: 100,
      start: 20,
      count: 10,
      error: null,
      servedFrom: 'network',
    });
    expect(stage.store.model).toBeNull();
  });

  test('that is made later has them at once', async () => {
    const { stage } = await polled();
    const later = stage.store.window(95, 10);
    await flush();
    expect(later.model).toEqual(rowsUpTo(100).slice(95));
    const other = new RestStore(stage.photo, 'list', { select: '/items' }).window(1, 1);
    await flush();
    expect(other.model).toEqual([{ id: 1, title: 'Photo 1' }]);
  });

  test('moves: where it is changes with its rows, and only the last of several moves counts', async () => {
    const { stage, shown } = await polled();
    stage.hold();
    for (const start of [10, 20, 30]) shown.move(start);
    expect([shown.start, shown.model]).toEqual([0, rowsUpTo(10)]);
    const events = eventsOf(shown);
    await stage.release();
    expect(stage.asked.map(({ start }) => start)).toEqual([0, 10, 30]);
    expect([shown.start, shown.count, shown.model]).toEqual([30, 10, rowsUpTo(40).slice(30)]);
    expect(events).toEqual(['changeModel', 'changeStatus']);
    shown.move(30);
    shown.move(30, 5);
    await flush();
    expect(shown.model).toEqual(rowsUpTo(35).slice(30));
    expect(stage.asked).toHaveLength(4);
  });

  test('keeps rows that did not change, and asks only where the list did', async () => {
    const { stage, shown } = await polled();
    const before = shown.model ?? [];
    const events = eventsOf(shown);
    await stage.tick({ changed: false });
    expect(stage.asked).toHaveLength(1);
    stage.change({ items: rowsUpTo(100).with(50, { id: 50, title: 'Changed' }) });
    await stage.tick();
    expect(stage.asked).toHaveLength(2);
    expect(shown.model).toBe(before);
    expect(events).not.toContain('changeModel');
    stage.change({ items: rowsUpTo(100).with(3, { id: 3, title: 'Changed' }) });
    await stage.tick();
    expect(shown.model?.map((row, index) => row === before[index])).toEqual(
      before.map((_, index) => index !== 3),
    );
    shown.move(5);
    await flush();
    expect(shown.model?.slice(0, 5).map((row, index) => row === before[index + 5])).toEqual(
      Array(5).fill(true),
    );
    stage.change({ items: [{ id: -1, title: 'Inserted' }, ...rowsUpTo(100)] });
    const moved = shown.model ?? [];
    await stage.tick();
    expect(shown.model?.[1]).toBe(moved[0]);
    expect(shown.total).toBe(101);
  });

  test('tells by its status alone that only the length has changed', async () => {
    const { stage, shown } = await polled();
    const bound = { total: 0 };
    shown.bind('status.total', bound, 'total');
    const events = eventsOf(shown);
    stage.change({ items: rowsUpTo(99) });
    await stage.tick();
    expect(events.filter((type) => type === 'changeModel')).toEqual([]);
    expect(bound.total).toBe(99);
  });

  test('never shows what is older', async () => {
    const { stage, shown } = await polled();
    stage.change({ items: rowsUpTo(5) });
    await stage.tick();
    stage.stored = { items: rowsUpTo(100) };
    stage.n = 1;
    shown.move(1);
    await flush();
    expect([shown.start, shown.total]).toEqual([0, 5]);
  });

  test('does not go back to a whole answer that is older than its rows', async () => {
    const stage = new WindowStage(page, { select: '/items' });
    const shown = stage.store.window(0, 10);
    stage.change({ items: rowsUpTo(100) });
    stage.poll();
    await stage.tick();
    expect(shown.total).toBe(100);
    const second = { items: rowsUpTo(50) };
    stage.change(second);
    stage.change({ items: rowsUpTo(5) });
    shown.move(1);
    await flush();
    // A subscriber has the store want the whole, which a call brings as it was before the rows.
    shown.bind('model', {}, 'rows');
    stage.stored = second;
    stage.n = 2;
    await stage.call();
    expect(shown.total).toBe(5);
  });

  test('of another answer than it asked for shows the other', async () => {
    const { stage, shown } = await polled();
    stage.hold();
    shown.move(10);
    await flush();
    stage.stored = { items: rowsUpTo(7) };
    await stage.call({}, { page: 2 });
    expect([shown.total, shown.model]).toEqual([7, []]);
    await stage.release();
    expect(shown.total).toBe(7);
  });

  test('asks the next life of the worker', async () => {
    const { stage, shown } = await polled();
    const next = page.host.revive();
    const { replyTo } = page.host.life;
    next.replyTo = async (command) => {
      if (command.kind !== 'part') return replyTo(command);
      const text = JSON.stringify([{ id: 9 }]);
      return { kind: 'part', part: { kind: 'rows', revision: { lineage: 'a', number: 1 }, total: 77, text } };
    };
    shown.move(9);
    await flush();
    expect([shown.total, shown.model]).toEqual([77, [{ id: 9 }]]);
    expect(stage.asked).toHaveLength(1);
  });

  test('that is disposed stays as it is, and its store wants the whole again', async () => {
    const { stage, shown } = await polled();
    const other = stage.store.window(1, 1);
    shown.dispose();
    await flush();
    expect(stage.wantsBodies).toBe(false);
    shown.move(50);
    stage.change({ items: [] });
    await stage.tick();
    expect([shown.start, shown.total, other.total]).toEqual([0, 100, 0]);
    other.dispose();
    await flush();
    expect(stage.wantsBodies).toBe(true);
  });

  test('ends with its store, for which nothing more is sent', async () => {
    const { stage, shown } = await polled();
    const told = page.host.life.told('interest').length;
    shown.dispose();
    stage.store.dispose();
    await flush();
    expect(page.host.life.told('interest').slice(told)).toEqual([]);
    const other = new WindowStage(page).store;
    const late = other.window(0, 1);
    const events = eventsOf(late);
    other.dispose();
    expect(() => other.window(0, 1)).toThrow('This store has been disposed');
    late.move(7);
    expect([late.start, events]).toEqual([0, []]);
  });
});

describe('rows come of the whole', () => {
  test('where somebody has a use for it, at once and without a question', async () => {
    const { stage, shown } = await polled();
    const models: unknown[] = [];
    const unsubscribe = stage.store.subscribe((model) => models.push(model));
    await flush();
    expect(stage.wantsBodies).toBe(true);
    await stage.tick();
    expect(models).toEqual([null, rowsUpTo(100)]);
    const before = shown.model;
    shown.move(90);
    expect(shown.model).toEqual(rowsUpTo(100).slice(90));
    expect(stage.asked).toHaveLength(1);
    stage.change({ items: rowsUpTo(95) });
    await stage.tick();
    expect([shown.total, shown.model?.length, before?.length]).toEqual([95, 5, 10]);
    unsubscribe();
    await flush();
    expect(stage.wantsBodies).toBe(false);
    stage.change({ items: rowsUpTo(92) });
    await stage.tick();
    expect([shown.total, stage.asked.length]).toEqual([92, 2]);
  });

  test('which is waited for where an answer without it was on its way', async () => {
    const { stage, shown } = await polled();
    stage.store.subscribe(() => {});
    stage.change({ items: rowsUpTo(50) });
    await stage.tickUnsent();
    expect([shown.total, stage.asked.length]).toEqual([100, 1]);
    await stage.tick();
    expect([shown.total, stage.asked.length]).toEqual([50, 1]);
  });

  test('and keep their identity from the one to the other', async () => {
    const { stage, shown } = await polled();
    const before = shown.model;
    stage.store.addEventListener('changeModel', () => {}, { once: true });
    await stage.tick();
    expect(shown.model).toBe(before);
    await stage.tick();
    expect(stage.wantsBodies).toBe(false);
  });

  test('of a call, whose answer always is', async () => {
    const stage = new WindowStage(page, { select: '/items' });
    const shown = stage.store.window(0, 2);
    stage.change({ items: rowsUpTo(3) });
    await stage.call();
    expect([shown.total, shown.model, stage.asked]).toEqual([3, rowsUpTo(2), []]);
    shown.move(2);
    expect(shown.model).toEqual(rowsUpTo(3).slice(2));
  });

  test('of an answer that is not stored', async () => {
    const stage = new WindowStage(page, { select: '/items' });
    const shown = stage.store.window(0, 2);
    stage.change({ items: rowsUpTo(3) });
    stage.poll();
    await stage.tickWhole({ revision: null });
    shown.move(1);
    expect([shown.model, stage.asked]).toEqual([rowsUpTo(3).slice(1), []]);
  });

  test('and of what a delegate or a schema makes of it', async () => {
    const stage = new WindowStage(page, { manipulateData: () => ['a', 'b', 'c'] });
    const shown = stage.store.window(1, 5);
    stage.change({});
    stage.poll();
    await stage.tick();
    expect([stage.wantsBodies, shown.model]).toEqual([true, ['b', 'c']]);
  });

  test('where what was stored is gone, until it is stored again', async () => {
    const { stage, shown } = await polled();
    const { stored } = stage;
    stage.stored = null;
    shown.move(1);
    await flush();
    expect([stage.wantsBodies, shown.status.error]).toEqual([true, null]);
    stage.stored = stored;
    await stage.tick();
    expect([shown.start, stage.wantsBodies]).toEqual([1, false]);
  });
});

describe('a window that has no rows says why', () => {
  test('where there is no list', async () => {
    const { stage, shown } = await polled();
    const events = eventsOf(shown);
    stage.change({ items: {} });
    await stage.tick();
    expect(shown.status.error?.code).toBe('no-part');
    expect(shown.status.error?.message).toContain("the store's 'select'");
    expect([shown.model, events.includes('changeStatus')]).toEqual([rowsUpTo(10), true]);
    await stage.tick();
    stage.change({ items: rowsUpTo(1) });
    await stage.tick();
    expect([shown.status.error, shown.total]).toEqual([null, 1]);
  });

  test('where nothing is stored, and no loop brings it', async () => {
    const { stage, shown } = await polled();
    const loop = page.host.life.told('declare').at(-1)?.declaration.loop ?? 0;
    stage.stored = null;
    await page.host.life.deliver({
      kind: 'tick',
      loop,
      outcome: {
        kind: 'failed',
        failure: { code: 'limit', message: '', limit: '', value: 0 },
        answer: null,
        request: null,
      },
      nextIn: null,
    });
    await flush();
    expect(shown.status.error?.code).toBe('limit');
    shown.move(1);
    await flush();
    expect(shown.status.error?.message).toContain('is not stored');
  });

  test('where its store does', async () => {
    const { stage, shown } = await polled();
    const errors: unknown[] = [];
    shown.bind('status.error', errors, (error) => errors.push(error));
    await page.answer(stage.photo.list(), refused(500));
    expect(errors).toEqual([null, stage.store.status.error]);
    expect(shown.status.error?.code).toBe('http');
    shown.dispose();
    await stage.tick();
    expect([shown.status.error?.code, stage.store.status.error]).toEqual(['http', null]);
  });

  test('where the worker answers something else', async () => {
    const { shown } = await polled();
    page.host.life.replyTo = () => ({ kind: 'done' });
    shown.move(1);
    await flush();
    expect(shown.status.error?.code).toBe('protocol');
  });
});

test.each<[unknown, unknown, ErrorConstructor | RangeErrorConstructor, string]>([
  ['0', 1, TypeError, 'The start of a window must be a number, got string'],
  [-1, 1, RangeError, 'The start of a window must be a whole number from 0, got -1'],
  [0, 1.5, RangeError, 'The count of a window must be a whole number from 0, got 1.5'],
  [NaN, 1, RangeError, 'got NaN'],
  [0, 10_001, RangeError, 'A window has at most 10000 rows, got a count of 10001'],
])('a window from %j on of %j rows there is not', (start, count, kind, message) => {
  const stage = new WindowStage(page);
  const shown = stage.store.window(0, 1);
  for (const ask of [stage.store.window.bind(stage.store), shown.move.bind(shown)]) {
    expect(() => Reflect.apply(ask, null, [start, count])).toThrow(kind);
    expect(() => Reflect.apply(ask, null, [start, count])).toThrow(message);
  }
});

describe('what a store selects', () => {
  test('is its model, null where there is no such thing', async () => {
    const stage = new WindowStage(page, { select: '/items/1/title' });
    stage.change({ items: rowsUpTo(2) });
    await stage.call();
    expect(stage.store.model).toBe('Photo 1');
    stage.change({ items: [] });
    await stage.call();
    expect(stage.store.model).toBeNull();
  });

  test('is what its delegate gets a copy of', async () => {
    const delegate = {
      select: '/items',
      suffix: '!',
      manipulateData(rows: unknown): unknown {
        return JSON.stringify(rows) + this.suffix;
      },
    };
    const stage = new WindowStage(page, delegate);
    stage.change({ items: [1] });
    await stage.call();
    expect(stage.store.model).toBe('[1]!');
  });

  test.each(['items', '/a~', 7])('has to be a pointer, unlike %j', (select) => {
    const make = (): unknown =>
      Reflect.construct(RestStore, [new WindowStage(page).photo, 'list', { select }]);
    expect(make).toThrow(TypeError);
    expect(make).toThrow("'select' must be a JSON pointer like '/items'");
  });
});

/** The rows of a hundred that have even numbers, the last first. */
async function arranged(): Promise<{ stage: WindowStage; shown: ReturnType<RestStore['window']> }> {
  const stage = new WindowStage(page, { select: '/items' });
  const shown = stage.store.window(0, 2, { filter: 'even', sorter: ['byName', 'de'] });
  stage.change({ items: rowsUpTo(100) });
  stage.poll();
  await stage.tick();
  return { stage, shown };
}

function idsOf(shown: ReturnType<RestStore['window']>): unknown {
  return shown.model?.map((row) => Reflect.get(Object(row), 'id'));
}

describe('an arranged window', () => {
  test('has its rows filtered and sorted by the worker, and keeps to that as it moves', async () => {
    const { stage, shown } = await arranged();
    expect([idsOf(shown), shown.total]).toEqual([[98, 96], 50]);
    shown.move(10);
    await flush();
    expect(idsOf(shown)).toEqual([78, 76]);
    const functions = { filter: { name: 'even', given: '[]' }, sorter: { name: 'byName', given: '["de"]' } };
    expect(stage.asked).toEqual([
      { pointer: '/items', start: 0, count: 2, ...functions },
      { pointer: '/items', start: 10, count: 2, ...functions },
    ]);
  });

  test('is arranged otherwise from its beginning, or not at all', async () => {
    const { stage, shown } = await arranged();
    shown.move(10);
    shown.arrange({ filter: 'even' });
    await flush();
    expect([idsOf(shown), shown.start, shown.total]).toEqual([[0, 2], 0, 50]);
    const asked = stage.asked.length;
    shown.arrange({ filter: ['even'] });
    await flush();
    expect(stage.asked).toHaveLength(asked);
    shown.arrange({});
    await flush();
    expect([idsOf(shown), shown.total]).toEqual([[0, 1], 100]);
    shown.dispose();
    shown.arrange({ filter: 'even' });
    await flush();
    expect(shown.total).toBe(100);
  });

  test('asks although the whole is there, which the page cannot arrange', async () => {
    const { stage, shown } = await arranged();
    stage.store.subscribe(() => {});
    await stage.tick();
    stage.change({ items: rowsUpTo(50) });
    await stage.tick();
    expect([stage.store.model, idsOf(shown), shown.total]).toEqual([rowsUpTo(50), [48, 46], 25]);
  });

  test('says why it has no rows, until it has', async () => {
    const { stage, shown } = await arranged();
    shown.arrange({ filter: 'odd' });
    await flush();
    expect(shown.status.error).toMatchObject({ code: 'function', message: "no function 'odd'" });
    expect(idsOf(shown)).toEqual([98, 96]);
    shown.arrange({ filter: 'even' });
    await flush();
    expect([shown.status.error, idsOf(shown)]).toEqual([null, [0, 2]]);
    stage.stored = null;
    shown.move(4);
    await flush();
    expect(shown.status.error).toMatchObject({
      code: 'no-part',
      message: expect.stringContaining('not stored'),
    });
    expect(stage.wantsBodies).toBe(false);
  });

  test('is named functions, and of rows as their server sent them', () => {
    const { store } = new WindowStage(page, { manipulateData: () => [] });
    expect(() => store.window(0, 1, { filter: 'even' })).toThrow("name what 'manipulateData'");
    expect(() => store.window(0, 1).arrange({ filter: 'even' })).toThrow("name what 'manipulateData'");
    store.window(0, 1).arrange({});
    const plain = new WindowStage(page).store;
    // @ts-expect-error A function does not cross threads.
    expect(() => plain.window(0, 1, { filter: () => true })).toThrow('must name a function');
    expect(() => plain.window(0, 1, { sorter: '' })).toThrow('The sorter of a window');
    expect(() => plain.window(0, 1).arrange({ sorter: [''] })).toThrow(TypeError);
  });
});
