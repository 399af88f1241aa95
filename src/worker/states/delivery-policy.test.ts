import { describe, expect, test } from 'vitest';
import type { Pace } from '../../shared/pace.ts';
import { answered, failed } from '../contracts/outcome.fixture.ts';
import type { ReadOutcome } from '../contracts/read-body.ts';
import { heardAfter, withheldAfter, policyFor } from './delivery-policy.ts';
import type { Withheld, Subscriber } from '../contracts/audience.ts';
import type { DeliveryPolicy } from './delivery-policy.ts';
import { declaration, every } from '../loops/stage.fixture.ts';
import { subscriberOf } from './state-audience.ts';

const FIRST = { lineage: 'a', number: 1 };
const NEWS = answered({ revision: { lineage: 'a', number: 2 } });
const KNOWN = answered({ revision: FIRST });
const NOW = 100_000;
const SLOW = every(1_000);
const CONTINUE: Pace = { kind: 'poll', interval: 1_000, hidden: 'continue' };
const PAUSE: Pace = { kind: 'poll', interval: 1_000, hidden: 'pause' };
const HELD = { kind: 'long-poll' } as const;

/** A hidden page that was told the first answer just now. */
function page(wish: Partial<Subscriber> = {}): Subscriber {
  return { ...subscriberOf('anna', declaration(), true), has: FIRST, heardAt: NOW - 1_000, ...wish };
}

describe('a hidden page is told', () => {
  test.each<[string, Partial<Subscriber>, ReadOutcome, DeliveryPolicy]>([
    ['all, as any, where it is seen after all', { hidden: false }, NEWS, 'all'],
    ['all where it wants to go on as always', { pace: CONTINUE }, NEWS, 'all'],
    ['the first that it hears', { heardAt: null, has: null, pace: PAUSE }, NEWS, 'all'],
    ['all once a minute where it is slow', { heardAt: NOW - 60_000 }, NEWS, 'all'],
    ['a failure likewise', { heardAt: NOW - 60_000 }, failed('network'), 'all'],
    ['what it has brought about itself', {}, failed('aborted'), 'all'],
    ['in between that there is news', {}, NEWS, 'notice'],
    ['that of what is not stored, too', {}, answered(), 'notice'],
    ['once', { withheld: 'news' }, NEWS, 'nothing'],
    ['nothing of what it has', {}, KNOWN, 'nothing'],
    ['nothing of what is empty', {}, answered({ status: 204 }), 'nothing'],
    ['nothing of a failure', {}, failed('network'), 'nothing'],
    ['that there is news, however late, where it pauses', { pace: PAUSE, heardAt: 0 }, NEWS, 'notice'],
    ['that there is news of a long-poll', { pace: HELD }, NEWS, 'notice'],
    ['nothing more of a long-poll', { pace: HELD, withheld: 'news' }, NEWS, 'nothing'],
    ['all of it where it wants to go on as always', { pace: { ...HELD, hidden: 'continue' } }, NEWS, 'all'],
    ['all of it once a minute', { pace: HELD, heardAt: 0, withheld: 'news' }, NEWS, 'all'],
  ])('%s', (_what, wish, outcome, share) => {
    expect(policyFor(page({ pace: SLOW, ...wish }), outcome, NOW)).toBe(share);
  });
});

describe('when it has heard last, then', () => {
  test.each<[string, ReadOutcome, number | null, number | null]>([
    ['is with this answer', NEWS, 1_000, NOW],
    ['is with the first', NEWS, null, NOW],
    ['is with this failure', failed('network'), 1_000, NOW],
    ['is not with failures alone', failed('network'), null, null],
    ['is not with what it has given up', failed('aborted'), 1_000, 1_000],
  ])('%s', (_when, outcome, before, after) => {
    expect(heardAfter(outcome, before, NOW)).toBe(after);
  });
});

describe('what it has missed then', () => {
  test.each<[string, DeliveryPolicy, ReadOutcome, Withheld, Withheld]>([
    ['news, of which it knows', 'notice', NEWS, 'nothing', 'news'],
    ['something, where that was none', 'nothing', KNOWN, 'nothing', 'something'],
    ['news still, whatever follows', 'nothing', failed('network'), 'news', 'news'],
    ['nothing, with the newest', 'all', NEWS, 'news', 'nothing'],
    ['what it had missed before a failure', 'all', failed('network'), 'news', 'news'],
  ])('%s', (_what, share, outcome, before, after) => {
    expect(withheldAfter(share, outcome, before)).toBe(after);
  });
});
