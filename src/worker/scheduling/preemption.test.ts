import { describe, expect, test } from 'vitest';
import { nextPreemption } from './connection-limiter.ts';

const out = (since: number, cut = false): { since: number; cut: boolean } => ({ since, cut });

describe('the next to be cut', () => {
  test('is nobody while nobody waits', () => {
    expect(nextPreemption([out(0), out(1)], 0)).toBeNull();
  });

  test('is the one that is out longest, once it has had its slice', () => {
    expect(nextPreemption([out(3), out(7)], 1)).toEqual({ longest: out(3), at: 5_003 });
  });

  test('is as many as wait, and not those that are coming back already', () => {
    const all = [out(0, true), out(3), out(7)];
    expect(nextPreemption(all, 1)).toBeNull();
    expect(nextPreemption(all, 2)).toEqual({ longest: out(3), at: 5_003 });
    expect(nextPreemption([out(0, true)], 5)).toBeNull();
  });
});
