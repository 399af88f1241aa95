import type { LoopInspection } from '../../shared/inspection.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { isAborted } from '../../shared/outcome.ts';
import type { Outcome } from '../../shared/outcome.ts';
import type { LoopDeclaration } from '../../shared/protocol.ts';
import { LIMITS } from '../../shared/limits.ts';
import { traitsOf } from '../../shared/pace.ts';
import type { Pace } from '../../shared/pace.ts';
import type { Clock } from '../platform/system.ts';
import { Bell } from '../platform/waiting.ts';
import { plannerFor } from './planner.ts';
import type { Planner } from './planner.ts';
import { FRESH } from './plan.ts';
import type { LoopProgress } from './plan.ts';
import type { Due } from './circuit-breaker.ts';
import { afterReturn, furthest } from './schedule.ts';
import type { Reply } from '../contracts/audience.ts';
import type { Admission } from './admission-control.ts';

/** What a loop needs of the world. */
export interface LoopPorts {
  readonly clock: Clock;
  readonly random: () => number;
  /** Makes what the loop has to pass when it is due. */
  readonly admission: () => LoopAdmission;
  /** Sends the request, and says so each time where more than one is needed; never rejects. */
  readonly ask: (signal: AbortSignal, sends: () => void) => Promise<Reply>;
  readonly tick: (reply: Reply) => void;
  /** Stores failures and how long they are waited out, or that they are over, where that has changed. Never rejects. */
  readonly remember: (progress: LoopProgress, dueAt: number, outcome: Outcome<unknown>) => Promise<void>;
  readonly demand: Demand;
}

/** What a loop is started with: the declaration of the first page that asks for it. */
export type LoopStart = Pick<LoopDeclaration, 'invocation' | 'pace' | 'firstIn' | 'spread'>;

/** How often those who follow the loop want it to ask; it is looked at anew each time. */
export interface Demand {
  /** The pace of the fastest that somebody looks at. */
  readonly pace: Pace;
  /** Milliseconds between two requests as things are, nobody looking included; Infinity where none is to be made. */
  readonly period: number;
  /** When to ask, given when it would be as long as somebody looks. */
  dueAt(plannedAt: number, lastAskedAt: number | null): number;
}

/** The part of a Turnstile that a loop uses. */
export interface LoopAdmission {
  admit(due: Due, signal: AbortSignal): Promise<Admission | null>;
  stepAside(): void;
  leave(): void;
}

/** One poll or long-poll: sleeps until it is due, waits for its turn, asks, and plans the next time. */
export class Loop {
  readonly #ports: LoopPorts;
  readonly #invocation: Invocation;
  /** Milliseconds that it comes back in after a cut. */
  readonly #spread: number;
  readonly #bell = new Bell();
  #admission: LoopAdmission;
  readonly #end = new AbortController();
  #pace: Pace;
  #planner: Planner;
  #progress: LoopProgress = FRESH;
  /** When it asks next as long as somebody looks. */
  #plannedAt: number;
  #lastAskedAt: number | null = null;
  /** Whether it has heard, since it asked last, that the network is back. */
  #isWoken = false;
  /** Whether it has heard so while its request was out: should that fail, it says nothing of the network that is back. */
  #isWokenMeanwhile = false;
  #queued = false;
  #request: AbortController | null = null;
  #requests = 0;
  /** Whether the request that is out is asked again instead of being answered. */
  #isOutdated = false;

  constructor({ invocation, pace, firstIn, spread }: LoopStart, ports: LoopPorts) {
    this.#ports = ports;
    this.#invocation = invocation;
    this.#spread = spread ?? LIMITS.defaultSpread;
    this.#admission = ports.admission();
    this.#pace = pace;
    this.#planner = plannerFor(pace, this.#spread);
    this.#plannedAt = ports.clock.now() + firstIn;
  }

  /** Runs until `stop`. */
  async run(): Promise<void> {
    const { clock } = this.#ports;
    while (!this.#end.signal.aborted) {
      const dueAt = this.#dueAt;
      if (clock.now() < dueAt) await this.#bell.until(clock, dueAt);
      else await this.#takeTurn();
    }
  }

  stop(): void {
    this.#end.abort();
    this.#request?.abort();
    this.#bell.ring();
    this.#admission.leave();
  }

  /** Ends the request that is out; the loop goes on. */
  cut(): void {
    this.#request?.abort();
  }

  /** Asks at once, whatever is out and however long it was to wait. */
  restart(): void {
    this.#isOutdated = this.#request !== null;
    this.#request?.abort();
    // Whoever asks for it does not wait for another loop's answer.
    this.#admission.leave();
    this.#admission = this.#ports.admission();
    this.#progress = FRESH;
    this.#plannedAt = this.#ports.clock.now();
    this.#bell.ring();
  }

  /** Goes on where an earlier life of the worker has left off, after so many failures in a row. */
  resume(failures: number, notBefore: number, cutOff: boolean): void {
    this.#progress = { failures, cutOff, immediate: 0 };
    // By a clock that has been set since, it could be days ahead.
    this.postpone(Math.min(notBefore, this.#ports.clock.now() + furthest(this.period, this.#spread)));
  }

  /** Before the first request: an earlier life of the worker asked at that instant, if any. */
  resumeAfter(lastAskedAt: number | null): void {
    this.#lastAskedAt = lastAskedAt;
  }

  /** Before the first answer: asks then, if it would earlier. */
  postpone(instant: number): void {
    this.#plannedAt = Math.max(this.#plannedAt, instant);
  }

  /** Before the first answer: asks then, if it would later. */
  hasten(instant: number): void {
    this.#plannedAt = Math.min(this.#plannedAt, instant);
    this.#bell.ring();
  }

  /**
   * The demand has changed: by another period the next request is due that long after the last, the first that long
   * from now at the latest.
   */
  reconsider(): void {
    const { clock, demand } = this.#ports;
    const before = this.period;
    this.#pace = demand.pace;
    this.#planner = plannerFor(this.#pace, this.#spread);
    const { period } = this;
    if (period !== before && this.#progress.failures === 0) {
      const last = this.#lastAskedAt;
      const dueAt = last === null ? Math.min(this.#plannedAt, clock.now() + period) : last + period;
      // That the network is back counts, whatever the period.
      this.#plannedAt = this.#isWoken ? Math.min(this.#plannedAt, dueAt) : dueAt;
    }
    // It may be long until it asks again.
    if (demand.period > period) this.#admission.stepAside();
    this.#bell.ring();
  }

  /**
   * The network is back: a loop that was cut off asks soon, not at the end of its back-off. Every page says so, and the
   * loop draws once: the least of twenty draws would be no spread.
   */
  wakeUp(): void {
    this.#isWokenMeanwhile = this.#request !== null;
    if (!this.#progress.cutOff || this.#isWoken) return;
    this.#isWoken = true;
    const { clock, random } = this.#ports;
    const now = clock.now();
    const soon = afterReturn(this.period, now, random());
    // What is due already has waited for another loop's answer, as all others may have.
    this.#plannedAt = this.#plannedAt <= now ? soon : Math.min(this.#plannedAt, soon);
    // The worker may be a moment behind the page: should it fail once more, the back-off starts from its beginning.
    this.#progress = { ...this.#progress, failures: 0 };
    this.#bell.ring();
  }

  /** How many milliseconds it waits, as long as somebody looks. */
  get nextIn(): number {
    return Math.max(0, this.#plannedAt - this.#ports.clock.now());
  }

  /** Null before the first time. */
  get lastAskedAt(): number | null {
    return this.#lastAskedAt;
  }

  get isAsking(): boolean {
    return this.#request !== null;
  }

  get progress(): LoopProgress {
    return this.#progress;
  }

  inspect(): Omit<LoopInspection, 'pages'> {
    const { action, template } = this.#invocation;
    const state = this.#state;
    return {
      action,
      template,
      kind: this.#pace.kind,
      interval: traitsOf(this.#pace).interval,
      state,
      nextDueAt: state !== 'waiting' || this.#dueAt === Infinity ? null : this.#dueAt,
      requests: this.#requests,
      failures: this.#progress.failures,
    };
  }

  get #dueAt(): number {
    return this.#ports.demand.dueAt(this.#plannedAt, this.#lastAskedAt);
  }

  /** Milliseconds that its back-off counts with. */
  get period(): number {
    return this.#planner.period;
  }

  get #state(): LoopInspection['state'] {
    if (this.#request) return 'asking';
    return this.#queued ? 'queued' : 'waiting';
  }

  /** Whatever rings the bell may change when it is due: it leaves the queue and looks again. */
  async #takeTurn(): Promise<void> {
    this.#queued = true;
    const { period } = this.#ports.demand;
    const due = { period, failures: this.#progress.failures, since: this.#dueAt };
    const turn = await this.#admission.admit(due, this.#bell.signal);
    this.#queued = false;
    if (!turn) return;
    if (this.#end.signal.aborted) turn.end(null);
    else await this.#ask(turn);
  }

  async #ask(turn: Admission): Promise<void> {
    const { clock, random, ask, tick, remember } = this.#ports;
    const request = new AbortController();
    const dueAt = this.#dueAt;
    let askedAt = clock.now();
    turn.signal.addEventListener('abort', () => request.abort());
    this.#request = request;
    this.#lastAskedAt = askedAt;
    this.#isWoken = false;
    this.#isWokenMeanwhile = false;
    this.#requests += 1;
    const reply = await ask(request.signal, () => (askedAt = clock.now()));
    const { outcome, advanced } = reply;
    this.#request = null;
    turn.end(outcome);
    const isOutdated = this.#takeOutdated();
    // One that was cut for another's sake has nothing to say; it is due still, and queues again.
    if (this.#end.signal.aborted || isCut(turn, outcome)) return;
    if (isOutdated) {
      // What is kept of it does not come again.
      if (isKept(reply)) tick(reply);
      return;
    }
    const ended = { dueAt, askedAt, endedAt: clock.now(), outcome, advanced };
    const plan = this.#planner.plan(this.#progress, ended, random());
    this.#progress = plan.progress;
    this.#plannedAt = plan.dueAt;
    this.#isWoken = false;
    if (this.#isWokenMeanwhile) this.wakeUp();
    if (plan.tell) tick(reply);
    await remember(plan.progress, this.#plannedAt, outcome);
  }

  #takeOutdated(): boolean {
    const isOutdated = this.#isOutdated;
    this.#isOutdated = false;
    return isOutdated;
  }
}

function isKept({ advanced, entry }: Reply): boolean {
  return advanced || entry !== null;
}

function isCut({ signal }: Admission, outcome: Outcome<unknown>): boolean {
  return signal.aborted && isAborted(outcome);
}
