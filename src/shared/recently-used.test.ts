import { describe, expect, test } from 'vitest';
import { RecentlyUsed } from './recently-used.ts';

/** The values are weights, in bytes. */
function bytes(limit: number): RecentlyUsed<string, number> {
  return new RecentlyUsed(limit, (value) => value);
}

/** Holds three entries, and has room for no more. */
function three(): RecentlyUsed<string, number> {
  const map = new RecentlyUsed<string, number>(3);
  for (const [index, key] of ['a', 'b', 'c'].entries()) map.set(key, index);
  return map;
}

describe('a map limited by the number of its entries', () => {
  test('drops the oldest entry when one too many is set', () => {
    const map = three();
    map.set('d', 3);
    expect([map.keys(), map.values(), map.size]).toEqual([['b', 'c', 'd'], [1, 2, 3], 3]);
  });

  test('keeps an entry that was read or set again rather than older ones', () => {
    const map = three();
    expect([map.get('a'), map.get('x')]).toEqual([0, undefined]);
    map.set('b', 9);
    map.set('d', 3);
    expect(map.keys()).toEqual(['a', 'b', 'd']);
  });

  test('does not count a peek as a use', () => {
    const map = three();
    expect([map.peek('a'), map.peek('x')]).toEqual([0, undefined]);
    map.set('d', 3);
    expect(map.peek('a')).toBeUndefined();
  });

  test('has room again for what was deleted or cleared', () => {
    const map = three();
    expect([map.delete('b'), map.delete('b')]).toEqual([true, false]);
    map.set('d', 3);
    expect([map.keys(), map.weight]).toEqual([['a', 'c', 'd'], 3]);
    map.clear();
    expect([map.size, map.weight]).toEqual([0, 0]);
  });
});

describe('a map limited by weight', () => {
  test('drops as many of the oldest as it takes', () => {
    const map = bytes(10);
    for (const key of ['a', 'b', 'c']) map.set(key, 3);
    map.set('d', 6);
    expect([map.keys(), map.weight]).toEqual([['c', 'd'], 9]);
  });

  test('weighs a new value in the place of the old one of its key', () => {
    const map = bytes(10);
    map.set('a', 4);
    map.set('b', 4);
    map.set('a', 6);
    expect([map.keys(), map.weight]).toEqual([['b', 'a'], 10]);
    map.delete('a');
    expect(map.weight).toBe(4);
  });

  test('does not keep a value that is too heavy alone, nor the old one in its place', () => {
    const map = bytes(10);
    map.set('a', 4);
    map.set('b', 4);
    map.set('a', 11);
    expect([map.keys(), map.weight]).toEqual([['b'], 4]);
  });

  test('takes off the weight that a value had when it was set', () => {
    const map = new RecentlyUsed<string, number[]>(10, ({ length }) => length);
    const value = [1, 2];
    map.set('a', value);
    value.push(3);
    map.delete('a');
    expect(map.weight).toBe(0);
  });
});
