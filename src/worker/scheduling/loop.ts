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
import { afterReturn, furthest, longestWait } from './back-off.ts';
import type { Reply } from '../contracts/audience.ts';
import type { Admission } from './admission-control.ts';

export interface LoopPorts {
  readonly clock: Clock;
  readonly random: () => number;
  /** Makes the admission that the loop passes when it is due. */
  readonly admission: () => LoopAdmission;
  /** Sends the request. Calls `sends` each time where more than one is needed. Never rejects. */
  readonly ask: (signal: AbortSignal, sends: () => void) => Promise<Reply>;
  readonly tick: (reply: Reply) => void;
  /** Stores failures and how long to wait, or that they are over, where that has changed. Never rejects. */
  readonly remember: (progress: LoopProgress, dueAt: number, outcome: Outcome<unknown>) => Promise<void>;
  readonly demand: Demand;
}

/** The declaration of the first page that asks for the loop. */
export type LoopStart = Pick<LoopDeclaration, 'invocation' | 'pace' | 'firstIn' | 'spread'>;

/** How often the loop's pages want it to ask. It is read anew each time. */
export interface Demand {
  /** The pace of the fastest page that is visible. */
  readonly pace: Pace;
  /** Milliseconds between two requests as things are, with hidden pages too; Infinity where none is to be made. */
  readonly period: number;
  /** When to ask. `plannedAt` is when it would ask while a page is visible. */
  dueAt(plannedAt: number, lastAskedAt: number | null): number;
}

/** The part of AdmissionControl that a loop uses. */
export interface LoopAdmission {
  admit(due: Due, signal: AbortSignal): Promise<Admission | null>;
  stepAside(): void;
  leave(): void;
}

/** One poll or long-poll: sleeps until it is due, waits for its turn, asks, and plans the next time. */
export class Loop {
  readonly #ports: LoopPorts;
  readonly #invocation: Invocation;
  /** Milliseconds over which it comes back after a cut. */
  readonly #spread: number;
  readonly #bell = new Bell();
  #admission: LoopAdmission;
  readonly #end = new AbortController();
  #pace: Pace;
  #planner: Planner;
  #progress: LoopProgress = FRESH;
  /** When it asks next while a page is visible. */
  #plannedAt: number;
  #lastAskedAt: number | null = null;
  /** True once it has heard, since it asked last, that the network is back. */
  #isWoken = false;
  /** True where it heard so while its request was out: a failure of that request says nothing of the new network. */
  #isWokenMeanwhile = false;
  /** True where a page says so of the last request of an earlier worker instance. */
  #isSaidCutOff = false;
  #queued = false;
  #request: AbortController | null = null;
  #requests = 0;
  /** True where the request that is out is asked again instead of being answered. */
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
    // A page that restarts the loop does not wait for another loop's answer.
    this.#admission.leave();
    this.#admission = this.#ports.admission();
    this.#progress = FRESH;
    this.#plannedAt = this.#ports.clock.now();
    this.#bell.ring();
  }

  /** Goes on where an earlier worker instance left off, after so many failures in a row. */
  resume(failures: number, notBefore: number, cutOff: boolean): void {
    this.#progress = { failures, cutOff, immediate: 0 };
    // A clock that has been set since could put it days ahead. Only a server that answers can ask for a longer wait.
    const longest = (cutOff ? longestWait : furthest)(this.period, this.#spread);
    this.postpone(Math.min(notBefore, this.#ports.clock.now() + longest));
  }

  /** A page was told by an earlier worker instance that the network is gone. Whoever has asked since knows better. */
  heedCutOff(): void {
    if (this.#requests === 0) this.#isSaidCutOff = true;
  }

  /** Before the first request: when an earlier worker instance asked last; null if it did not. */
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

  /** What it shows has changed: asks at once, unless it waits out a failure or asks already. */
  askAgain(): void {
    if (this.#progress.failures === 0 && this.#request === null) this.hasten(this.#ports.clock.now());
  }

  /** With a new period the next request is due that long after the last, the first at the latest that long from now. */
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

  /** A loop that was cut off asks soon. It draws once for all pages: the least of twenty draws would be no spread. */
  wakeUp(): void {
    this.#isWokenMeanwhile = this.#request !== null;
    if (!this.isCutOff || this.#isWoken) return;
    this.#isWoken = true;
    const { clock, random } = this.#ports;
    const now = clock.now();
    const soon = afterReturn(this.period, now, random());
    // A request that is due already has waited for another loop's answer, as all others may have.
    this.#plannedAt = this.#plannedAt <= now ? soon : Math.min(this.#plannedAt, soon);
    // The worker may be a moment behind the page: if it fails once more, the back-off starts from its beginning.
    this.#progress = { ...this.#progress, failures: 0 };
    this.#bell.ring();
  }

  /** Milliseconds until it asks next, while a page is visible. */
  get nextIn(): number {
    return Math.max(0, this.#plannedAt - this.#ports.clock.now());
  }

  /** Null before the first request. */
  get lastAskedAt(): number | null {
    return this.#lastAskedAt;
  }

  get isAsking(): boolean {
    return this.#request !== null;
  }

  /** True where the network was gone when it was asked last. */
  get isCutOff(): boolean {
    return this.#progress.cutOff || this.#isSaidCutOff;
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

  /** Milliseconds that its back-off is computed from. */
  get period(): number {
    return this.#planner.period;
  }

  get #state(): LoopInspection['state'] {
    if (this.#request) return 'asking';
    return this.#queued ? 'queued' : 'waiting';
  }

  /** The bell may mean that the loop is due at another time, so it leaves the queue and looks again. */
  async #takeTurn(): Promise<void> {
    this.#queued = true;
    const due = { ...this.#progress, period: this.#ports.demand.period, since: this.#dueAt };
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
    this.#isSaidCutOff = false;
    this.#requests += 1;
    const reply = await ask(request.signal, () => (askedAt = clock.now()));
    const { outcome, advanced } = reply;
    this.#request = null;
    turn.end(outcome);
    const isOutdated = this.#takeOutdated();
    // A request that was cut for another loop's sake is not told. It is still due, and queues again.
    if (this.#end.signal.aborted || isCut(turn, outcome)) return;
    if (isOutdated) {
      // An answer that is kept does not come again, so it is told.
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
