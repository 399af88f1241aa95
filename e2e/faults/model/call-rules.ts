import { LIMITS } from '../../../src/shared/limits.ts';
import { SLACK, SLOW_ANSWER } from './history.ts';
import type { History } from './history.ts';
import { GRACE } from './loop-rules.ts';
import type { Asked } from './asked.ts';
import type { Timeline } from './timeline.ts';

/** Milliseconds after its timeout by which a call has settled. */
const LATE = 1_100;

/** Milliseconds in which a page that was frozen hears first what came meanwhile. */
const HEARING = 1_000;

/** Methods whose requests must not be made twice. */
const UNREPEATABLE = ['POST', 'PATCH'];

/** A call as its page made it. */
export interface MadeCall {
  readonly tag: string;
  readonly page: string;
  readonly method: string;
  readonly path: string;
  readonly timeout: number;
  readonly at: number;
  /** For how many milliseconds its page was not frozen since it was made. */
  readonly awakeFor: () => number;
  abortedAt: number | null;
  /** Whether its page was closed, crashed, or closed its connection. */
  isLeft: boolean;
  /** Whether its page closed its connection. */
  isDisconnected: boolean;
  begun: number;
  applied: number;
  /** Null while it is under way, else `success` or the code of its failure. */
  outcome: string | null;
}

/** How calls may go: each settles once, in time, as the history permits, and none is done twice. */
export class CallRules {
  readonly #timeline: Timeline;
  readonly #history: History;
  readonly #differ: (sentence: string) => void;
  readonly #calls = new Map<string, MadeCall>();

  constructor(timeline: Timeline, history: History, differ: (sentence: string) => void) {
    this.#timeline = timeline;
    this.#history = history;
    this.#differ = differ;
  }

  get size(): number {
    return this.#calls.size;
  }

  /** Calls that a page still waits for. */
  get underWay(): readonly MadeCall[] {
    return [...this.#calls.values()].filter(({ outcome, isLeft }) => outcome === null && !isLeft);
  }

  /** How each call has settled. */
  get outcomes(): readonly string[] {
    return [...this.#calls.values()].flatMap(({ outcome }) => outcome ?? []);
  }

  make(call: MadeCall): void {
    this.#calls.set(call.tag, call);
  }

  begin({ method }: Asked, tag: string): void {
    const call = this.#calls.get(tag);
    if (!call) return this.#differ(`${tag} was asked for, which nobody has called`);
    const { now } = this.#timeline;
    if (call.abortedAt !== null && now > call.abortedAt + GRACE)
      this.#differ(`${named(call)} was asked for after it was aborted`);
    if (call.begun > 0 && UNREPEATABLE.includes(method)) this.#differ(`${named(call)} was asked for again`);
    if (call.begun === 0 && this.#overtakes(call))
      this.#differ(`${named(call)} has overtaken an earlier one`);
    call.begun += 1;
  }

  apply(tag: string): void {
    const call = this.#calls.get(tag);
    if (!call) return this.#differ(`the server applied ${tag}, which nobody has called`);
    call.applied += 1;
    if (call.applied > 1 && UNREPEATABLE.includes(call.method))
      this.#differ(`${named(call)} was applied ${call.applied} times`);
  }

  /** A request of an unsafe method ends before its time only where somebody ended it. */
  cut(asked: Asked, tag: string): void {
    const call = this.#calls.get(tag);
    if (!call || call.abortedAt !== null || call.isDisconnected || call.outcome !== null) return;
    const { now } = this.#timeline;
    if (now - call.at >= call.timeout - SLACK || this.#history.isUpdating) return;
    this.#differ(`${named(call)} was cut after ${Math.round(now - asked.at)} ms, and nobody has ended it`);
  }

  settle(call: MadeCall, outcome: string): void {
    if (call.outcome !== null)
      return this.#differ(`${named(call)} settled as ${outcome} after ${call.outcome}`);
    call.outcome = outcome;
    const wasFrozen = this.#timeline.now - call.at - call.awakeFor() > SLACK;
    if (call.awakeFor() > call.timeout + LATE + (wasFrozen ? HEARING : 0))
      this.#differ(`${named(call)} settled late, as ${outcome}`);
    const objection = this.#objectionTo(call, outcome);
    if (objection !== null) this.#differ(`${named(call)} settled as ${outcome}, but ${objection}`);
  }

  /** An earlier write of the page to the same was not begun yet, and is still to be: not so once its time is over. */
  #overtakes({ page, path, at }: MadeCall): boolean {
    const { now } = this.#timeline;
    return this.underWay.some(
      (other) =>
        other.page === page &&
        other.path === path &&
        other.at < at &&
        other.begun === 0 &&
        now < other.at + other.timeout &&
        other.method !== 'GET',
    );
  }

  #objectionTo(call: MadeCall, outcome: string): string | null {
    const history = this.#history;
    const { method, at } = call;
    switch (outcome) {
      case 'success':
        return method === 'GET' || call.applied > 0 ? null : 'the server has not applied it';
      case 'aborted':
        return call.abortedAt === null ? 'its page has not aborted it' : null;
      case 'timeout':
        return this.#objectionToTimeout(call);
      case 'not-connected':
        // Two workers that end while a page greets for the first time are taken for one that does not answer.
        return call.isDisconnected || history.hasGreetedInVain(at) ? null : this.#objectionToTimeout(call);
      case 'worker-lost':
        if (this.#maySendAgain(call)) return 'it may be sent again';
        return history.hasEnded(at) ? null : 'no worker has ended';
      case 'http':
        return history.was(at, 'fails') || history.was(at, 'refuses')
          ? null
          : 'the server has not refused it';
      case 'network':
      case 'offline':
        return history.was(at, 'cut') ? null : 'there was a network';
      default:
        return 'nothing accounts for that';
    }
  }

  /** Not after its time, nor once a newer write of its page to the same may have reached the server. */
  #maySendAgain(call: MadeCall): boolean {
    const { method, page, path, at, timeout } = call;
    if (UNREPEATABLE.includes(method) || this.#timeline.now - at >= timeout - SLACK) return false;
    return ![...this.#calls.values()].some(
      (other) =>
        other.page === page &&
        other.path === path &&
        other.at >= at &&
        other !== call &&
        other.method !== 'GET' &&
        mayBeBegun(other, this.#timeline.now),
    );
  }

  #objectionToTimeout(call: MadeCall): string | null {
    const { at, timeout, awakeFor } = call;
    const passed = this.#timeline.now - at;
    if (passed < timeout - SLACK) return 'its time was not over';
    const needs = this.#history.longestCall(at, 1 + this.#askedAgain(call)) + passed - awakeFor();
    return needs >= timeout ? null : `it needs ${needs} ms at most`;
  }

  /** How often the answer to a read may be from before a write, so that it is asked for again. */
  #askedAgain({ method, at }: MadeCall): number {
    if (method !== 'GET') return 0;
    const mayEndSince = (write: MadeCall): boolean => write.at + write.timeout + SLOW_ANSWER >= at;
    const writes = [...this.#calls.values()].filter((other) => other.method !== 'GET' && mayEndSince(other));
    return Math.min(writes.length, LIMITS.droppedAnswers);
  }
}

/** As its page has to take it, which does not know how far a worker came with what it lost or gave up. */
function mayBeBegun({ method, begun, abortedAt, at, timeout }: MadeCall, now: number): boolean {
  return begun > 0 || UNREPEATABLE.includes(method) || abortedAt !== null || now - at >= timeout - SLACK;
}

function named({ page, method, path, tag }: MadeCall): string {
  return `${method} ${path} of ${page} (${tag})`;
}
