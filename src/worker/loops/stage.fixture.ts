import type { Outcome } from '../../shared/outcome.ts';
import type { LoopDeclaration, Pace, Tell } from '../../shared/protocol.ts';
import { invocation } from '../cache/invocation.fixture.ts';
import { answered, failed } from '../outcome.fixture.ts';
import { VirtualClock } from '../virtual-clock.fixture.ts';
import type { LoopPorts } from './loop.ts';

export const SILENT: Tell = { started: false, sent: false, progress: false };

/** A poll of 1 s that asks at once, but for what is wished otherwise. */
export function declaration(wish: Partial<LoopDeclaration> = {}): LoopDeclaration {
  return {
    loop: 1,
    pace: every(1_000),
    invocation: invocation(),
    tell: SILENT,
    firstIn: 0,
    ...wish,
  };
}

export function every(interval: number): Pace {
  return { kind: 'poll', interval, hidden: 'slow' };
}

/** One request as the network saw it; times are milliseconds since the start. */
export interface Asked {
  readonly at: number;
  readonly tell: Tell;
  readonly signal: AbortSignal;
}

/** How the network answers: after so many milliseconds, with this. */
export interface Reply {
  readonly after: number;
  readonly outcome: Outcome;
}

/** A virtual network and whoever listens to loops on it. */
export class Stage {
  readonly clock: VirtualClock = new VirtualClock();
  readonly asked: Asked[] = [];
  readonly ticks: { readonly at: number; readonly outcome: Outcome; readonly nextIn: number }[] = [];
  /** When `started` was told. */
  readonly startings: number[] = [];
  reply: (nth: number) => Reply = () => ({ after: 0, outcome: answered() });
  random = 0.5;
  inFlight = 0;
  mostInFlight = 0;
  readonly #start: number = this.clock.now();

  get now(): number {
    return this.clock.now() - this.#start;
  }

  get times(): number[] {
    return this.asked.map(({ at }) => at);
  }

  readonly ports: LoopPorts = {
    clock: this.clock,
    random: () => this.random,
    ask: (_invocation, tell, signal) => this.ask(tell, signal),
    ticking: () => this.startings.push(this.now),
    tick: (outcome, nextIn) => this.ticks.push({ at: this.now, outcome, nextIn }),
  };

  async ask(tell: Tell, signal: AbortSignal): Promise<Outcome> {
    this.asked.push({ at: this.now, tell, signal });
    this.inFlight += 1;
    this.mostInFlight = Math.max(this.mostInFlight, this.inFlight);
    const { after, outcome } = this.reply(this.asked.length);
    if (after > 0) await this.clock.sleep(after, signal);
    this.inFlight -= 1;
    return signal.aborted ? failed('aborted') : outcome;
  }
}
