import type { Tick } from '../../src/worker/scheduling/plan.ts';
import { nextTick } from '../../src/worker/scheduling/back-off.ts';
import type { Client } from './agenda.ts';
import type { Candidate, Pace, Rule } from './rule.ts';

/** The first wait and the longest, in milliseconds: the defaults of TanStack Query's `retryDelay`. */
const BASE = 1_000;
const CAP = 30_000;

/** The wait of a long-poll that knows no back-off. */
const FIXED_WAIT = 5_000;

/** The wait after failure `failures`, of which the one before was `previous`; null: as though nothing had failed. */
type Wait = (failures: number, previous: number, random: () => number) => number | null;

/**
 * The usual rules. Full and decorrelated jitter are those of "Exponential Backoff And Jitter" (AWS Architecture Blog,
 * 2015). All of them ask at once when the network is back and when a page starts.
 */
export const PEERS: readonly Candidate[] = [
  peer('fixed', () => null),
  peer('exponential', (failures) => exponential(failures)),
  peer('full jitter', (failures, _previous, random) => random() * exponential(failures)),
  peer('decorrelated', (_failures, previous, random) => {
    const most = 3 * Math.max(BASE, previous);
    return Math.min(CAP, BASE + random() * (most - BASE));
  }),
];

/** Doubles with each failure. By shifting: the simulation would spend half its time on a power. */
function exponential(failures: number): number {
  return Math.min(CAP, BASE * (1 << Math.min(failures - 1, 10)));
}

function peer(name: string, wait: Wait): Candidate {
  return { name, make: (pace, random) => new Peer(pace, random, wait) };
}

/** The memory of its clients is the wait before. */
class Peer implements Rule {
  readonly #pace: Pace;
  readonly #random: () => number;
  readonly #wait: Wait;

  constructor(pace: Pace, random: () => number, wait: Wait) {
    this.#pace = pace;
    this.#random = random;
    this.#wait = wait;
  }

  afterTick(client: Client, tick: Tick): number {
    return tick.outcome.kind === 'answered' ? this.#goOn(client, tick) : this.#backOff(client, tick);
  }

  afterReturn(client: Client, now: number): number {
    forget(client);
    return now;
  }

  afterRestart(client: Client, now: number): number {
    forget(client);
    return now;
  }

  #goOn(client: Client, tick: Tick): number {
    forget(client);
    return this.#pace.kind === 'poll' ? nextTick(tick.dueAt, this.#pace.period, tick.endedAt) : tick.endedAt;
  }

  #backOff(client: Client, tick: Tick): number {
    const wait = this.#wait(client.failures + 1, client.memory, this.#random);
    if (wait === null)
      return this.#pace.kind === 'poll' ? this.#goOn(client, tick) : tick.endedAt + FIXED_WAIT;
    client.failures += 1;
    client.memory = wait;
    return tick.endedAt + wait;
  }
}

function forget(client: Client): void {
  client.failures = 0;
  client.memory = 0;
}
