import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { freeze } from '../development.ts';
import { share } from './heirs.ts';

function parsed(text: string): unknown {
  const value: unknown = JSON.parse(text);
  freeze(value);
  return value;
}

/** `after`, as it is shared with `before`; neither may be changed by that. */
function shared(...values: readonly [before: unknown, after: unknown]): unknown {
  const [before, after] = structuredClone(values);
  freeze([before, after]);
  return share(before, after);
}

interface Row {
  readonly id?: number;
  readonly in: { readonly n: number };
}

function rows(...ids: readonly number[]): Row[] {
  return ids.map((id) => ({ id, in: { n: id } }));
}

function nameless(...ids: readonly number[]): Row[] {
  return ids.map((n) => ({ in: { n } }));
}

/** Nodes that know their parent and themselves. */
function tree(): object {
  const root = { name: 'root', children: Array.from({ length: 20 }, () => ({ parent: {}, self: {} })) };
  for (const child of root.children) Object.assign(child, { parent: root, self: child });
  return root;
}

/** By number the old rows that rows are, -1 where they are none of them. */
function origins<Each>(before: readonly Each[], after: readonly Each[]): number[] {
  freeze([before, after]);
  const result: unknown = share(before, after);
  expect(result).toEqual(after);
  return Array.isArray(result) ? result.map((row: Each) => before.indexOf(row)) : [];
}

describe('equal values', () => {
  test.each(['{"a":[1,{"b":null}],"c":-0}', '[]', '{}', '[[],[{}]]', '7', '"text"', 'null'])('%s', (text) => {
    const before = parsed(text);
    expect(share(before, parsed(text))).toBe(before);
  });

  test('in another order of keys are not the same, though what is in them is', () => {
    const before = { a: { n: 1 }, b: { n: 2 } };
    const after = share(before, { b: { n: 2 }, a: { n: 1 } });
    expect(JSON.stringify(after)).toBe('{"b":{"n":2},"a":{"n":1}}');
    expect(after).toEqual(before);
    expect(after).toHaveProperty('a', before.a);
    expect(Object.values(Object(after))).toContain(before.b);
  });

  test.each([
    [{ a: 0 }, { a: -0 }],
    [{ a: [] }, { a: {} }],
    [{ a: 1 }, { a: 1, b: 2 }],
    [[1], [1, 2]],
    [[1, 2], [1]],
  ])('but not %j and %j', (before, after) => {
    expect(Object.is(share(before, after), before)).toBe(false);
    expect(share(before, after)).toEqual(after);
  });
});

describe('rows stay the objects they were', () => {
  const before = rows(...Array.from({ length: 40 }, (_, id) => id));

  test('where they are', () => {
    expect(origins(before, rows(...before.keys()))).toEqual([...before.keys()]);
  });

  test.each<[string, number[]]>([
    ['came at the front', [99, ...before.keys()]],
    ['came in the middle', [...before.keys()].toSpliced(20, 0, 97, 98, 99)],
    ['went', [...before.keys()].toSpliced(3, 20)],
    ['went one here, one there', [...before.keys()].filter((id) => id % 3 > 0)],
    ['are the other way round', [...before.keys()].toReversed()],
    ['went from the front to the back', [...before.keys()].slice(1).concat(0)],
    ['went from the back to the front', [39, ...before.keys()].slice(0, 40)],
    ['are ever so mixed', [...before.keys()].toSorted((one, other) => ((one * 7) % 40) - ((other * 7) % 40))],
  ])('whatever of them %s', (_, ids) => {
    expect(origins(before, rows(...ids))).toEqual(ids.map((id) => (id < 40 ? id : -1)));
  });

  test('where they have no name and others came before them, or went', () => {
    const old = nameless(0, 1, 2, 3, 4, 5);
    expect(origins(old, nameless(9, 0, 1, 2, 3, 4, 5))).toEqual([-1, 0, 1, 2, 3, 4, 5]);
    expect(origins(old, nameless(0, 1, 4, 5))).toEqual([0, 1, 4, 5]);
    expect(origins(old, nameless(0, 9, 2, 3, 4, 5))).toEqual([0, -1, 2, 3, 4, 5]);
  });

  test('each once, so that equal ones are told apart', () => {
    const [one, other] = [{ in: { n: 1 } }, { id: 1, in: { n: 1 } }];
    expect(origins([one], [{ ...one }, { ...one }])).toEqual([0, -1]);
    expect(origins([other], [{ ...other }, { ...other }])).toEqual([0, -1]);
    expect(origins([other, { ...other }], [{ ...other }, { ...other }])).toEqual([0, 1]);
  });

  test('in part, where one has changed, wherever it is by now', () => {
    const old = [1, 2, 3].map((id) => ({ id, kept: { id }, n: 0 }));
    const result = share(old, [{ id: 3, kept: { id: 3 }, n: 9 }, ...old.slice(0, 2)]);
    expect(result).toEqual([{ id: 3, kept: { id: 3 }, n: 9 }, old[0], old[1]]);
    expect(result).toHaveProperty([0, 'kept'], old[2]?.kept);
    expect(Array.isArray(result) && result[1] === old[0]).toBe(true);
  });

  test('a number and its text being two names', () => {
    expect(origins<unknown>([{ id: 1 }, { id: '1' }], [{ id: '1' }, { id: 1 }])).toEqual([1, 0]);
  });
});

describe('of what is no plain data nothing is looked into', () => {
  test('neither dates nor instances of classes', () => {
    const [before, after] = [1, 2].map((time) => ({ at: new Date(time), set: new Set([time]) }));
    expect(share(before, after)).toBe(after);
  });

  test('and what leads back to itself ends', () => {
    const after = tree();
    expect(share(tree(), after, new Map())).toEqual(after);
  });
});

test('whatever there is and comes, what is made equals what came', () => {
  const ids = fc.array(fc.nat({ max: 30 }), { maxLength: 60 });
  const value = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(0, -0, null, [], {}));
  const list = fc
    .tuple(ids, fc.array(value, { maxLength: 6 }), fc.boolean())
    .map(([all, others, named]) => [
      ...all.map((id) => (named ? { id, in: [{ n: id % 3 }] } : { in: [{ n: id }] })),
      ...others,
    ]);
  fc.assert(
    fc.property(list, list, value, (old, next, beside) => {
      const [before, after] = [
        { items: old, beside },
        { items: next, beside },
      ];
      const result = shared(before, after);
      expect(result).toEqual(after);
      expect(JSON.stringify(result)).toBe(JSON.stringify(after));
    }),
    { numRuns: 1_000 },
  );
});

test('rows of names of their own are found, however they are mixed, and none twice', () => {
  const ids = fc.uniqueArray(fc.nat({ max: 60 }), { maxLength: 60 });
  fc.assert(
    fc.property(ids, ids, (old, next) => {
      const found = origins(rows(...old), rows(...next));
      expect(found).toEqual(next.map((id) => old.indexOf(id)));
    }),
    { numRuns: 1_000 },
  );
});

/** All objects in a value, as often as they are there. */
function objectsIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
}

test('no object of before stands in two places', () => {
  const [one, other] = [{ tags: [{ name: 'a' }] }, { n: 0, tags: [{ name: 'b' }] }];
  const next = [one, { tags: other.tags }, other];
  const result = share(parsed(JSON.stringify([one, other])), parsed(JSON.stringify(next)));
  expect(result).toEqual(next);
  expect(new Set(objectsIn(result)).size).toBe(objectsIn(result).length);
});

test('nor does one where rows come, go and change', () => {
  const leaf = fc.nat({ max: 1 });
  const parts = fc.array(fc.record({ a: leaf }), { maxLength: 2 });
  const unnamed = fc.record({ n: leaf, in: parts });
  const row = fc.oneof(unnamed, fc.record({ id: fc.nat({ max: 3 }), in: parts }));
  const change = fc.record({
    row,
    kind: fc.constantFrom('before', 'in its place', 'without its name', 'none'),
  });
  fc.assert(
    fc.property(fc.array(fc.record({ row, change }), { maxLength: 8 }), (all) => {
      const next = all.flatMap(({ row: old, change: { row: other, kind } }) => {
        if (kind === 'before') return [{ ...old, n: 2 }, old];
        if (kind === 'in its place') return [other];
        return kind === 'none' ? [old] : [{ in: old.in }, old];
      });
      const before = all.map(({ row: old }) => old);
      const result = share(parsed(JSON.stringify(before)), parsed(JSON.stringify(next)));
      expect(JSON.stringify(result)).toBe(JSON.stringify(next));
      expect(new Set(objectsIn(result)).size).toBe(objectsIn(result).length);
    }),
    { numRuns: 5_000 },
  );
});

/** As a value is shared that JSON did not make. */
function made(before: unknown, after: unknown): unknown {
  return share(before, after, new Map());
}

/** A list that says how many there are in all. */
function counted(total: number): unknown {
  return Object.assign([{ id: 1 }], { total });
}

describe('a value that JSON did not make', () => {
  test('keeps what a list has beside its rows', () => {
    expect(Object(made(counted(2), counted(3))).total).toBe(3);
  });

  test('stays an instance of its own class of lists', () => {
    class Photos extends Array<object> {}
    expect(made(Photos.of({ id: 1 }), Photos.of({ id: 1 }, { id: 2 }))).toBeInstanceOf(Photos);
  });

  test('keeps the holes of a list', () => {
    const sparse: unknown[] = [];
    sparse[3] = 1;
    expect(1 in Object(made([0, 1, 2, 1], sparse))).toBe(false);
  });

  test('keeps members that are not enumerable, and is not the one before where only those differ', () => {
    const before = withHidden({ id: 1 }, 'one');
    const after = withHidden({ id: 1 }, 'two');
    expect(share(before, after, new Map())).toBe(after);
    const list = [withHidden({ id: 1, leaf: { id: 2 }, title: 'b' }, 'two')];
    expect(share([withHidden({ id: 1, leaf: { id: 2 }, title: 'a' }, 'one')], list, new Map())).toEqual(list);
    expect(
      share([withHidden({ id: 1, leaf: { id: 2 }, title: 'a' }, 'one')], list, new Map()),
    ).toHaveProperty('0.hidden', 'two');
  });

  test('keeps its accessors', () => {
    const after = {
      id: 1,
      leaf: { id: 2 },
      title: 'b',
      get total(): number {
        return this.title.length;
      },
    };
    expect(share({ id: 1, leaf: { id: 2 }, title: 'a', total: 1 }, after, new Map())).toBe(after);
  });

  test('keeps members that symbols name', () => {
    const mark = Symbol('mark');
    expect(Object(made({ a: 1, [mark]: 1 }, { a: 1, [mark]: 2 }))[mark]).toBe(2);
  });
});

/** With a member that is not enumerable. */
function withHidden<T extends object>(value: T, hidden: string): T {
  return Object.defineProperty(value, 'hidden', { value: hidden, enumerable: false });
}
