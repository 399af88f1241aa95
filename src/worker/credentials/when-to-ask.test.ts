import { describe, expect, test } from 'vitest';
import { isUsable, reasonToAsk } from './question.ts';
import type { Held } from './question.ts';

const AT = Date.UTC(2026, 0, 1);

function held(wish: Partial<Held> = {}): Held {
  return { headers: [], givenAt: AT, expiresAt: AT + 100_000, isRefused: false, ...wish };
}

describe('the provider is asked', () => {
  test.each<[string, Held | null, number, ReturnType<typeof reasonToAsk>]>([
    ['where nothing is held', null, 0, 'first'],
    ['not while they are young', held(), 0, null],
    ['not just before 80 % of their life', held(), 79_999, null],
    ['at 80 % of their life', held(), 80_000, 'expired'],
    ['after their end', held(), 100_001, 'expired'],
    ['not for what does not expire', held({ expiresAt: null }), 1e12, null],
    ['each time for what had expired when it was given', held({ expiresAt: AT - 1 }), 0, 'expired'],
    ['each time for what expires as it is given', held({ expiresAt: AT }), 0, 'expired'],
    ['not where the clock was set back meanwhile', held(), -3_600_000, null],
    ['where a server refused them', held({ isRefused: true }), 0, 'refused'],
    ['where a server refused them, and they have expired', held({ isRefused: true }), 1e6, 'refused'],
    ['where a server refused what does not expire', held({ isRefused: true, expiresAt: null }), 0, 'refused'],
  ])('%s', (_name, given, later, reason) => {
    expect(reasonToAsk(given, AT + later)).toBe(reason);
  });
});

describe('what is held serves while the next is asked for', () => {
  test.each<[string, Held, number, boolean]>([
    ['until it expires', held(), 99_999, true],
    ['not from then on', held(), 100_000, false],
    ['for ever where it does not expire', held({ expiresAt: null }), 1e12, true],
    ['not where a server refused it', held({ isRefused: true }), 0, false],
  ])('%s', (_name, given, later, is) => {
    expect(isUsable(given, AT + later)).toBe(is);
  });
});
