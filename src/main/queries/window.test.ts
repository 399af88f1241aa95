import { afterEach, beforeEach, expect, test } from 'vitest';
import { flush } from '../session/host.fixture.ts';
import { QueryStage } from './query.fixture.ts';

let stage: QueryStage;

beforeEach(() => {
  stage = new QueryStage();
});

afterEach(() => {
  stage.page.leave();
});

function items(count: number, title = 'a'): { items: { id: number; title: string }[] } {
  return { items: Array.from({ length: count }, (_, id) => ({ id, title })) };
}

test('a window shows some rows of the list, and how many there are', async () => {
  const shown = stage.photo.query('list', {}, { select: '/items' }).window(1, 2);
  expect(shown.snapshot).toMatchObject({ data: null, total: null, status: 'pending' });
  shown.subscribe(() => {});
  await stage.answer(items(5));
  expect(shown.snapshot).toMatchObject({ data: [{ id: 1 }, { id: 2 }], total: 5, status: 'success' });
});

test('it is the same object for the same rows, and loads while somebody subscribes', async () => {
  const query = stage.photo.query('list', {}, { select: '/items' });
  expect(query.window(0, 2)).toBe(query.window(0, 2));
  expect(query.window(0, 2)).not.toBe(query.window(0, 3));
  expect(await stage.asked()).toBe(0);
  const leave = query.window(0, 2).subscribe(() => {});
  expect(await stage.asked()).toBe(1);
  await stage.answer(items(5));
  leave();
  await flush();
  stage.show();
  expect(await stage.asked()).toBe(1);
});

test('its rows are the same list though rows elsewhere change, and all its subscribers hear of its own', async () => {
  const query = stage.photo.query('list', {}, { select: '/items' });
  const shown = query.window(0, 2);
  const heard = [0, 0];
  shown.subscribe(() => (heard[0] = (heard[0] ?? 0) + 1));
  shown.subscribe(() => (heard[1] = (heard[1] ?? 0) + 1));
  await stage.answer(items(5));
  expect(heard).toEqual([1, 1]);
  const rows = shown.snapshot.data;
  const changed = items(5);
  changed.items[4] = { id: 4, title: 'other' };
  void query.refresh();
  await stage.answer(changed);
  expect(shown.snapshot.data).toBe(rows);
  changed.items[0] = { id: 0, title: 'other' };
  const refreshed = shown.refresh();
  await stage.answer(structuredClone(changed));
  expect(await refreshed).toEqual([{ id: 0, title: 'other' }, rows?.[1]]);
  expect(shown.snapshot.data?.[1]).toBe(rows?.[1]);
});

test('data that are no list are its error', async () => {
  const shown = stage.photo.query('list').window(0, 2);
  const { loaded } = shown;
  await stage.answer(items(5));
  await expect(loaded).rejects.toMatchObject({ code: 'no-part' });
  expect(shown.snapshot).toMatchObject({ data: null, status: 'error', error: { code: 'no-part' } });
});

test('rows that are no rows throw at the call', () => {
  const query = stage.photo.query('list');
  expect(() => query.window(-1, 2)).toThrow(RangeError);
  expect(() => query.window(0, 10_001)).toThrow(RangeError);
});
