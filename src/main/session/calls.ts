import type { Failure } from '../../shared/failure.ts';
import type { Header } from '../../shared/header.ts';
import { LONGEST_TIMER } from '../../shared/limits.ts';
import { mayBeDone, unanswered } from '../../shared/outcome.ts';
import type { Answered, Outcome } from '../../shared/outcome.ts';
import type { Progress } from '../../shared/delivery.ts';
import { templateNames } from '../../shared/template.ts';
import type { Submission } from '../../shared/protocol.ts';
import { after } from '../deadline.ts';
import { QueryRecords } from '../queries/records.ts';
import { Rows } from './answers.ts';
import { amendResent, mayResend, workerLost } from './resent.ts';
import { isSafe } from '../../shared/invocation.ts';
import type { Invocation } from '../../shared/invocation.ts';

export interface CallListener {
  sent(status: number, headers: readonly Header[]): void;
  progress(progress: Progress): void;
  /** A stored answer, at most once; `settled` follows when the server has answered. */
  preliminary(answered: Answered): void;
  settled(outcome: Outcome): void;
}

export interface CallView {
  readonly submission: Submission;
}

/** Milliseconds after its timeout for which a call still waits for the worker's own word. */
const GRACE = 1_000;

export interface CallsPorts {
  /** A call has missed its deadline; afterwards `Calls` settles it as timed out. */
  readonly expired: (id: number) => void;
  /** Calls that waited may be sent now. */
  readonly freed: () => void;
  /** A write that may be done has ended. */
  readonly written?: () => void;
  /** See `PageIdentity.era`. */
  readonly era: () => number;
}

/** The unsettled calls of a page: those still to be sent, and those that a dead worker leaves behind. */
export class Calls {
  readonly #calls = new Map<number, Call>();
  readonly #ports: CallsPorts;
  readonly #records: QueryRecords;

  constructor(ports: CallsPorts, records: QueryRecords = new QueryRecords()) {
    this.#ports = ports;
    this.#records = records;
  }

  get size(): number {
    return this.#calls.size;
  }

  get ids(): number[] {
    return [...this.#calls.keys()];
  }

  /** The calls that a worker may have. */
  get sent(): number[] {
    return [...this.#calls].flatMap(([id, { state }]) => (state === 'unsent' ? [] : id));
  }

  add(submission: Submission, listener: CallListener): CallView {
    const { id, invocation } = submission;
    const wait = Math.min(invocation.policy.timeout + GRACE, LONGEST_TIMER);
    const call: Call = {
      submission,
      listener,
      era: this.#ports.era(),
      target: targetOf(invocation),
      due: Date.now() + invocation.policy.timeout,
      stop: after(wait, () => this.#expire(id)),
      state: 'unsent',
      stays: false,
      isOutdone: false,
      isUndone: false,
      isTold: false,
      rows: new Rows(this.#records.of(invocation).received),
      hold: null,
    };
    this.#calls.set(id, call);
    return call;
  }

  /**
   * The worker repeats the call after so many milliseconds, perhaps since its server asked for that. If the worker dies
   * meanwhile, the call goes to the next one no earlier (invariant 12).
   */
  hold(id: number, wait: number): void {
    const call = this.#calls.get(id);
    if (!call) return;
    call.hold?.();
    const timer = setTimeout(() => this.#letGo(call), Math.min(wait, LONGEST_TIMER));
    call.hold = () => clearTimeout(timer);
  }

  /** The calls to send now, in order; from here on they count as sent. */
  takeUnsent(): Submission[] {
    const taken: Submission[] = [];
    const sentAgain = new Set<string | null>();
    // The newest write to each that is out elsewhere: older ones must not arrive after it.
    const staying = new Map<string | null, number>();
    for (const { stays, target, submission } of this.#calls.values())
      if (stays && target !== null) staying.set(target, submission.id);
    for (const call of this.#calls.values()) {
      if (isUnsent(call) && isTooLate(call)) continue;
      const { target } = call;
      const again = isAgain(call);
      const isBeforeStaying = call.state === 'again' && call.submission.id < (staying.get(target) ?? 0);
      const waits = call.hold !== null || sentAgain.has(target) || isBeforeStaying;
      if (isUnsent(call) && !waits) {
        call.state = again ? 'resent' : 'sent';
        taken.push(call.submission);
      }
      if (again && target !== null) sentAgain.add(target);
    }
    return taken;
  }

  /** The calls that the page sends itself, of those that are suitable: they are answered there, whatever engine comes. */
  takeEarly(isSuitable: (call: Call) => boolean): Call[] {
    const taken = [...this.#calls.values()].filter(
      (call) => call.state === 'unsent' && call.hold === null && !isTooLate(call) && isSuitable(call),
    );
    for (const call of taken) [call.state, call.stays] = ['sent', true];
    return taken;
  }

  /** The page has not got an answer. `wait`: milliseconds before an engine may repeat it; null to send it as if never sent. */
  putBack(id: number, wait: number | null, isLost = true): void {
    const call = this.#calls.get(id);
    if (!call) return;
    [call.state, call.stays] = [wait === null ? 'unsent' : 'again', false];
    call.isUndone = !isLost;
    if (call.isOutdone) this.#giveUp(call);
    else if (wait !== null) this.hold(id, wait);
  }

  /** The page moves to another worker. These calls are answered by the worker that has them. */
  stay(): number[] {
    const sent = [...this.#calls].filter(([, call]) => !isUnsent(call) && !call.stays);
    for (const [, call] of sent) call.stays = true;
    return sent.map(([id]) => id);
  }

  /** The page returns to the engine that has these calls. */
  goOn(ids: readonly number[]): void {
    for (const id of ids) {
      const call = this.#calls.get(id);
      if (call) call.stays = false;
    }
  }

  /** Not taken: these calls are unsent again. Newer writes sent along were not performed either, so they outdo none. */
  takeBack(ids: readonly number[]): void {
    for (const id of ids) {
      const call = this.#calls.get(id);
      if (!call) continue;
      call.isOutdone &&= call.state === 'resent';
      call.state = call.state === 'resent' ? 'again' : 'unsent';
      if (call.isOutdone) this.#giveUp(call);
    }
  }

  /** Undefined where it is settled. */
  get(id: number): Call | undefined {
    return this.#calls.get(id);
  }

  /** Clears the rows of the calls that the present worker answers. */
  clearRows(): void {
    for (const { rows, stays } of this.#calls.values()) if (!stays) rows.clear();
  }

  /**
   * The first outcome of a call counts; later ones are ignored. `isDone`: the server may have performed the call, if it
   * was sent. A page that gives up a call cannot know, so it passes true.
   */
  settle(id: number, outcome: Outcome, isDone: boolean = mayBeDone(outcome)): void {
    const call = this.#calls.get(id);
    if (!call) return;
    if (isDone && call.target !== null && call.state !== 'unsent') this.#outdo(call);
    this.#calls.delete(id);
    call.stop();
    call.hold?.();
    const { submission, state } = call;
    if (isDone && call.target !== null && state !== 'unsent') this.#ports.written?.();
    // A later write to the same resource may have waited for it.
    if (isAgain(call) || call.stays) this.#ports.freed();
    call.listener.settled(
      state === 'resent' && !call.isUndone ? amendResent(submission.invocation, outcome) : outcome,
    );
  }

  /**
   * A worker has answered; `taken` are the calls that it has. Other sent calls died with an earlier worker: they are
   * sent again, or settled where another sending might double them or undo a newer write. A worker that was taken for
   * dead too soon still has its calls.
   */
  recover(taken: readonly number[]): void {
    const safe = new Set(taken);
    const held = new Set<string | null>();
    const lost: Call[] = [];
    for (const call of [...this.#calls.values()].toReversed()) {
      const { target, state, stays, submission } = call;
      if (safe.has(submission.id)) held.add(target);
      else if (state !== 'unsent' && !stays) {
        call.isOutdone ||= target !== null && held.has(target);
        lost.unshift(call);
        // The server may have performed it.
        if (!isRepeatable(call)) held.add(target);
      }
    }
    for (const call of lost) {
      if (isRepeatable(call))
        [call.state, call.isUndone] = ['again', call.isUndone && call.state === 'again'];
      else this.#giveUp(call);
    }
  }

  /** `staying`: also those that another engine, or the page itself, still has. */
  failAll(failure: Failure, staying = true): void {
    for (const id of this.ids) if (staying || !this.get(id)?.stays) this.settle(id, unanswered(failure));
  }

  /** No engine has answered the call in time. One that is out elsewhere was late there. */
  forsake(id: number, failure: Failure): void {
    if (!this.get(id)?.stays) this.settle(id, unanswered(failure), true);
  }

  /** Fails the calls of these eras; returns their ids. */
  failOf(isEnded: (era: number) => boolean, failure: Failure): number[] {
    const ids = [...this.#calls].flatMap(([id, { era }]) => (isEnded(era) ? id : []));
    for (const id of ids) this.settle(id, unanswered(failure), true);
    return ids;
  }

  /** Older writes to the same resource must not arrive after this one. Those that wait to be sent again are given up. */
  #outdo(newer: Call): void {
    for (const call of this.#calls.values()) {
      if (call === newer) return;
      if (call.target !== newer.target) continue;
      call.isOutdone = true;
      // After the newer one has ended.
      if (call.state === 'again') queueMicrotask(() => this.#giveUp(call));
    }
  }

  /** It is never sent again. */
  #giveUp({ submission: { id, invocation } }: Call): void {
    this.settle(id, workerLost(invocation));
  }

  #letGo(call: Call): void {
    call.hold = null;
    this.#ports.freed();
  }

  #expire(id: number): void {
    const call = this.#calls.get(id);
    if (!call) return;
    this.#ports.expired(id);
    this.settle(id, unanswered(timeoutOf(call.submission)), true);
  }
}

export interface Call extends CallView {
  readonly listener: CallListener;
  readonly era: number;
  /** Names the resource that it writes to; null for a read. */
  readonly target: string | null;
  /** Its deadline, in milliseconds of the epoch. */
  readonly due: number;
  readonly stop: () => void;
  state: 'unsent' | 'sent' | 'again' | 'resent';
  /** True where it is answered by an engine that the page has left. */
  stays: boolean;
  /** True once it must not be sent again: a newer write to the same resource may be done, or is with a worker. */
  isOutdone: boolean;
  /** True where it is sent again, though it was refused the first time: no server can have done it. */
  isUndone: boolean;
  /** True once its preliminary answer was told. */
  isTold: boolean;
  /** The rows received so far of its answer. */
  readonly rows: Rows;
  /** Ends the wait before it may be sent again; null where it does not wait. */
  hold: (() => void) | null;
}

/** True where an earlier worker instance had it. */
function isAgain({ state }: Call): boolean {
  return state === 'again' || state === 'resent';
}

function isUnsent({ state }: Call): boolean {
  return state === 'unsent' || state === 'again';
}

/** A write after its deadline would take effect unknown to the page; after a newer write, it would undo that. */
function isTooLate({ target, due, isOutdone }: Call): boolean {
  return target !== null && (isOutdone || Date.now() >= due);
}

function isRepeatable(call: Call): boolean {
  return mayResend(call.submission.invocation) && !isTooLate(call);
}

function timeoutOf({ invocation }: Submission): Failure {
  const { timeout } = invocation.policy;
  const message = `'${invocation.action}' was not answered within ${timeout} ms`;
  return { code: 'timeout', message, timeout };
}

/**
 * Names the resource that a write goes to; null for reads. The page expands no templates, so it compares their parts.
 * While an earlier write to the same resource is being sent again, later ones wait: it must not arrive after them.
 */
function targetOf({ method, baseUrl, template, params }: Invocation): string | null {
  if (isSafe(method)) return null;
  const values = new Map(params);
  return JSON.stringify([baseUrl, template, templateNames(template).map((name) => values.get(name))]);
}
