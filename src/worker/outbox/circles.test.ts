import { array, assert, integer, property } from 'fast-check';
import { expect, test } from 'vitest';
import { inCircles } from './circles.ts';
import { planOf } from './lanes.ts';
import { write } from './write.fixture.ts';

const id = (n: number): string => `temporary-${n.toString(16).padStart(32, '0')}`;

test('whatever waits for what: those in circles are found, and no others', () => {
  const elements = array(array(integer({ min: 0, max: 7 }), { maxLength: 3 }), {
    minLength: 8,
    maxLength: 8,
  });
  assert(
    property(elements, (waits) => {
      const next = (each: number): readonly number[] => waits[each] ?? [];
      const reaches = (from: number, to: number, seen = new Set<number>()): boolean =>
        next(from).some((each) => {
          if (each === to) return true;
          if (seen.has(each)) return false;
          return reaches(each, to, seen.add(each));
        });
      const all = [...waits.keys()];
      const expected = all.filter((each) => reaches(each, each));
      const found = inCircles(all, next);
      expect(all.filter((each) => found.has(each))).toEqual(expected);
    }),
  );
});

test.each([
  ['that one of them names which was edited', 1],
  ['that all of them are in', 0],
])('a plan looks at each write of a chain a few times: one %s', (_case, first) => {
  const looksAt = (count: number): number => {
    let looks = 0;
    const writes = Array.from({ length: count }, (_, n) => {
      const uses = n === 0 ? [id(count - 1)] : n === first ? [] : [id(n - 1)];
      return Object.defineProperty(write(n + 1, { temporaryId: id(n) }), 'uses', {
        get: () => ((looks += 1), uses),
      });
    });
    const { lost } = planOf(writes, {
      now: 0,
      most: 4,
      underWay: [],
      urlOf: () => null,
      isBusy: () => false,
      heldLanes: [],
      known: () => undefined,
      laneOf: ({ lane }) => lane,
      lastTurn: () => 0,
      floorOf: () => 0,
    });
    expect(lost).toHaveLength(first === 0 ? count : 0);
    return looks;
  };
  expect(looksAt(1_000) / 1_000).toBeLessThan(20);
});
