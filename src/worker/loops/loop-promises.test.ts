import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../shared/outcome.ts';
import { answered, failed, refused, TIMED_OUT } from '../contracts/outcome.fixture.ts';
import { every, Stage } from './stage.fixture.ts';
import type { Alone, Reply } from './stage.fixture.ts';

/** What may be done to a loop, `wait` milliseconds after the last thing that was. */
type Step = { readonly wait: number } & (
  | { readonly kind: 'nothing' | 'cut' | 'wakeUp' }
  | { readonly kind: 'setInterval'; readonly interval: number }
);

const OUTCOMES: readonly Outcome[] = [
  answered(),
  answered({ status: 204 }),
  answered({ stale: true, servedFrom: 'cache' }),
  failed('network'),
  failed('offline'),
  refused(404),
  refused(503, [['Retry-After', '7']]),
  TIMED_OUT,
];

const interval = fc.integer({ min: 100, max: 3_000 });
const reply: fc.Arbitrary<Reply> = fc.record({
  after: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 6_000 })),
  outcome: fc.constantFrom(...OUTCOMES),
});
const wait = fc.integer({ min: 0, max: 4_000 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ wait, kind: fc.constantFrom('nothing', 'cut', 'wakeUp') }),
  fc.record({ wait, kind: fc.constant('setInterval'), interval }),
);
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

/**
 * Follows a loop and works out from the outside when it may ask at the earliest: after an answer on the next tick,
 * after a failure when the rule or `Retry-After` says, and earlier only where somebody asked for that.
 */
class Watched extends Stage {
  period: number;
  readonly loop: Alone;
  readonly early: string[] = [];
  #earliest = 0;
  #lastAskedAt = 0;
  #failures = 0;
  #cutOff = false;
  #wokenUp = false;
  /** Whether it has heard that the network is back while its request was out, which says nothing of that. */
  #wokenMeanwhile = false;

  constructor(period: number) {
    super();
    this.period = period;
    this.loop = this.alone({ pace: every(period) });
  }

  override async ask(...args: Parameters<Stage['ask']>): Promise<Outcome> {
    this.#onAsk();
    const outcome = await super.ask(...args);
    this.#onEnd(outcome);
    return outcome;
  }

  perform(each: Step): void {
    switch (each.kind) {
      case 'cut':
        return this.loop.cut();
      case 'wakeUp':
        this.#wokenMeanwhile = this.inFlight > 0;
        this.#wakeUp();
        void this.loop.loop.wakeUp();
        return;
      case 'setInterval':
        this.period = each.interval;
        if (this.#failures === 0 && !this.#cutOff)
          this.#earliest = Math.min(this.#earliest, this.#lastAskedAt + each.interval);
        return this.loop.setInterval(each.interval);
      default:
    }
  }

  #wakeUp(): void {
    if (this.#cutOff && !this.#wokenUp) this.#failures = 0;
    this.#wokenUp ||= this.#cutOff;
  }

  #onAsk(): void {
    if (this.now < this.#earliest && !this.#wokenUp) {
      this.early.push(`asked at ${this.now}, not due before ${this.#earliest}`);
    }
    this.#lastAskedAt = this.now;
    this.#wokenUp = false;
    this.#wokenMeanwhile = false;
  }

  #onEnd(outcome: Outcome): void {
    const status = outcome.answer?.status;
    const aborted = outcome.kind === 'failed' && outcome.failure.code === 'aborted';
    const isStale = outcome.kind === 'answered' && outcome.stale;
    if (aborted) {
      this.#earliest = this.now;
      return;
    }
    this.#failures = outcome.kind === 'failed' || isStale ? this.#failures + 1 : 0;
    const unheard = outcome.kind === 'failed' && ['network', 'offline'].includes(outcome.failure.code);
    this.#cutOff = isStale || unheard;
    if (status === 503) this.#earliest = this.now + 7_000;
    else this.#earliest = this.now + leastWait(this.period, this.#failures);
    this.#wokenUp = false;
    if (this.#wokenMeanwhile) this.#wakeUp();
    this.#wokenMeanwhile = false;
  }
}

function leastWait(period: number, failures: number): number {
  if (failures === 0) return 0;
  if (failures === 1) return 300;
  return failures === 2 ? Math.min(period / 2, 2_000) : period / 2;
}

async function live(period: number, replies: Reply[], steps: Step[], randoms: number[]): Promise<Watched> {
  const watched = new Watched(period);
  watched.reply = (nth) => replies[nth % replies.length] ?? { after: 0, outcome: answered() };
  for (const [index, each] of steps.entries()) {
    watched.random = randoms[index % randoms.length] ?? 0;
    await watched.clock.advance(each.wait);
    watched.perform(each);
  }
  return watched;
}

const replies = fc.array(reply, { minLength: 1, maxLength: 6 });
const steps = fc.array(step, { minLength: 1, maxLength: 8 });
const randoms = fc.array(random, { minLength: 1, maxLength: 4 });

describe('whatever the network says and the page does', () => {
  test('a loop never has two requests in flight and never asks before it is due', async () => {
    const lifes = fc.asyncProperty(interval, replies, steps, randoms, async (...life) => {
      const watched = await live(...life);
      expect(watched.early).toEqual([]);
      expect(watched.mostInFlight).toBeLessThanOrEqual(1);
    });
    await fc.assert(lifes, { numRuns: 200 });
  });

  test('a loop that is stopped has nothing in flight and never asks again', async () => {
    const lifes = fc.asyncProperty(interval, replies, steps, randoms, async (...life) => {
      const watched = await live(...life);
      watched.loop.leave();
      const asked = watched.asked.length;
      const told = watched.ticks.length;
      await watched.clock.advance(20_000);
      expect([watched.inFlight, watched.asked.length, watched.ticks.length]).toEqual([0, asked, told]);
    });
    await fc.assert(lifes, { numRuns: 30 });
  });

  test('a poll that is answered in time asks once in every cell of its grid', async () => {
    const latencies = fc.array(fc.integer({ min: 0, max: 3_000 }), { minLength: 1, maxLength: 8 });
    const lifes = fc.asyncProperty(interval, latencies, async (period, after) => {
      const answers = after.map((each) => ({ after: each, outcome: answered() }));
      const { times } = await live(period, answers, [{ kind: 'nothing', wait: 12_000 }], [0]);
      expect(times.every((at) => at % period === 0)).toBe(true);
      expect(new Set(times).size).toBe(times.length);
    });
    await fc.assert(lifes, { numRuns: 30 });
  });
});
