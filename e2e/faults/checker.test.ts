import { describe, expect, test } from 'vitest';
import { judge } from './checker.ts';
import type { Told } from './checker.ts';

const NOTHING = { lost: [], duplicated: [], hung: [] };

function told(wish: Partial<Told> = {}): Told {
  return {
    key: 'a',
    method: 'PUT',
    madeAt: 1_000,
    deadline: 5_000,
    settledAt: 1_200,
    ending: 'answered',
    ...wish,
  };
}

function effects(...counts: readonly (readonly [string, number])[]): ReadonlyMap<string, number> {
  return new Map(counts);
}

test('calls that were answered, and applied once, are in order', () => {
  const calls = [told(), told({ key: 'b', method: 'GET' }), told({ key: 'c', method: 'HEAD' })];
  expect(judge(effects(['a', 1]), calls)).toEqual(NOTHING);
});

describe('lost is', () => {
  test('an answer to a write that the server has not seen', () => {
    expect(judge(effects(), [told()])).toEqual({ ...NOTHING, lost: ['a'] });
  });

  test('a failure that is not allowed for its method', () => {
    const ending = 'worker-lost';
    const methods = ['GET', 'HEAD', 'PUT', 'DELETE', 'POST', 'PATCH'];
    const calls = methods.map((method) => told({ key: method, method, ending }));
    expect(judge(effects(), calls).lost).toEqual(['GET', 'HEAD', 'PUT', 'DELETE']);
    expect(judge(effects(), [told({ method: 'POST', ending: 'network' })]).lost).toEqual(['a']);
  });

  test('what a row does not allow, and only that', () => {
    const calls = [told({ ending: 'timeout' }), told({ key: 'b', ending: 'network' })];
    expect(judge(effects(), calls, ({ ending }) => ending === 'timeout').lost).toEqual(['b']);
  });
});

describe('duplicated is', () => {
  test('a key with two effects, however its call ended', () => {
    const calls = [told({ method: 'POST' }), told({ key: 'b', method: 'POST', ending: 'worker-lost' })];
    expect(judge(effects(['a', 2], ['b', 2]), calls)).toEqual({ ...NOTHING, duplicated: ['a', 'b'] });
  });

  test('also a key that no page knows of', () => {
    expect(judge(effects(['x', 2]), [])).toEqual({ ...NOTHING, duplicated: ['x'] });
  });

  test('not a write that may have been applied, and was', () => {
    const calls = [told({ method: 'POST', ending: 'worker-lost' })];
    expect(judge(effects(['a', 1]), calls)).toEqual(NOTHING);
  });
});

describe('hung is', () => {
  test('a call that never settled, which is lost as well', () => {
    const calls = [told({ settledAt: null, ending: null })];
    expect(judge(effects(['a', 1]), calls)).toEqual({ ...NOTHING, lost: ['a'], hung: ['a'] });
  });

  test('a call that settled later than two seconds past its deadline', () => {
    expect(judge(effects(['a', 1]), [told({ settledAt: 8_001 })]).hung).toEqual(['a']);
    expect(judge(effects(['a', 1]), [told({ settledAt: 8_000 })]).hung).toEqual([]);
  });
});
