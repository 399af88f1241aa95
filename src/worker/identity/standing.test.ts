import { describe, expect, test } from 'vitest';
import type { Identity } from '../../shared/identity.ts';
import type { RootRecord } from '../contracts/root-store.ts';
import { merged, moved, without, epochAfter, standingOf, verdictOn } from './standing.ts';

function stored(differing: Partial<RootRecord> = {}): RootRecord {
  return { partition: 'p', digest: null, epoch: 5, salt: 's', doomed: [], ...differing };
}

const ANNA: Identity = { name: 'anna', isSignedIn: true, epoch: 5 };
const NOBODY: Identity = { name: null, isSignedIn: false, epoch: 5 };
/** Signed in before this worker instance began, which has not heard the name. */
const SOMEBODY: Identity = { name: null, isSignedIn: true, epoch: 5 };

test.each([
  ['nothing is known, nobody is stored', { epoch: null, digest: null }, stored(), 'continue'],
  ['nothing is known, somebody is stored', { epoch: null, digest: null }, stored({ digest: 'a' }), 'follow'],
  ['the same, at the same time', { epoch: 5, digest: 'a' }, stored({ digest: 'a' }), 'continue'],
  ['the same, later', { epoch: 9, digest: 'a' }, stored({ digest: 'a' }), 'continue'],
  ['the same, earlier', { epoch: 4, digest: 'a' }, stored({ digest: 'a' }), 'follow'],
  ['another one, later', { epoch: 9, digest: 'b' }, stored({ digest: 'a' }), 'overrule'],
  ['another one, earlier', { epoch: 4, digest: 'b' }, stored({ digest: 'a' }), 'follow'],
  ['nobody, later', { epoch: 9, digest: null }, stored({ digest: 'a' }), 'overrule'],
] as const)('what is stored counts as it should: %s', (_what, present, record, verdict) => {
  expect(verdictOn(present, record)).toBe(verdict);
});

describe('a claim', () => {
  test.each([
    ['none, while nothing is known', undefined, null, 'same'],
    ['none, while nobody is signed in', undefined, NOBODY, 'same'],
    ['none, while somebody is', undefined, ANNA, 'other'],
    ['of the same name and time', { name: 'anna', epoch: 5 }, ANNA, 'same'],
    ['of the same time, and another name', { name: 'bob', epoch: 5 }, ANNA, 'other'],
    ['of nobody, at the same time', { name: null, epoch: 5 }, ANNA, 'other'],
    ['of a name that has not been heard', { name: 'anna', epoch: 5 }, SOMEBODY, 'other'],
    ['of an earlier time', { name: 'anna', epoch: 4 }, ANNA, 'other'],
    ['of a later time', { name: 'anna', epoch: 6 }, ANNA, 'ahead'],
    ['while nothing is known', { name: 'anna', epoch: 5 }, null, 'ahead'],
  ] as const)('%s', (_what, claim, present, standing) => {
    expect(standingOf(claim, present)).toBe(standing);
  });

  test('of nobody is not that of somebody whose name has not been heard', () => {
    expect(standingOf({ name: null, epoch: 5 }, SOMEBODY)).toBe('other');
  });
});

test('an epoch goes by the clock, and never back', () => {
  expect([epochAfter(0, 1_000.5), epochAfter(2_000, 1_000)]).toEqual([1_000, 2_001]);
});

describe('the record', () => {
  test('of a user who is back spares the writes of that user', () => {
    const before = stored({ digest: null, doomed: ['outbox:b'] });
    expect(moved(before, 'q', 'b', 9).doomed).toEqual(['p', 'outbox:']);
  });

  test('of a change lists the partition before for deletion', () => {
    expect(moved(stored({ doomed: ['o'] }), 'q', 'b', 9)).toEqual(
      stored({ partition: 'q', digest: 'b', epoch: 9, doomed: ['o', 'p', 'outbox:'] }),
    );
  });

  test('that is written over another engine’s is the later one, and leaves nothing undeleted', () => {
    const mine = stored({ partition: 'q', epoch: 9, doomed: ['p'] });
    expect(merged(mine, null)).toEqual(mine);
    expect(merged(mine, stored())).toEqual(mine);
    const theirs = stored({ partition: 'r', epoch: 9, doomed: ['p', 'o'] });
    expect(merged(mine, theirs)).toEqual(stored({ partition: 'q', epoch: 10, doomed: ['p', 'o', 'r'] }));
  });

  test('forgets what is deleted', () => {
    expect(without(stored({ doomed: ['o', 'p'] }), new Set(['p']))).toEqual(stored({ doomed: ['o'] }));
  });
});
