import type { LoopInspection } from '../../shared/inspection.ts';
import type { Invocation } from '../../shared/invocation.ts';
import type { Outcome } from '../../shared/outcome.ts';
import type { LoopDeclaration, Pace, Tell } from '../../shared/protocol.ts';
import type { Clock } from '../system.ts';
import { Alarm } from './alarm.ts';
import { LONG_POLL_PERIOD, planLongPoll } from './long-poll-plan.ts';
import { FRESH } from './plan.ts';
import type { Plan, Progress, Tick } from './plan.ts';
import { planPoll } from './poll-plan.ts';
import { afterReturn } from './schedule.ts';
import { dueWhileHidden } from './while-hidden.ts';

/** What a loop needs of the world. */
export interface LoopPorts {
  readonly clock: Clock;
  readonly random: () => number;
  /** Sends the request; never rejects. */
  readonly ask: (invocation: Invocation, tell: Tell, signal: AbortSignal) => Promise<Outcome>;
  readonly ticking: () => void;
  readonly tick: (outcome: Outcome, nextIn: number) => void;
}

/** One poll or long-poll: sleeps until it is due, asks, and plans the next time. */
export class Loop {
  readonly #ports: LoopPorts;
  readonly #invocation: Invocation;
  readonly #alarm: Alarm;
  readonly #end = new AbortController();
  #pace: Pace;
  #tell: Tell;
  #progress: Progress = FRESH;
  /** When it asks next as long as its page is visible. */
  #plannedAt: number;
  #hidden: boolean;
  #lastAskedAt: number | null = null;
  #request: AbortController | null = null;
  #requests = 0;

  constructor(declaration: LoopDeclaration, hidden: boolean, ports: LoopPorts) {
    this.#ports = ports;
    this.#invocation = declaration.invocation;
    this.#pace = declaration.pace;
    this.#tell = declaration.tell;
    this.#alarm = new Alarm(ports.clock);
    this.#hidden = hidden;
    this.#plannedAt = ports.clock.now() + declaration.firstIn;
  }

  /** Runs until `stop`. */
  async run(): Promise<void> {
    const { clock } = this.#ports;
    while (!this.#end.signal.aborted) {
      const dueAt = this.#dueAt;
      if (clock.now() < dueAt) await this.#alarm.until(dueAt);
      else await this.#ask();
    }
  }

  stop(): void {
    this.#end.abort();
    this.#request?.abort();
    this.#alarm.ring();
  }

  /** Ends the request that is out; the loop goes on. */
  cut(): void {
    this.#request?.abort();
  }

  /** Changes the interval of a poll: the next request is due that long after the last. */
  setInterval(interval: number): void {
    if (this.#pace.kind !== 'poll') return;
    this.#pace = { ...this.#pace, interval };
    if (this.#progress.failures === 0) {
      this.#plannedAt = (this.#lastAskedAt ?? this.#ports.clock.now()) + interval;
      this.#alarm.ring();
    }
  }

  setTell(tell: Tell): void {
    this.#tell = tell;
  }

  /** Its page is shown or hidden. */
  setHidden(hidden: boolean): void {
    this.#hidden = hidden;
    this.#alarm.ring();
  }

  /** The network is back: a loop that was cut off asks soon, not at the end of its back-off. */
  wakeUp(): void {
    if (!this.#progress.cutOff) return;
    const { clock, random } = this.#ports;
    const period = this.#pace.kind === 'poll' ? this.#pace.interval : LONG_POLL_PERIOD;
    this.#plannedAt = Math.min(this.#plannedAt, afterReturn(period, clock.now(), random()));
    // The worker may be a moment behind the page: should it fail once more, the back-off starts from its beginning.
    this.#progress = { ...this.#progress, failures: 0 };
    this.#alarm.ring();
  }

  inspect(): LoopInspection {
    const asking = this.#request !== null;
    return {
      action: this.#invocation.action,
      template: this.#invocation.template,
      kind: this.#pace.kind,
      interval: this.#pace.kind === 'poll' ? this.#pace.interval : null,
      state: asking ? 'asking' : 'waiting',
      nextDueAt: asking || this.#dueAt === Infinity ? null : this.#dueAt,
      requests: this.#requests,
      failures: this.#progress.failures,
    };
  }

  get #dueAt(): number {
    return this.#hidden ? dueWhileHidden(this.#pace, this.#plannedAt, this.#lastAskedAt) : this.#plannedAt;
  }

  async #ask(): Promise<void> {
    const { clock, ask, ticking, tick } = this.#ports;
    const request = new AbortController();
    const dueAt = this.#dueAt;
    const askedAt = clock.now();
    this.#request = request;
    this.#lastAskedAt = askedAt;
    this.#requests += 1;
    if (this.#tell.started) ticking();
    const outcome = await ask(this.#invocation, this.#tell, request.signal);
    this.#request = null;
    if (this.#end.signal.aborted) return;
    const plan = this.#plan({ dueAt, askedAt, endedAt: clock.now(), outcome });
    this.#progress = plan.progress;
    this.#plannedAt = plan.dueAt;
    if (plan.tell) tick(outcome, plan.dueAt - clock.now());
  }

  #plan(tick: Tick): Plan {
    const random = this.#ports.random();
    return this.#pace.kind === 'poll'
      ? planPoll(this.#progress, this.#pace.interval, tick, random)
      : planLongPoll(this.#progress, tick, random);
  }
}
