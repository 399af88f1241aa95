import type { Failure } from '../../shared/failure.ts';
import { LONGEST_TIMER } from '../../shared/limits.ts';
import { mayBeDone, unanswered } from '../../shared/outcome.ts';
import type { Outcome } from '../../shared/outcome.ts';
import type { WriteReport } from '../../shared/outbox.ts';
import type { Submission } from '../../shared/protocol.ts';
import { after } from '../deadline.ts';
import { QueryRecords } from '../queries/records.ts';
import { Rows } from './answers.ts';
import {
  amendResent,
  isAgain,
  isRepeatable,
  isTooLate,
  isUnsent,
  targetOf,
  timeoutOf,
  workerLost,
} from './call.ts';
import type { Call, CallListener, CallView } from './call.ts';

export type { Call, CallListener, CallView } from './call.ts';

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

  add(submission: Submission, listener: CallListener, era: number = this.#ports.era()): CallView {
    const { id, invocation, ticket } = submission;
    const { timeout } = invocation.policy;
    const wait = Math.min(timeout + GRACE, LONGEST_TIMER);
    const call: Call = {
      submission,
      listener,
      era,
      target: ticket ? null : targetOf(invocation),
      // Its time begins when it is sent, and the worker says what becomes of it.
      due: ticket ? Infinity : Date.now() + timeout,
      stop: ticket ? () => {} : after(wait, () => this.#expire(id)),
      state: 'unsent',
      stays: false,
      isLost: false,
      isOutdone: false,
      isTold: false,
      isPlain: ticket === undefined,
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
    const out = this.#newestOut();
    for (const call of this.#calls.values()) {
      if (isUnsent(call) && isTooLate(call)) continue;
      const { target } = call;
      const again = isAgain(call);
      // It must not arrive after a newer write to the same resource, and is given up once that may be done.
      const isHeld = call.hold !== null || (again && call.submission.id < (out.get(target) ?? 0));
      if (isUnsent(call) && !isHeld && !sentAgain.has(target)) {
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

  /**
   * The page has not got an answer. `wait`: milliseconds before an engine may repeat it; null to send it as if never sent.
   * `isLost`: see `Call`.
   */
  putBack(id: number, wait: number | null, isLost: boolean = false): void {
    const call = this.#calls.get(id);
    if (!call) return;
    [call.state, call.stays, call.isLost] = [wait === null ? 'unsent' : 'again', false, isLost];
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
    this.#end(id);
    const { submission, state } = call;
    if (isDone && call.target !== null && state !== 'unsent') this.#ports.written?.();
    // Another write to the same resource may have waited for it.
    if (isAgain(call) || call.target !== null) this.#ports.freed();
    const isAmended = state === 'resent' && call.isLost;
    call.listener.settled(isAmended ? amendResent(submission.invocation, outcome) : outcome);
  }

  /** The worker cannot store it, and sends it like any other call. */
  unqueued(id: number): void {
    const call = this.#calls.get(id);
    if (!call) return;
    call.isPlain = true;
    call.target = targetOf(call.submission.invocation);
    call.listener.unqueued?.();
  }

  /** It waits on the worker's disk: the call has ended, and its answer comes another way. */
  queued(id: number, write: WriteReport): void {
    const call = this.#end(id);
    if (!call) return;
    if (isAgain(call) || call.target !== null) this.#ports.freed();
    call.listener.queued?.(write);
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
      call.isLost ||= call.state !== 'again';
      if (isRepeatable(call)) call.state = 'again';
      else this.#giveUp(call);
    }
  }

  /** True where a worker may have queued it: then a later one sends it, or says what has become of it. */
  mayBeQueued(id: number): boolean {
    const call = this.#calls.get(id);
    return call !== undefined && !call.isPlain && call.state !== 'unsent';
  }

  /** Fails all calls but those that go on without a worker. */
  failAll(failure: Failure, goesOn: (id: number) => boolean = () => false): void {
    for (const id of this.ids) if (!goesOn(id)) this.settle(id, unanswered(failure));
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

  /** The newest write to each resource that is out, by its id. */
  #newestOut(): Map<string | null, number> {
    const out = new Map<string | null, number>();
    for (const { target, state, submission } of this.#calls.values())
      if (target !== null && state === 'sent') out.set(target, submission.id);
    return out;
  }

  #end(id: number): Call | undefined {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    call?.stop();
    call?.hold?.();
    return call;
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
