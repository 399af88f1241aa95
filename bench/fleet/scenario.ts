import { LIMITS } from '../../src/shared/limits.ts';
import type { Pace } from './rule.ts';

/** What befalls the fleet, once it runs steadily. `lasts`: milliseconds until all is well again. */
export type Blow =
  /** The server refuses every connection. */
  | { readonly kind: 'outage'; readonly lasts: number }
  /** The first `share` of the clients has no network, and hears in one instant that it is back. */
  | { readonly kind: 'offline'; readonly lasts: number; readonly share: number }
  /** All pages and workers are gone, and start anew in one instant. */
  | { readonly kind: 'reload'; readonly lasts: number }
  /** The server drops every request that it holds. */
  | { readonly kind: 'cut'; readonly lasts: 0 };

/** What the shipped rule has to keep to. Loads are in parts of the steady one. */
export interface Budget {
  /** The busiest second. */
  readonly peak?: number;
  /** The mean of an outage, from its second minute on. */
  readonly mean?: number;
  /** Seconds from the recovery until half of those who had noticed ask again. */
  readonly asked?: number;
  /** Seconds until half of them are answered, with the wait in the server's line. */
  readonly answered?: number;
  /** Periods from the recovery until 99 % of the clients have a fresh answer. */
  readonly fresh?: number;
}

export interface Scenario {
  readonly name: string;
  readonly title: string;
  readonly pace: Pace;
  readonly blow: Blow;
  /** The usual rules that live through it too; where none do, they would do as in another. */
  readonly peers: 'all' | 'full jitter' | 'none';
  readonly budget: Budget;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** The spread of a long-poll that says nothing else, in seconds. */
const DEFAULT = LIMITS.defaultSpread / SECOND;

const POLL: Pace = { kind: 'poll', period: 30 * SECOND };

/** Half of those who notice a blip are back within that, whatever their period. */
const BLIP: Budget = { peak: 1.6, asked: 1.5, answered: 1.5 };

/** The line is that of a server which can do half as much again as its steady load. */
const OUTAGE: Budget = { peak: 3, asked: 5, answered: 6.5 };
const LONG_OUTAGE: Budget = { peak: 3.6, fresh: 4.5 };
const RELOAD: Budget = { peak: 3.6 };

export const SCENARIOS: readonly Scenario[] = [
  ...[5, 60, 600].flatMap((period) => [
    outage('1s', SECOND, period, BLIP),
    outage('10s', 10 * SECOND, period, OUTAGE),
    outage('5min', 5 * MINUTE, period, LONG_OUTAGE),
  ]),
  outage('1h', 60 * MINUTE, 60, { ...LONG_OUTAGE, mean: 0.5 }),
  {
    name: 'online',
    title: 'A third of all clients, offline for 5 min, is back in one instant',
    pace: POLL,
    blow: { kind: 'offline', lasts: 5 * MINUTE, share: 1 / 3 },
    peers: 'all',
    budget: { peak: 1.6 },
  },
  reload('1s', SECOND, 'all'),
  reload('15s', 15 * SECOND),
  reload('28s', 28 * SECOND),
  reload('30s', 30 * SECOND),
  reload('5min', 5 * MINUTE),
  cut('cut', 25, DEFAULT, 9),
  cut('cut-spread-20s', 25, 20, 3.1),
  cut('cut-spread-30s', 25, 30, 2.1),
  cut('cut-held-60s', 60, DEFAULT, 21),
  cut('cut-held-60s-spread-20s', 60, 20, 3.1),
  cut('cut-held-60s-spread-30s', 60, 30, 2.1),
];

/** `period` in seconds. */
function outage(name: string, lasts: number, period: number, budget: Budget): Scenario {
  return {
    name: `outage-${name}-of-${period}s`,
    title: `The server is down for ${name.replace(/(\d+)/, '$1 ')}, polls of ${period} s`,
    pace: { kind: 'poll', period: period * SECOND },
    blow: { kind: 'outage', lasts },
    peers: period === 60 ? 'all' : 'full jitter',
    budget,
  };
}

function reload(name: string, lasts: number, peers: Scenario['peers'] = 'none'): Scenario {
  return {
    name: `reload-${name}`,
    title: `All pages start anew in one instant, ${name.replace(/(\d+)/, '$1 ')} after they were gone`,
    pace: POLL,
    blow: { kind: 'reload', lasts },
    peers,
    budget: RELOAD,
  };
}

/** `hold` and `spread` in seconds. */
function cut(name: string, hold: number, spread: number, peak: number): Scenario {
  return {
    name,
    title: `All long-polls, held ${hold} s, are cut in one instant and spread over ${spread} s`,
    pace: { kind: 'long-poll', hold: hold * SECOND, spread: spread * SECOND },
    blow: { kind: 'cut', lasts: 0 },
    peers: spread === DEFAULT ? 'all' : 'none',
    budget: { peak },
  };
}

/** @throws RangeError where there is none of that name. */
export function find(name: string): Scenario {
  const scenario = SCENARIOS.find((each) => each.name === name);
  if (scenario) return scenario;
  throw new RangeError(`There is no scenario ${name}: take ${SCENARIOS.map((each) => each.name).join(', ')}`);
}
