import { planLongPoll, planPoll } from '../../src/worker/scheduling/planner.ts';
import { FRESH } from '../../src/worker/scheduling/plan.ts';
import type { LoopProgress, Tick } from '../../src/worker/scheduling/plan.ts';
import { LONG_POLL_PERIOD } from '../../src/worker/contracts/rule.ts';
import { afterRestart, afterReturn } from '../../src/worker/scheduling/back-off.ts';
import type { Client } from './agenda.ts';
import type { Candidate, Pace, Rule } from './rule.ts';

/** The rule that is shipped: the functions that the loops of the worker call. */
export const OFFSTAGE: Candidate = {
  name: 'offstage',
  make: (pace, random) => new Offstage(pace, random),
};

/** The memory of a client that is cut off, in place of a number of immediate answers: it has had none. */
const CUT_OFF = -1;

/** Does around those functions what `Loop` does. */
class Offstage implements Rule {
  readonly #pace: Pace;
  readonly #random: () => number;

  constructor(pace: Pace, random: () => number) {
    this.#pace = pace;
    this.#random = random;
  }

  afterTick(client: Client, tick: Tick): number {
    const pace = this.#pace;
    const plan =
      pace.kind === 'poll'
        ? planPoll(progressOf(client), pace.period, tick, this.#random())
        : planLongPoll(progressOf(client), tick, this.#random(), pace.spread);
    remember(client, plan.progress);
    return plan.dueAt;
  }

  afterReturn(client: Client, now: number): number {
    const progress = progressOf(client);
    if (!progress.cutOff) return client.dueAt;
    remember(client, { ...progress, failures: 0 });
    return Math.min(client.dueAt, afterReturn(this.#period, now, this.#random()));
  }

  afterRestart(client: Client, now: number): number {
    remember(client, FRESH);
    return afterRestart(client.dueAt, this.#period, now, this.#random());
  }

  get #period(): number {
    return this.#pace.kind === 'poll' ? this.#pace.period : LONG_POLL_PERIOD;
  }
}

function progressOf({ failures, memory }: Client): LoopProgress {
  return { failures, cutOff: memory === CUT_OFF, immediate: Math.max(0, memory) };
}

function remember(client: Client, { failures, cutOff, immediate }: LoopProgress): void {
  client.failures = failures;
  client.memory = cutOff ? CUT_OFF : immediate;
}
