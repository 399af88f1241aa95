import { expect, test } from 'vitest';
import type { Failure } from '../../shared/failure.ts';
import type { Outcome } from '../../shared/outcome.ts';
import { answered, failed, failedWith, refused, TIMED_OUT } from '../contracts/outcome.fixture.ts';
import { LONGEST_DOUBT, verdictOn } from './verdict.ts';
import { write } from './write.fixture.ts';

const SENT = write(1, { state: 'sending', attempts: 1 });
const REDIRECTED = failedWith({ code: 'redirected', message: 'redirected' });

test('a success is the end of a write', () => {
  expect(verdictOn(SENT, answered({ status: 201 }), 0)).toEqual({ kind: 'done' });
});

test.each([
  ['again', [408, 425, 429, 500, 502, 503, 504, 507]],
  ['paused', [401, 403]],
  ['conflict', [409, 412]],
  ['review', [400, 404, 405, 410, 413, 415, 422, 428, 451]],
])('a write is %s after a status of %s', (kind, statuses) => {
  for (const status of statuses) expect(verdictOn(SENT, refused(status), 0).kind).toBe(kind);
});

test.each<[boolean, Outcome]>([
  [false, failed('network')],
  [false, failed('offline')],
  [false, TIMED_OUT],
  [false, failedWith({ code: 'credentials', message: 'None' })],
  [true, REDIRECTED],
  [true, { ...failedWith({ code: 'protocol', message: 'A hook has failed' }), request: null }],
  [true, answered({ status: 304 })],
])('a write whose way to the server failed is sent again (in doubt: %s)', (isUnclear, outcome) => {
  expect(verdictOn(SENT, outcome, 0)).toEqual({ kind: 'again', isFailure: true, isUnclear });
});

test.each<Failure>([
  { code: 'function', message: 'A function has failed' },
  { code: 'schema', message: 'A schema has refused it', issues: [] },
  { code: 'limit', message: 'It is too long', limit: 'answerSize', value: 1 },
])('a write is done whose answer the app or the worker does not take: $code', (failure) => {
  const outcome = failedWith(failure);
  expect(verdictOn(SENT, outcome, 0)).toEqual({ kind: 'done' });
  expect(verdictOn(SENT, { ...outcome, answer: answered({ status: 201 }).answer }, 0).kind).toBe('done');
});

test('the page of a captive portal is no delivery', () => {
  const portal = failedWith({ code: 'parse', message: 'HTML', status: 200, contentType: 'text/html' });
  expect(verdictOn(SENT, portal, 0)).toEqual({ kind: 'again', isFailure: true, isUnclear: true });
});

test('409 is no conflict for a minute, where a server may still be at work on an attempt whose answer was lost', () => {
  const again = { kind: 'again', isFailure: true, isUnclear: false, isBusy: true };
  const lost = { ...SENT, mayBeDone: true };
  // A portal was there before its server.
  expect(verdictOn({ ...lost, unclearSince: 0 }, refused(409), LONGEST_DOUBT)).toEqual(again);
  const busy = { ...lost, busySince: 5_000 };
  expect(verdictOn(busy, refused(409), 64_999)).toEqual(again);
  expect(verdictOn(busy, refused(409), 65_000)).toEqual({ kind: 'conflict' });
  // The clock was set back.
  expect(verdictOn(busy, refused(409), 4_000)).toEqual(again);
  expect(verdictOn(lost, refused(412), 5_000)).toEqual({ kind: 'conflict' });
});

test('an attempt that the worker itself has cut off says nothing about the server', () => {
  expect(verdictOn(SENT, failed('aborted'), 0)).toEqual({
    kind: 'again',
    isFailure: false,
    isUnclear: false,
  });
});

test.each<Failure>([
  { code: 'blocked-url', message: 'It leaves its base' },
  { code: 'url-too-long', message: 'It is too long' },
])('a write that can never be sent is for review: $code', (failure) => {
  expect(verdictOn(SENT, failedWith(failure), 0)).toEqual({ kind: 'review' });
});

test('a DELETE finds nothing only where an earlier attempt may have deleted it', () => {
  const { invocation } = SENT;
  const deletion = { ...SENT, invocation: { ...invocation, method: 'DELETE' } };
  for (const status of [404, 410]) {
    expect(verdictOn(deletion, refused(status), 0).kind).toBe('review');
    expect(verdictOn({ ...deletion, mayBeDone: true }, refused(status), 0).kind).toBe('done');
  }
});

test('a server that redirects a write for a day means it', () => {
  const since = { ...SENT, unclearSince: 1_000 };
  expect(verdictOn(since, REDIRECTED, 999 + LONGEST_DOUBT).kind).toBe('again');
  expect(verdictOn(since, REDIRECTED, 1_000 + LONGEST_DOUBT).kind).toBe('review');
});
