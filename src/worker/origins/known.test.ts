import { describe, expect, test } from 'vitest';
import { learn, outdated } from './origins.ts';
import type { Known } from './origins.ts';

const HOUR = 3_600_000;

/** Reachable since 1 s, asked at 2 s, heard of at 3 s. */
const KNOWN: Known = { status: 'reachable', since: 1_000, askedAt: 2_000, heardAt: 3_000 };

describe('what is known', () => {
  test('begins with the first outcome that says something', () => {
    expect(learn(null, null, 10, 20)).toBeNull();
    expect(learn(null, 'failing', 10, 20)).toEqual({
      status: 'failing',
      since: 20,
      askedAt: 10,
      heardAt: 20,
    });
    expect(learn(null, 'unreachable', 10, 20)).toMatchObject({ status: 'unreachable', heardAt: null });
  });

  test('stays as it is where the next one says the same, or nothing; that it was asked counts', () => {
    expect(learn(KNOWN, 'reachable', 9_000, 9_500)).toEqual({ ...KNOWN, askedAt: 9_000, heardAt: 9_500 });
    expect(learn(KNOWN, null, 9_000, 9_500)).toEqual({ ...KNOWN, askedAt: 9_000 });
  });

  test('is what the last one said, though it was asked before', () => {
    const slow = learn({ ...KNOWN, status: 'unreachable' }, 'reachable', 500, 9_500);
    expect(slow).toEqual({ status: 'reachable', since: 9_500, askedAt: 2_000, heardAt: 9_500 });
  });
});

describe('no answer in time', () => {
  test.each<[string, Known | null, number, string]>([
    ['of an origin that nothing is known of', null, 10, 'unreachable'],
    ['where nothing was heard since it was asked', KNOWN, 3_001, 'unreachable'],
    ['where another request was answered meanwhile', KNOWN, 3_000, 'reachable'],
    ['where a gateway answered meanwhile', { ...KNOWN, status: 'failing' }, 2_500, 'failing'],
    ['where nothing was ever heard', { ...KNOWN, status: 'unreachable', heardAt: null }, 0, 'unreachable'],
  ])('%s', (_name, before, askedAt, status) => {
    expect(learn(before, 'silent', askedAt, 33_000)).toMatchObject({ status });
  });

  test('is not heard of an origin', () => {
    expect(learn(KNOWN, 'silent', 3_001, 33_000)).toMatchObject({ heardAt: 3_000 });
  });
});

describe('forgotten is', () => {
  const known = new Map(
    [30, 10, 20].map((askedAt): [string, Known] => [`asked at ${askedAt}`, { ...KNOWN, askedAt }]),
  );

  test('what nobody has asked for an hour', () => {
    expect(outdated(known, HOUR + 9, 100)).toEqual([]);
    expect(outdated(known, HOUR + 20, 100)).toEqual(['asked at 20', 'asked at 10']);
  });

  test('of too many what was asked longest ago', () => {
    expect(outdated(known, 40, 3)).toEqual([]);
    expect(outdated(known, 40, 2)).toEqual(['asked at 10']);
  });
});
