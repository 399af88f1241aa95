import { describe, expect, test } from 'vitest';
import { order, respond, Stage } from './order.fixture.ts';
import { beforeRepeating, waitBeforeRepeating } from './body.ts';
import type { Setback } from './body.ts';

const LONG = 10_000_000;
const NETWORK: Setback = { kind: 'network' };

function status(code: number, retryAfter: number | null = null): Setback {
  return { kind: 'status', status: code, retryAfter };
}

function wait(
  setback: Setback,
  repetitions = 0,
  random = 0.5,
  method = 'GET',
  remaining = LONG,
): number | null {
  const { invocation } = order({ method, policy: { retry: 3 } });
  return waitBeforeRepeating(invocation, repetitions, setback, random, remaining);
}

describe('the decision', () => {
  test.each([408, 425, 429, 500, 502, 503, 504, 599])('a status of %i is worth another try', (code) => {
    expect(wait(status(code))).toBe(300);
  });

  test.each([200, 304, 400, 401, 403, 404, 409, 410, 422])('a status of %i is not', (code) => {
    expect(wait(status(code))).toBeNull();
  });

  test.each([
    ['GET', 300],
    ['HEAD', 300],
    ['OPTIONS', 300],
    ['PUT', 300],
    ['DELETE', 300],
    ['POST', null],
    ['PATCH', null],
  ])('only what may be sent twice is: %s', (method, expected) => {
    expect(wait(NETWORK, 0, 0.5, method)).toBe(expected);
  });

  test('the wait doubles until the repetitions are used up', () => {
    expect([0, 1, 2, 3].map((repetitions) => wait(NETWORK, repetitions))).toEqual([300, 600, 1_200, null]);
  });

  test('the wait is spread from half to one and a half of its mean', () => {
    expect([0, 0.5, 1].map((random) => wait(NETWORK, 1, random))).toEqual([300, 600, 900]);
  });

  test('what the server asks for is a floor, the jitter comes on top', () => {
    expect([0, 0.5, 1].map((random) => wait(status(503, 5_000), 0, random))).toEqual([5_000, 5_075, 5_150]);
    expect(wait(status(503, 10), 0, 0.5)).toBe(300);
  });

  test('a wait that the deadline would cut short is not begun', () => {
    expect(wait(status(503, 5_000), 0, 0, 'GET', 5_000)).toBeNull();
    expect(wait(status(503, 5_000), 0, 0, 'GET', 5_001)).toBe(5_000);
  });
});

describe('the act', () => {
  const RETRYING = { policy: { retry: 2 } };

  test('failures that pass are waited out', async () => {
    const stage = failing(2, () => respond('busy', [], 503));
    const sent = stage.send(order(RETRYING));
    await stage.clock.advance(900);
    expect(await sent).toMatchObject({ kind: 'answered', answer: { status: 200 } });
    expect(times(stage)).toEqual([0, 300, 900]);
  });

  test('the last failure is told', async () => {
    const stage = failing(3, () => respond('busy', [], 503));
    const sent = stage.send(order(RETRYING));
    await stage.clock.advance(900);
    expect(await sent).toMatchObject({
      kind: 'failed',
      failure: { code: 'http', status: 503, body: 'busy' },
    });
    expect(stage.requests).toHaveLength(3);
  });

  test.each([
    ['seconds', '7', 7_075],
    ['a date', 'Thu, 01 Jan 2026 00:00:09 GMT', 9_075],
    ['garbage', 'soon', 300],
  ])('Retry-After is heeded: %s', async (_form, value, expected) => {
    const stage = failing(1, () => respond('busy', [['Retry-After', value]], 429));
    const sent = stage.send(order(RETRYING));
    await stage.clock.advance(20_000);
    await sent;
    expect(times(stage)).toEqual([0, expected]);
  });

  test('each wait is told before it begins', async () => {
    const waits: number[] = [];
    const stage = failing(2, () => respond('busy', [], 503));
    const sent = stage.send(order(RETRYING), { waiting: (each) => void waits.push(each) });
    await stage.clock.advance(0);
    expect(waits).toEqual([300]);
    await stage.clock.advance(900);
    await sent;
    expect(waits).toEqual([300, 600]);
  });

  test('a date counts from the one that the server has', async () => {
    const headers: [string, string][] = [
      ['Retry-After', 'Sat, 01 Jan 2028 00:00:09 GMT'],
      ['Date', 'Sat, 01 Jan 2028 00:00:00 GMT'],
    ];
    const stage = failing(1, () => respond('busy', headers, 429));
    const sent = stage.send(order(RETRYING));
    await stage.clock.advance(20_000);
    await sent;
    expect(times(stage)).toEqual([0, 9_075]);
  });

  test('a server that wants more time than there is gets none, and is believed', async () => {
    const stage = failing(1, () => respond('busy', [['Retry-After', '3600']], 503));
    const exchanged = await stage.send(order(RETRYING));
    expect(exchanged).toMatchObject({ failure: { code: 'http', status: 503 } });
  });

  test('a request is repeated though the clock was set forward meanwhile', async () => {
    const stage = settingClock(HOUR, '1');
    const sent = stage.send(order(RETRYING));
    await stage.clock.advance(5_000);
    expect(await sent).toMatchObject({ kind: 'answered' });
  });

  test('a server that wants more time than there is is believed though the clock was set back meanwhile', async () => {
    const stage = settingClock(-2 * HOUR, '3600');
    const sent = stage.send(order(RETRYING));
    await stage.clock.advance(40_000);
    expect(await sent).toMatchObject({ failure: { code: 'http', status: 503 } });
  });

  test('a lost network is tried again', async () => {
    const stage = failing(1, () => {
      throw new TypeError('Failed to fetch');
    });
    const sent = stage.send(order(RETRYING));
    await stage.clock.advance(300);
    expect(await sent).toMatchObject({ kind: 'answered' });
  });

  test('a DELETE whose answer was lost has succeeded where it finds nothing the second time', async () => {
    let isThere = true;
    const stage = new Stage(async () => {
      if (!isThere) return respond('{"why":"no such photo"}', [['Content-Type', 'application/json']], 404);
      isThere = false;
      throw new TypeError('Failed to fetch');
    });
    const sent = stage.send(order({ method: 'DELETE', ...RETRYING }));
    await stage.clock.advance(300);
    expect(await sent).toMatchObject({ kind: 'answered', answer: { body: { kind: 'value', value: null } } });
  });

  test.each([500, 502, 504])(
    'a DELETE that a gateway answered with %i has succeeded where it finds nothing the second time',
    async (first) => {
      let asked = 0;
      const stage = new Stage(() => respond('', [], (asked += 1) === 1 ? first : 404));
      const sent = stage.send(order({ method: 'DELETE', ...RETRYING }));
      await stage.clock.advance(300);
      expect(await sent).toMatchObject({ kind: 'answered', answer: { status: 404 } });
    },
  );

  test('a DELETE that was refused for the moment, and then finds nothing, has failed', async () => {
    let asked = 0;
    const stage = new Stage(() => respond('', [], (asked += 1) === 1 ? 503 : 404));
    const sent = stage.send(order({ method: 'DELETE', ...RETRYING }));
    await stage.clock.advance(300);
    expect(await sent).toMatchObject({ failure: { code: 'http', status: 404 } });
  });

  test('a body that broke off is tried again', async () => {
    const stage = failing(1, () => respond('short', [['Content-Length', '100']]));
    const sent = stage.send(order(RETRYING));
    await stage.clock.advance(300);
    expect(await sent).toMatchObject({ kind: 'answered', answer: { body: { value: 'fine' } } });
  });

  test('a device that is offline is not asked again', async () => {
    const stage = failing(1, () => {
      throw new TypeError('Failed to fetch');
    });
    stage.online = false;
    const exchanged = await stage.send(order(RETRYING));
    expect(exchanged).toMatchObject({ kind: 'failed', failure: { code: 'offline' } });
    expect(stage.requests).toHaveLength(1);
  });

  test('an answer that is about to be asked for again is not told', async () => {
    const statuses: number[] = [];
    const stage = failing(2, () => respond('busy', [], 503));
    const sent = stage.send(order(RETRYING), { sent: (code) => void statuses.push(code) });
    await stage.clock.advance(900);
    await sent;
    expect(statuses).toEqual([200]);
  });

  test('the deadline covers the repetitions', async () => {
    const stage = failing(9, () => respond('busy', [], 503));
    const sent = stage.send(order({ policy: { retry: 9, timeout: 1_000 } }));
    await stage.clock.advance(1_000);
    expect(await sent).toMatchObject({ failure: { code: 'http', status: 503 } });
    expect(times(stage)).toEqual([0, 300, 900]);
  });

  test('giving up ends the wait', async () => {
    const caller = new AbortController();
    const stage = failing(1, () => respond('busy', [], 503));
    const sent = stage.send(order(RETRYING), {}, caller.signal);
    await stage.clock.advance(100);
    caller.abort();
    expect(await sent).toMatchObject({ failure: { code: 'aborted' } });
    expect(stage.requests).toHaveLength(1);
  });
});

/** A network that fails so often before all is well. */
function failing(often: number, failure: () => Response): Stage {
  let left = often;
  return new Stage(() => (left-- > 0 ? failure() : respond('fine')));
}

const HOUR = 3_600_000;

/** A server that is busy at first. Its answer comes after the device's clock has been set. */
function settingClock(by: number, retryAfter: string): Stage {
  const stage: Stage = failing(1, () => {
    stage.clock.set(by);
    return respond('busy', [['Retry-After', retryAfter]], 503);
  });
  return stage;
}

/** Milliseconds after the first, of each request. */
function times(stage: Stage): number[] {
  const start = stage.requests[0]?.at ?? 0;
  return stage.requests.map(({ at }) => at - start);
}

test.each([
  ['from half to one and a half of the mean', null, [150, 300, 450]],
  ['never below Retry-After, with half the mean on top', 5_000, [5_000, 5_075, 5_150]],
  ['or as long as without, where that is longer', 10, [150, 300, 450]],
])('a call is repeated after %s', (_name, floor, expected) => {
  expect([0, 0.5, 1].map((random) => beforeRepeating(300, floor, random))).toEqual(expected);
});
