import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bytesOf, finish } from './body.fixture.ts';
import { compare } from './compare.ts';
import type { Document } from './container.ts';
import { scan } from './scan.ts';
import { TableBuilder } from './container.ts';

/** Long enough to be compared, whatever the members are. */
function documentOf(members: readonly unknown[]): Document {
  const text = JSON.stringify(members);
  const document = finish(scan(bytesOf(text + ' '.repeat(300)), []));
  if (document === null) throw new Error(`Not a document: ${text}`);
  return document;
}

function runsBetween(old: readonly unknown[], next: readonly unknown[]): readonly number[] {
  return finish(compare(documentOf(old), documentOf(next)));
}

function runsOfLetters(old: string, next: string): readonly number[] {
  return runsBetween(old.split(''), next.split(''));
}

const LETTERS = 'abcdefghij';

describe('few runs tell what happened', () => {
  test.each([
    ['nothing', 'abcdefghij', [0, 10]],
    ['one changed', 'abcdeXghij', [0, 5, -1, 1, 6, 4]],
    ['the first changed', 'Xbcdefghij', [-1, 1, 1, 9]],
    ['the last changed', 'abcdefghiX', [0, 9, -1, 1]],
    ['one came in front', 'Xabcdefghij', [-1, 1, 0, 10]],
    ['two came at the end', 'abcdefghijXY', [0, 10, -1, 2]],
    ['one went', 'abcdefhij', [0, 6, 7, 3]],
    ['all went but the last', 'j', [9, 1]],
    ['the last went to the front', 'jabcdefghi', [9, 1, 0, 9]],
    ['halves changed places', 'fghijabcde', [5, 5, 0, 5]],
    ['two changed places', 'aicdefghbj', [0, 1, 8, 1, 2, 6, 1, 1, 9, 1]],
    ['two changed, and one went between', 'aXcdefYhj', [0, 1, -1, 1, 2, 4, -1, 1, 7, 1, 9, 1]],
    ['all is new', 'XYZ', [-1, 3]],
  ])('%s', (_name, next, runs) => {
    expect(runsOfLetters(LETTERS, next)).toEqual(runs);
  });

  test('where rows are alike, each stays where it is or follows its neighbour', () => {
    expect(runsOfLetters('aaaaa', 'aaaa')).toEqual([0, 4]);
    expect(runsOfLetters('xabyabz', 'XabYabZ')).toEqual([-1, 1, 1, 2, -1, 1, 4, 2, -1, 1]);
    expect(runsOfLetters('amqaz', 'nmrak')).toEqual([-1, 1, 1, 1, -1, 1, 3, 1, -1, 1]);
    expect(runsOfLetters('xaybzc', 'aybXc')).toEqual([1, 3, -1, 1, 5, 1]);
    expect(runsOfLetters('xaabb', 'bbaay')).toEqual([3, 2, 1, 2, -1, 1]);
    expect(runsOfLetters('pqaXaYar', 'paZaWaYs')).toEqual([
      0, 1, 2, 1, -1, 1, 4, 1, -1, 1, 6, 1, 5, 1, -1, 1,
    ]);
  });

  test('an old row is used once', () => {
    expect(runsOfLetters('ab', 'aab')).toEqual([0, 1, -1, 1, 1, 1]);
    expect(runsOfLetters('xaby', 'zbabaw')).toEqual([-1, 1, 2, 1, 1, 1, -1, 3]);
  });
});

test('the runs make the new members of the old, and no more of them are new than must be', () => {
  const letters = fc.array(fc.constantFrom(...LETTERS.split('')), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(letters, letters, (old, next) => {
      const runs = runsBetween(old, next);
      const made: string[] = [];
      const used: number[] = [];
      let news = 0;
      for (let index = 0; index < runs.length; index += 2) {
        const [from = 0, count = 0] = runs.slice(index, index + 2);
        if (from === -1) news += count;
        const to = made.length;
        for (let place = 0; place < count; place += 1) {
          made.push((from === -1 ? next[to + place] : old[from + place]) ?? '');
          if (from !== -1) used.push(from + place);
        }
      }
      expect(made).toEqual(next);
      expect(new Set(used).size).toBe(used.length);
      const left = [...old];
      const missing = next.filter((each) => {
        const at = left.indexOf(each);
        if (at >= 0) left.splice(at, 1);
        return at < 0;
      });
      expect(news).toBe(missing.length);
    }),
  );
});

/** Two numbers of ten digits with the same hash: among so many there are some. */
function collision(): readonly [number, number] {
  const numbers = Array.from({ length: 300_000 }, (_, n) => 1e9 + (Math.imul(n, 0x9e3779b1) >>> 1));
  const table = new TableBuilder(bytesOf(numbers.join('')), Infinity);
  for (const index of numbers.keys()) table.add(index * 10, index * 10 + 10);
  const seen = new Map<number, number>();
  for (const [index, hash] of table.finish().hashes.entries()) {
    const other = seen.get(hash);
    if (other !== undefined) return [numbers[other] ?? 0, numbers[index] ?? 0];
    seen.set(hash, index);
  }
  throw new Error('No two numbers have the same hash');
}

function colliding(members: readonly unknown[]): Document {
  const document = documentOf(members);
  return { ...document, table: { ...document.table, hashes: new Int32Array(members.length) } };
}

describe('a hash is only a hint', () => {
  test('members of one hash are told apart by their bytes', () => {
    const [one, other] = collision();
    const hashes = [...documentOf([one, other]).table.hashes];
    expect(hashes[0]).toBe(hashes[1]);
    expect(runsBetween([one], [other])).toEqual([-1, 1]);
    expect(runsBetween(['x', one, other, 'y'], ['X', other, one, 'Y'])).toEqual([-1, 1, 2, 1, 1, 1, -1, 1]);
  });

  test('even if all have the same', () => {
    const runs = finish(compare(colliding([1, 12, 123, 'x', 9]), colliding([123, 1234, 12, 1, 19, 9])));
    expect(runs).toEqual([2, 1, -1, 1, 1, 1, 0, 1, -1, 1, 4, 1]);
    const many = Array.from({ length: 200 }, (_, id) => id);
    expect(
      finish(compare(colliding(many), colliding([...many.slice(100), ...many.slice(0, 100)]))),
    ).toContain(-1);
  });
});

test('a sorted list of very many rows is compared in about linear time, with pauses', () => {
  const rows = Array.from({ length: 20_000 }, (_, id) => ({ id, rank: Math.imul(id, 0x9e3779b1) }));
  const work = compare(documentOf(rows), documentOf(rows.toSorted((a, b) => a.rank - b.rank)));
  let pauses = 0;
  let step = work.next();
  for (; !step.done; step = work.next()) pauses += 1;
  expect(pauses).toBeGreaterThan(10);
  expect(step.value.every((each) => each >= 0)).toBe(true);
});

test('as is a list of very many rows that are all alike', () => {
  const alike = Array.from({ length: 50_000 }, () => 0);
  const runs = runsBetween([1, ...alike, 2], [3, ...alike.slice(5), 4, ...alike.slice(0, 5), 5]);
  expect(runs.length).toBeLessThan(20);
});
