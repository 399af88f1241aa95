import type { Invocation } from '../../shared/invocation.ts';
import type { Outcome } from '../../shared/outcome.ts';
import type { ReadOutcome } from '../contracts/read-body.ts';
import type { System } from '../platform/system.ts';
import { Loop } from '../scheduling/loop.ts';
import type { LoopAdmission } from '../scheduling/loop.ts';
import { verdictOf } from '../scheduling/plan.ts';
import type { LoopProgress } from '../scheduling/plan.ts';
import { afterReturn } from '../scheduling/back-off.ts';
import type { Subscriber } from '../contracts/audience.ts';
import type { Publisher } from '../states/publisher.ts';

export interface CatchUpsPorts extends Pick<System, 'clock' | 'random'> {
  readonly publisher: Publisher;
  /** The request for the state; null where there is none, or where the loop is about to ask for all pages. */
  readonly invocation: () => Invocation | null;
  readonly ask: (subscriber: Subscriber, invocation: Invocation, signal: AbortSignal) => Promise<ReadOutcome>;
  /** Makes what each request passes first. */
  readonly admission: (invocation: Invocation) => LoopAdmission;
  /** The loop of all pages: a catch-up uses its period, and waits while the loop waits out a failure. */
  readonly loop: () => Pick<Loop, 'period' | 'progress' | 'nextIn'>;
}

interface Wait extends Pick<LoopProgress, 'failures' | 'cutOff'> {
  /** Milliseconds of the epoch. */
  readonly until: number;
}

interface CatchUp {
  readonly loop: Loop;
  /** Drawn once, however many pages say that the network is back. */
  readonly chance: number;
  readonly done: () => void;
}

/**
 * Requests for the state, each for one page, while the loop goes on from its cursor: without the state a page cannot
 * use what the loop brings. Each request is a loop of its own that ends with the first answer, so a failure is tried
 * again as in any loop.
 */
export class CatchUps {
  readonly #ports: CatchUpsPorts;
  readonly #all = new Map<Subscriber, CatchUp>();
  /** What pages wait out, by loop and page: one that declares its loop again waits on (invariant 12). */
  readonly #waits = new Map<string, Wait>();

  constructor(ports: CatchUpsPorts) {
    this.#ports = ports;
  }

  /** Asks for the state for one page, then calls `done`; false where there is no such request. */
  start(subscriber: Subscriber, done: () => void): boolean {
    const invocation = this.#ports.invocation();
    if (!invocation) return false;
    const asking = this.#all.get(subscriber);
    if (asking) {
      // The answer on its way may be older than what the page has lost since. A later one is not.
      if (asking.loop.isAsking) asking.loop.restart();
      return true;
    }
    const loop = this.#loopOf(subscriber, invocation);
    this.#all.set(subscriber, { loop, chance: this.#ports.random(), done });
    void loop.run();
    return true;
  }

  leave(subscriber: Subscriber): void {
    this.#all.get(subscriber)?.loop.stop();
    this.#all.delete(subscriber);
  }

  /** The page has the state, from this request or from another. */
  end(subscriber: Subscriber): void {
    const asking = this.#all.get(subscriber);
    this.leave(subscriber);
    asking?.done();
  }

  wakeUp(): void {
    const now = this.#ports.clock.now();
    for (const { loop, chance } of this.#all.values()) {
      loop.wakeUp();
      // It waits because the loop of all pages has failed.
      if (loop.lastAskedAt === null) loop.hasten(afterReturn(loop.period, now, chance));
    }
  }

  #loopOf(subscriber: Subscriber, invocation: Invocation): Loop {
    const { clock, random, admission, ask, publisher } = this.#ports;
    const { period: interval, progress, nextIn } = this.#ports.loop();
    const firstIn = progress.failures > 0 ? nextIn : 0;
    const pace = { kind: 'poll', interval, hidden: 'continue' } as const;
    const name = `${subscriber.number} ${subscriber.page}`;
    const loop = new Loop(
      { invocation, pace, firstIn },
      {
        clock,
        random,
        demand: { pace, period: interval, dueAt: (plannedAt) => plannedAt },
        admission: () => admission(invocation),
        ask: async (signal) => {
          const outcome = await ask(subscriber, invocation, signal);
          return { outcome, advanced: false, isCatchUp: true, entry: null };
        },
        tick: ({ outcome }) => {
          publisher.catchUp(subscriber, outcome);
          if (isState(outcome)) this.end(subscriber);
        },
        remember: async (waiting, until) => this.#note(name, { ...waiting, until }),
      },
    );
    const wait = this.#waits.get(name);
    if (wait) loop.resume(wait.failures, wait.until, wait.cutOff);
    return loop;
  }

  #note(name: string, wait: Wait): void {
    const now = this.#ports.clock.now();
    for (const [each, { until }] of this.#waits) if (until < now) this.#waits.delete(each);
    if (wait.failures > 0) this.#waits.set(name, wait);
    else this.#waits.delete(name);
  }
}

/** A stored answer that is served because the network is gone may be older than what follows it. */
function isState(outcome: Outcome<unknown>): boolean {
  return ['fresh', 'nothing-new'].includes(verdictOf(outcome));
}
