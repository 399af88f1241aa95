import { describe, expect, test } from 'vitest';
import { Network } from './network.ts';
import type { Pace } from './rule.ts';
import type { Blow } from './scenario.ts';
import { Server } from './server.ts';

const POLL: Pace = { kind: 'poll', period: 30_000 };
const LONG_POLL: Pace = { kind: 'long-poll', hold: 25_000, spread: 20_000 };
const OUTAGE: Blow = { kind: 'outage', lasts: 10_000 };
const CUT: Blow = { kind: 'cut', lasts: 0 };

/** A network that is struck at 60 s, of which clients 0 to 9 hear. */
function network(pace: Pace, blow: Blow, server = new Server(1_000, 10_000)): Network {
  return new Network(server, pace, blow, 60_000, 10);
}

const ANSWERED = { outcome: { kind: 'answered' }, arrived: true };
const LOST = { outcome: { failure: { code: 'network' } }, servedAt: null, arrived: true };

describe('a poll', () => {
  test('is answered after a round trip, and what it waited in line', () => {
    const all = network(POLL, OUTAGE, new Server(10, 10_000));
    expect(all.send(0, 0)).toMatchObject({ ...ANSWERED, endedAt: 50, servedAt: 50 });
    expect(all.send(1, 0)).toMatchObject({ ...ANSWERED, endedAt: 150, servedAt: 150 });
  });

  test('is answered by a 503 where the line is too long', () => {
    const all = network(POLL, OUTAGE, new Server(10, 0));
    all.send(0, 0);
    expect(all.send(1, 0)).toMatchObject({
      endedAt: 50,
      outcome: { failure: { code: 'http', status: 503 } },
      servedAt: null,
      arrived: true,
    });
  });

  test.each([
    [60_000, LOST],
    [69_999, LOST],
    [70_000, ANSWERED],
  ])('is refused while the server is down: at %i', (now, expected) => {
    expect(network(POLL, OUTAGE).send(0, now)).toMatchObject({ ...expected, endedAt: now + 50 });
  });

  test('that is out when the server goes down is lost at that moment', () => {
    expect(network(POLL, OUTAGE).send(0, 59_990)).toMatchObject({ ...LOST, endedAt: 60_000 });
    expect(network(POLL, OUTAGE).send(0, 59_950)).toMatchObject(ANSWERED);
  });

  test('of a device that is offline never arrives; the others do not notice', () => {
    const all = network(POLL, { kind: 'offline', lasts: 10_000, share: 1 / 3 });
    expect(all.send(9, 65_000)).toMatchObject({
      endedAt: 65_000,
      outcome: { failure: { code: 'offline' } },
      servedAt: null,
      arrived: false,
    });
    expect(all.send(10, 65_000)).toMatchObject(ANSWERED);
  });
});

describe('a long-poll', () => {
  test('is held, and has its client served from the beginning', () => {
    const ending = network(LONG_POLL, CUT).send(0, 0);
    expect(ending).toMatchObject({ ...ANSWERED, endedAt: 25_050, servedAt: 50 });
    expect(ending).toMatchObject({ outcome: { answer: { status: 204 } } });
  });

  test('is lost when it is cut, and is held again at once', () => {
    const all = network(LONG_POLL, CUT);
    expect(all.send(0, 40_000)).toMatchObject({ ...LOST, endedAt: 60_000 });
    expect(all.send(0, 60_000)).toMatchObject({ ...ANSWERED, endedAt: 85_050 });
  });
});
