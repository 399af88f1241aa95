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
  /** Periods from the recovery until 99 % of the clients have a fresh answer. */
  readonly fresh?: number;
}

export interface Scenario {
  readonly name: string;
  readonly title: string;
  readonly pace: Pace;
  readonly blow: Blow;
  /** Whether the usual rules live through it too; where not, they would do as in another. */
  readonly peers: boolean;
  readonly budget: Budget;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const POLL: Pace = { kind: 'poll', period: 30 * SECOND };
const OUTAGE: Budget = { peak: 1.5, mean: 0.5, fresh: 4.5 };

export const SCENARIOS: readonly Scenario[] = [
  outage('outage-10s', 'The server is down for 10 s', 10 * SECOND),
  outage('outage-5min', 'The server is down for 5 min', 5 * MINUTE),
  outage('outage-1h', 'The server is down for 1 h', 60 * MINUTE),
  {
    name: 'online',
    title: 'A third of all clients, offline for 5 min, is back in one instant',
    pace: POLL,
    blow: { kind: 'offline', lasts: 5 * MINUTE, share: 1 / 3 },
    peers: true,
    budget: {},
  },
  reload('reload-1s', 'All pages start anew in one instant, 1 s after they were gone', SECOND, true),
  reload(
    'reload-15s',
    'All pages start anew in one instant, half a period after they were gone',
    15 * SECOND,
  ),
  reload('reload-30s', 'All pages start anew in one instant, a period after they were gone', 30 * SECOND),
  reload('reload-5min', 'All pages start anew in one instant, 5 min after they were gone', 5 * MINUTE),
  cut('cut', { hold: 25, spread: 20, peak: 3.1 }),
  cut('cut-spread-30s', { hold: 25, spread: 30, peak: 2.1 }),
  cut('cut-held-60s', { hold: 60, spread: 20, peak: 3.1 }),
  cut('cut-held-60s-spread-30s', { hold: 60, spread: 30, peak: 2.1 }),
];

function outage(name: string, title: string, lasts: number): Scenario {
  return { name, title, pace: POLL, blow: { kind: 'outage', lasts }, peers: true, budget: OUTAGE };
}

function reload(name: string, title: string, lasts: number, peers = false): Scenario {
  return { name, title, pace: POLL, blow: { kind: 'reload', lasts }, peers, budget: {} };
}

/** `hold` and `spread` in seconds. */
function cut(
  name: string,
  wish: { readonly hold: number; readonly spread: number; readonly peak: number },
): Scenario {
  const { hold, spread, peak } = wish;
  return {
    name,
    title: `All long-polls, held ${hold} s, are cut in one instant and spread over ${spread} s`,
    pace: { kind: 'long-poll', hold: hold * SECOND, spread: spread * SECOND },
    blow: { kind: 'cut', lasts: 0 },
    peers: spread === 20,
    budget: { peak },
  };
}

/** @throws RangeError where there is none of that name. */
export function find(name: string): Scenario {
  const scenario = SCENARIOS.find((each) => each.name === name);
  if (scenario) return scenario;
  throw new RangeError(`There is no scenario ${name}: take ${SCENARIOS.map((each) => each.name).join(', ')}`);
}
