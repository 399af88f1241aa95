import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../shared/outcome.ts';
import { answered, failed, failedWith, refused, TIMED_OUT } from './outcome.fixture.ts';
import { originOf, signOf } from './reachability.ts';
import { HELD } from './rule.ts';

const PARSE = failedWith({ code: 'parse', message: 'parse', status: 200, contentType: null });
const REDIRECTED = failedWith({ code: 'redirected', message: 'redirected' });

describe('of its origin an outcome says', () => {
  test.each<[string, Outcome, string | null]>([
    ['an answer', answered(), 'reachable'],
    ['a 304', answered({ confirmed: true }), 'reachable'],
    ['the stored answer of a network that is gone', answered({ stale: true }), 'unreachable'],
    ['network', failed('network'), 'unreachable'],
    ['offline', failed('offline'), 'unreachable'],
    ['404', refused(404), 'reachable'],
    ['500', refused(500), 'reachable'],
    ['501', refused(501), 'reachable'],
    ['502', refused(502), 'failing'],
    ['503', refused(503), 'failing'],
    ['504', refused(504), 'failing'],
    ['505', refused(505), 'reachable'],
    ['a body that cannot be read', PARSE, 'reachable'],
    ['a redirect of a write', REDIRECTED, 'reachable'],
    ['no answer in time', TIMED_OUT, 'silent'],
    ['a caller who gave up', failed('aborted'), null],
    ['a URL that is not allowed', failed('blocked-url'), null],
    ['a request that cannot be sent', failed('protocol'), null],
  ])('%s', (_name, outcome, sign) => {
    expect(signOf(outcome, null)).toBe(sign);
  });

  test.each<[string, Outcome, number, string | null]>([
    ['the watchdog of a long-poll', TIMED_OUT, 60_000, null],
    ['the time-out of a gateway that held a request', refused(504), HELD, null],
    ['a quick 504 to a long-poll', refused(504), HELD - 1, 'failing'],
    ['a 503 to a held request', refused(503), 60_000, 'failing'],
    ['a 408 to a held request', refused(408), 60_000, 'reachable'],
    ['a connection that broke while it was held', failed('network'), 60_000, 'unreachable'],
  ])('%s', (_name, outcome, held, sign) => {
    expect(signOf(outcome, held)).toBe(sign);
  });
});

test('the origin is that of the request, of which there need be none', () => {
  expect(originOf(answered())).toBe('https://page.example');
  expect(originOf({ ...TIMED_OUT, request: null })).toBeNull();
});
