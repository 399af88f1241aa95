import { describe, expect, test } from 'vitest';
import type { Patch } from '../../shared/patch.ts';
import { applyPatch } from './list.ts';

function listPatch(runs: readonly number[], rows: unknown[], path: readonly string[] = []): Patch {
  return { path, envelope: null, change: { kind: 'list', runs, rows: JSON.stringify(rows) } };
}

function at(value: unknown, ...keys: readonly (string | number)[]): unknown {
  return keys.reduce<unknown>((node, key) => Reflect.get(Object(node), key), value);
}

function mapPatch(path: readonly string[], removed: readonly string[], set: string): Patch {
  return { path, envelope: null, change: { kind: 'map', removed, set } };
}

function deep(last: string): string {
  return '['.repeat(50_000) + last + ']'.repeat(50_000);
}

/** With own `__proto__`, as JSON.parse makes it. */
function parsed(text: string): Record<string, unknown> {
  return JSON.parse(text);
}

/** All objects in a value, each as often as it is there. */
function nodesIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(nodesIn)];
}

describe('what stays keeps its identity', () => {
  const rows = [1, 2, 3].map((id) => ({ id, author: { name: 'A' }, tags: [{ t: 1 }, { t: 2 }] }));
  const before = { total: { n: 3 }, items: rows, links: [{ next: 2 }] };

  test('beside a row that changed', () => {
    const patch = listPatch([0, 1, -1, 1, 2, 1], [{ ...rows[1], id: 2, price: 5 }], ['items']);
    const after = applyPatch(before, patch);
    expect(after).toEqual({ ...before, items: [rows[0], { ...rows[1], price: 5 }, rows[2]] });
    expect(after).not.toBe(before);
    expect(at(after, 'items')).not.toBe(rows);
    expect(at(after, 'items', 0)).toBe(rows[0]);
    expect(at(after, 'items', 2)).toBe(rows[2]);
    expect(at(after, 'total')).toBe(before.total);
    expect(at(after, 'items', 1, 'author')).toBe(rows[1]?.author);
    expect(at(after, 'items', 1, 'tags')).toBe(rows[1]?.tags);
  });

  test('in a list in a row, member by member', () => {
    const changed = { ...rows[0], tags: [{ t: 1 }, { t: 9 }] };
    const after = applyPatch(rows, listPatch([-1, 1, 1, 2], [changed]));
    expect(at(after, 0)).toEqual(changed);
    expect(at(after, 0, 'tags', 0)).toBe(rows[0]?.tags[0]);
    expect(at(after, 0, 'tags')).not.toBe(rows[0]?.tags);
  });

  test.each(['id', '_id', 'key'])('in a row that also moved, by its %s', (name) => {
    const named = ['x', 'y', 'z'].map((value) => ({ [name]: value, deep: { value } }));
    const moved = { [name]: 'z', deep: { value: 'z' }, seen: true };
    const after = applyPatch(named, listPatch([-1, 1, 0, 2], [moved]));
    expect(after).toEqual([moved, named[0], named[1]]);
    expect(at(after, 0, 'deep')).toBe(named[2]?.['deep']);
  });

  test('but not with a row that is still there', () => {
    const double = { id: 1, author: { name: 'A' } };
    const after = applyPatch(rows, listPatch([-1, 1, 0, 3], [double]));
    expect(at(after, 0, 'author')).not.toBe(rows[0]?.author);
  });

  test('nor where that has moved', () => {
    const after = applyPatch(before, listPatch([2, 1, 1, 1, -1, 1], [{ ...rows[1] }], ['items']));
    expect(at(after, 'items', 1)).toBe(rows[1]);
    expect(at(after, 'items', 2)).toEqual(rows[1]);
    expect(at(after, 'items', 2, 'author') === at(rows, 1, 'author')).toBe(false);
  });

  test('nor with two: an old row is one new one at most', () => {
    const [first] = rows;
    const news = [first, first].map((row, n) => ({ ...row, price: n }));
    const after = applyPatch(rows.slice(0, 2), listPatch([-1, 2], news));
    expect(after).toEqual(news);
    expect([at(after, 0, 'tags'), at(after, 1, 'tags')].map((tags) => tags === first?.tags)).toEqual([
      true,
      false,
    ]);
    const nodes = nodesIn(after);
    expect(new Set(nodes).size).toBe(nodes.length);
  });

  test('and with two of one name each has its own place', () => {
    const twins = rows.slice(0, 2).map((row) => ({ ...row, id: 1 }));
    const after = applyPatch(
      twins,
      listPatch(
        [-1, 2],
        twins.map((row) => ({ ...row, price: 1 })),
      ),
    );
    for (const place of [0, 1]) expect(at(after, place, 'tags')).toBe(twins[place]?.tags);
  });

  test('nor with a row whose place it does not take', () => {
    const old = [[{ a: 1 }], [{ a: 1 }]];
    const after = applyPatch(old, listPatch([-1, 2, 1, 1], [[{ a: 1 }], [{ a: 1 }]]));
    expect(at(after, 0, 0)).not.toBe(old[0]?.[0]);
  });

  test('around the rows', () => {
    const envelope = JSON.stringify({ total: { n: 4 }, items: null, links: [{ next: 2 }], more: [1] });
    const after = applyPatch(before, { path: ['items'], envelope, change: null });
    expect(after).toEqual({ ...before, total: { n: 4 }, more: [1] });
    expect(at(after, 'items')).toBe(rows);
    expect(at(after, 'links')).toBe(before.links);
  });

  test('all of it, where nothing differs but how it is written', () => {
    const envelope = '{ "total": {"n":3.0}, "items":null, "links":[{"next":2}] }';
    expect(applyPatch(before, { path: ['items'], envelope, change: null })).toBe(before);
    expect(applyPatch(before, { path: [], envelope: null, change: null })).toBe(before);
    expect(applyPatch(rows, listPatch([0, 1, -1, 1, 2, 1], [rows[1]]))).toBe(rows);
    const map: Patch = {
      path: [],
      envelope: null,
      change: { kind: 'map', removed: [], set: '{"total":{"n":3}}' },
    };
    expect(applyPatch(before, map)).toBe(before);
  });

  test('and an empty list is no empty object', () => {
    const after = applyPatch([{ a: {}, b: [] }], listPatch([-1, 1], [{ a: [], b: {} }]));
    expect(after).toEqual([{ a: [], b: {} }]);
  });

  test('and minus nought is not nought', () => {
    const nought = [{ id: 1, at: { x: 0 } }];
    const change = { kind: 'list', runs: [-1, 1], rows: '[{"id":1,"at":{"x":-0}}]' } as const;
    const after = applyPatch(nought, { path: [], envelope: null, change });
    expect(at(after, 0, 'at', 'x')).toBe(-0);
  });
});

describe('a map', () => {
  test('loses, gains and changes entries', () => {
    const before = { byId: { a: { n: 1, in: {} }, b: { n: 2 }, c: { n: 3 } }, n: 1 };
    const after = applyPatch(before, mapPatch(['byId'], ['b'], '{"a":{"n":5,"in":{}},"d":4}'));
    expect(after).toEqual({ byId: { a: { n: 5, in: {} }, c: { n: 3 }, d: 4 }, n: 1 });
    expect(at(after, 'byId', 'c')).toBe(before.byId.c);
    expect(at(after, 'byId', 'a', 'in')).toBe(before.byId.a.in);
    expect(before.byId.b).toEqual({ n: 2 });
  });

  test('has `__proto__` as a name like any other', () => {
    const before = parsed('{"byId":{"a":1}}');
    const gained = applyPatch(before, mapPatch(['byId'], [], '{"__proto__":{"polluted":[1]}}'));
    expect(JSON.stringify(gained)).toBe('{"byId":{"a":1,"__proto__":{"polluted":[1]}}}');
    expect(Object.getPrototypeOf(at(gained, 'byId'))).toBe(Object.prototype);
    const changed = applyPatch(gained, mapPatch(['byId'], [], '{"__proto__":{"polluted":[1],"n":2}}'));
    expect(JSON.stringify(changed)).toBe('{"byId":{"a":1,"__proto__":{"polluted":[1],"n":2}}}');
    expect(JSON.stringify(applyPatch(gained, mapPatch(['byId'], ['__proto__'], '{}')))).toBe(
      '{"byId":{"a":1}}',
    );
  });
});

describe('`__proto__` is data', () => {
  test('in the path and in rows', () => {
    const before = parsed('{"__proto__":{"items":[{"__proto__":{"a":[1]},"n":1}]}}');
    const row: unknown = JSON.parse('{"__proto__":{"a":[1]},"n":2}');
    const after = applyPatch(before, listPatch([-1, 1], [row], ['__proto__', 'items']));
    expect(JSON.stringify(after)).toBe('{"__proto__":{"items":[{"__proto__":{"a":[1]},"n":2}]}}');
    expect(Object.getPrototypeOf(after)).toBe(Object.prototype);
  });

  test('and is not taken from the prototype of what has none', () => {
    const change = { kind: 'list', runs: [-1, 1], rows: '[{"id":1,"__proto__":{}}]' } as const;
    const after = applyPatch([{ id: 1 }], { path: [], envelope: null, change });
    expect(Object.getOwnPropertyDescriptor(at(after, 0), '__proto__')?.value).not.toBe(Object.prototype);
    expect(JSON.stringify(after)).toBe('[{"id":1,"__proto__":{}}]');
  });

  test('and a prototype is none', () => {
    expect(() => applyPatch({}, listPatch([-1, 1], [1], ['__proto__']))).toThrow(/no "__proto__"/);
    expect(() => applyPatch({}, listPatch([-1, 1], [1], ['constructor']))).toThrow(/does not fit/);
  });
});

describe('a patch for something else is refused', () => {
  const rows = [1, 2, 3];

  test.each<readonly [string, unknown, Patch]>([
    ['a path that leads nowhere', { other: rows }, listPatch([0, 3], [], ['items'])],
    [
      'a path that only the envelope has',
      { n: 1 },
      { path: ['items'], envelope: '{"items":null}', change: null },
    ],
    ['a path through a list', [rows], listPatch([0, 3], [], ['0'])],
    ['a path through null', { items: null }, listPatch([0, 3], [], ['items', 'deeper'])],
    ['a path that the envelope has not', { items: rows }, { path: ['items'], envelope: '{}', change: null }],
    ['rows of an object', { 0: 1 }, listPatch([0, 1], [])],
    ['entries of a list', rows, mapPatch([], [], '{}')],
    ['entries of a scalar', 3, mapPatch([], [], '{}')],
    ['an entry that is not there', {}, mapPatch([], ['toString'], '{}')],
    ['more rows than there are', rows, listPatch([0, 4], [])],
    ['rows before the first', rows, listPatch([-2, 1], [])],
    ['no rows', rows, listPatch([0, 0], [])],
    ['half a run', rows, listPatch([0], [])],
    ['more new rows than are given', rows, listPatch([-1, 2], [1])],
    ['fewer new rows than are given', rows, listPatch([-1, 1], [1, 2])],
    ['more copies than there are rows', rows, listPatch([0, 3, 0, 3], [])],
  ])('%s', (_name, before, patch) => {
    expect(() => applyPatch(before, patch)).toThrow(/^The patch does not fit: ./);
  });
});

test('what is very deep is taken as it is', () => {
  const before: unknown = JSON.parse(`[${deep('1')}]`);
  const change = { kind: 'list', runs: [-1, 1], rows: `[${deep('2')}]` } as const;
  const after = applyPatch(before, { path: [], envelope: null, change });
  expect(after === before).toBe(false);
});

test('one row of very many is all that is new in the list', () => {
  const rows = Array.from({ length: 100_000 }, (_, id) => ({ id }));
  const after = applyPatch(rows, listPatch([0, 5, -1, 1, 6, 99_994], [{ id: 5, a: 1 }]));
  const news = Array.isArray(after) ? after.filter((row, index) => row !== rows[index]) : [];
  expect(news).toEqual([{ id: 5, a: 1 }]);
  expect(after).toHaveLength(100_000);
});

test('as many parts as there are may be taken from a list', () => {
  const rows = Array.from({ length: 9_000 }, (_, id) => ({ id }));
  const stays = rows.filter(({ id }) => id % 3 > 0);
  const runs = Array.from({ length: 3_000 }, (_, third) => [3 * third + 1, 2]).flat();
  const after = applyPatch(rows, listPatch(runs, []));
  expect(after).toHaveLength(6_000);
  expect(stays.every((row, index) => row === at(after, index))).toBe(true);
});

test('rows that are lists stay lists where others come before them', () => {
  const rows = [[1, [2]], [], [3]];
  const after = applyPatch(rows, listPatch([-1, 1, 0, 3], [[[0]]]));
  expect(after).toEqual([[[0]], [1, [2]], [], [3]]);
  expect(at(after, 1)).toBe(rows[0]);
});
