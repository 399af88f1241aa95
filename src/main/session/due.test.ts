import { describe, expect, test } from 'vitest';
import { unanswered } from '../../shared/outcome.ts';
import { dueAfter, dueAgain, dueOnline, duePaced, firstDue } from './due.ts';
import { answered, refused } from './invocation.fixture.ts';

const ABORTED = unanswered({ code: 'aborted', message: 'aborted' });
const UNREACHED = unanswered({ code: 'network', message: 'unreached' });

/** It was due at 1,000 and is due at 6,000 again. */
const TICKED = dueAfter(firstDue(0, 1_000), answered(), 4_700, 1_300);

test('a loop is due after its first wait, then when its ticks say', () => {
  expect(firstDue(700, 1_000)).toEqual({ at: 1_700, askedAt: null, isFailing: false, last: null });
  expect(TICKED).toEqual({ at: 6_000, askedAt: 1_000, isFailing: false, last: 'answered' });
});

test('another interval counts from the last request', () => {
  expect(duePaced(TICKED, 60_000, 2_000).at).toBe(61_000);
  expect(duePaced(TICKED, 1_500, 2_000).at).toBe(2_500);
  expect(duePaced(TICKED, 100, 2_000).at).toBe(1_100);
});

test('before the first request it counts from now', () => {
  expect(duePaced(firstDue(5_000, 1_000), 700, 2_000).at).toBe(2_700);
});

test('while a request is out its end says what follows', () => {
  expect(duePaced(TICKED, 60_000, 6_000)).toEqual(TICKED);
  expect(duePaced(TICKED, 60_000, 5_999).at).toBe(61_000);
});

test.each([
  ['an error', refused(500), true],
  ['an answer that is stale', answered('a', { stale: true }), true],
  ['an answer', answered(), false],
])('%s: a new interval does not cut its wait short: %j', (_, outcome, waits) => {
  const due = dueAfter(TICKED, outcome, 9_000, 7_000);
  expect(due.at).toBe(16_000);
  expect(duePaced(due, 1_000, 8_000).at).toBe(waits ? 16_000 : 7_000);
});

test('an abort is neither', () => {
  const failing = dueAfter(TICKED, refused(500), 9_000, 7_000);
  expect(dueAfter(failing, ABORTED, 0, 8_000).isFailing).toBe(true);
  expect(dueAfter(TICKED, ABORTED, 0, 8_000).isFailing).toBe(false);
});

test('the next life of the worker counts failures anew, but knows of the wait, and that the network was gone', () => {
  const again = dueAgain(dueAfter(TICKED, UNREACHED, 9_000, 7_000));
  expect(again).toEqual({ at: 16_000, askedAt: 6_000, isFailing: false, last: 'cut-off' });
  expect(duePaced(again, 1_000, 6_500).at).toBe(7_000);
});

describe('when the network is back', () => {
  const POLL = { kind: 'poll', interval: 60_000, hidden: 'slow' } as const;
  const cutOff = dueAfter(TICKED, UNREACHED, 70_000, 7_000);

  test('a poll that was cut off is due within half of its interval', () => {
    expect(dueOnline(cutOff, POLL, 8_000).at).toBe(38_000);
    expect(dueOnline(dueAfter(TICKED, UNREACHED, 500, 7_000), POLL, 8_000).at).toBe(7_500);
  });

  test('one that waits out another failure, and a long-poll, are due when they were', () => {
    const refusedOnce = dueAfter(TICKED, refused(503), 70_000, 7_000);
    expect(dueOnline(refusedOnce, POLL, 8_000)).toBe(refusedOnce);
    expect(dueOnline(cutOff, { kind: 'long-poll' }, 8_000)).toBe(cutOff);
  });
});
