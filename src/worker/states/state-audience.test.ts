import { describe, expect, test } from 'vitest';
import type { Revision } from '../../shared/outcome.ts';
import { answered, failed } from '../contracts/outcome.fixture.ts';
import { isKnown } from './state-audience.ts';

const SECOND: Revision = { lineage: '5-a', number: 2 };

function known(
  revision: Revision | null,
  has: Revision | null,
  isOfThisLife = false,
  behind = false,
): boolean {
  const again = { revision: has, overdueBy: 0, behind };
  return isKnown({ ...answered(), revision }, again, isOfThisLife);
}

describe('to a page that followed the loop before', () => {
  test.each<[name: string, revision: Revision, isNews: boolean]>([
    ['the answer that it has', SECOND, false],
    ['the next answer of the same line', { lineage: '5-a', number: 3 }, true],
    ['an answer of a younger line', { lineage: '6-b', number: 1 }, true],
    ['the answer before, which alone was stored', { lineage: '5-a', number: 1 }, false],
    ['an answer of an older line, which alone was stored', { lineage: '4-b', number: 9 }, false],
  ])('%s', (_name, revision, isNews) => {
    expect(known(revision, SECOND)).toBe(!isNews);
  });

  test('an answer without a revision is news if this life of the worker has told it, or the page lacks one', () => {
    expect(known(null, SECOND, true)).toBe(false);
    expect(known(null, SECOND, false)).toBe(true);
    expect(known(SECOND, null, false, true)).toBe(false);
  });

  test('a failure is none, and to a new page all is news', () => {
    expect(isKnown(failed('network'), { revision: null, overdueBy: 0 }, true)).toBe(true);
    expect(isKnown(answered(), null, false)).toBe(false);
  });
});
