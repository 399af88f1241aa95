import { expect, test } from 'vitest';
import { List } from './rows.mjs';

const rowsOf = (list) => JSON.parse(list.body.toString());

test('Rows are of about 210 bytes', () => {
  expect(new List(1_000).body.length / 1_000).toBeCloseTo(210, -1);
});

test('A short list is below 2 KiB, which a worker compares with nothing', () => {
  expect(new List(20).body.length).toBeLessThan(2_048);
  expect(new List(20).body.length).toBeGreaterThan(1_700);
});

test('A body is what JSON.stringify makes of its data, so that pages can be compared by a digest', () => {
  const list = new List(50);
  list.step('changed');
  list.step('inserted');
  expect(JSON.stringify(rowsOf(list))).toBe(list.body.toString());
});

test('A body that was asked for before its list changes is the one that would be made afterwards', () => {
  const [asked, unasked] = [new List(50), new List(50)];
  for (const step of ['changed', 'inserted', 'changed', 'changed', 'inserted']) {
    expect(asked.body.length).toBeGreaterThan(0);
    for (const list of [asked, unasked]) list.step(step);
  }
  expect(asked.body.toString()).toBe(unasked.body.toString());
});

test('A change changes one row, in place, and the ETag', () => {
  const list = new List(100);
  const [before, etag] = [rowsOf(list), list.etag];
  list.step('changed');
  const after = rowsOf(list);
  const differing = after.filter((row, index) => JSON.stringify(row) !== JSON.stringify(before[index]));
  expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  expect(differing).toHaveLength(1);
  expect(list.etag).not.toBe(etag);
});

test('An insertion puts a new row before all others, and leaves those as they are', () => {
  const list = new List(100);
  const before = rowsOf(list);
  list.step('inserted');
  const [first, ...others] = rowsOf(list);
  expect(first.id).toBe(101);
  expect(others).toEqual(before);
});
