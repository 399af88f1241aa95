import type { Cursor, Wait } from '../../shared/cursor.ts';
import type { Failure } from '../../shared/failure.ts';
import { isSecret } from '../../shared/header.ts';
import type { Invocation } from '../../shared/invocation.ts';
import type { Answered } from '../../shared/outcome.ts';
import { NO_ADDITION } from '../contracts/engine-request.ts';
import type { Addition, TickReading } from '../contracts/engine-request.ts';
import { parsedAnswered } from '../contracts/read-body.ts';
import type { ReadAnswered, ReadOutcome } from '../contracts/read-body.ts';
import { StaleGeneration } from '../platform/stale-generation.ts';
import { additionOf, advances, isRefused, cursorIn } from './cursor.ts';
import type { DurableState, StateFields } from '../scheduling/durable-state.ts';
import {
  catchUpReply,
  dropped,
  isNews,
  leadsNowhere,
  nothingNew,
  plainReply,
  unknownPlace,
  unstored,
} from '../scheduling/reply.ts';
import type { Reply } from '../contracts/audience.ts';

/** After a pause of so many milliseconds a loop that can catch up does: what it would be told one by one is one answer. */
const LONG_PAUSE = 300_000;

/** A new kind of cursor does not compile before this says whether its answers are kept in a log. */
const IS_LOGGED: Readonly<Record<Cursor['kind'], boolean>> = { state: false, feed: true };

export interface CursorTrackerPorts {
  readonly now: () => number;
  /** `isOwn` where it is the request of the loop itself, which the server may hold, not the one to catch up. */
  readonly invoke: (invocation: Invocation, addition: Addition, isOwn: boolean) => Promise<ReadOutcome>;
  /** Aborts when nobody waits for the answer any more: it is then not kept, and comes again. */
  readonly signal: AbortSignal;
  /** The server no longer knows the loop's place: it starts afresh. */
  readonly reset: (failure: Failure) => void;
  /** What is stored may be more than was known. */
  readonly renewed: () => void;
  /** The number of the last answer that all pages have, of a feed. */
  readonly acknowledged: () => number;
}

/** How a loop keeps its place from request to request, and from one life of the worker to the next. */
export class CursorTracker {
  readonly #invocation: Invocation;
  readonly #cursor: Cursor | null;
  readonly #wait: Wait | null;
  /** Whether each answer is stored in a log, with the cursor after it, and nowhere else. */
  readonly #isLogged: boolean;
  readonly #state: DurableState;
  /** A place that is not stored, since the state that led to it is not either: another life asks for that again. */
  #volatileCursor: string | null = null;
  /** Whether a state has been told in this life: what has not changed since is known. */
  #hasState = false;
  /** The place that the server refused last, until it takes another: to be led back to it is a failure. */
  #refusedCursor: string | null = null;

  constructor(invocation: Invocation, cursor: Cursor | null, wait: Wait | null, state: DurableState) {
    this.#isLogged = IS_LOGGED[cursor?.kind ?? 'state'];
    this.#invocation = this.#isLogged ? uncached(invocation) : invocation;
    this.#cursor = cursor;
    this.#wait = wait;
    this.#state = state;
  }

  /** How answers are wanted: a place that lies in them has to be looked for. */
  get reading(): TickReading['kind'] {
    return this.#isLogged || this.#cursor?.from.kind === 'body' ? 'parsed' : 'revised';
  }

  /** Asks once. What a feed answers is stored, with the place after it, when this resolves. */
  async ask(ports: CursorTrackerPorts): Promise<Reply> {
    const cursor = this.#cursor;
    if (!cursor) return this.#askPlainly(ports);
    const renewal = await this.#state.renew();
    if (renewal === 'renewed') ports.renewed();
    // What a feed is to go on after is in the storage alone; a state goes on without.
    if (renewal === 'unknown' && this.#isLogged) return plainReply(unknownPlace(this.#invocation));
    const place = this.#place;
    const catchUp = this.#catchUpFrom(place, ports.now());
    const outcome = await (catchUp
      ? ports.invoke(catchUp, NO_ADDITION, false)
      : ports.invoke(this.#invocation, additionOf(cursor, place, this.#wait), true));
    if (ports.signal.aborted) return plainReply(dropped(outcome));
    // Its place may not be where the loop is now. A failure is waited out first (invariant 12).
    if (renewal !== 'unknown' && this.#state.isOverruled) {
      if (outcome.kind === 'failed') return catchUp ? catchUpReply(outcome) : plainReply(outcome);
      return this.ask(ports);
    }
    if (catchUp) return this.#catchUp(catchUp, cursor, outcome, ports.now());
    if (place !== null && (isRefused(outcome) || this.#isUnservable(outcome))) {
      return this.#startAfresh(place, outcome, ports);
    }
    if (outcome.kind === 'failed' || outcome.stale) return plainReply(outcome);
    return this.#goOn(cursor, place, outcome, ports);
  }

  /** Without a place there is nothing to wait for: the patience that is stored is looked for meanwhile. */
  async #askPlainly({ invoke }: CursorTrackerPorts): Promise<Reply> {
    if (!this.#state.isKnown) void this.#state.recall();
    return plainReply(await invoke(this.#invocation, additionOf(null, null, this.#wait), true));
  }

  /** What gives one page alone the state. Null where there is nothing, and where the loop is about to ask for all. */
  get ownCatchUp(): Invocation | null {
    return this.#place === null ? null : (this.#cursor?.catchUp ?? null);
  }

  get #place(): string | null {
    return this.#volatileCursor ?? this.#state.record.cursor;
  }

  #catchUpFrom(place: string | null, now: number): Invocation | null {
    const isLate = place === null || now - this.#state.record.answeredAt > LONG_PAUSE;
    return isLate ? (this.#cursor?.catchUp ?? null) : null;
  }

  async #catchUp(catchUp: Invocation, cursor: Cursor, outcome: ReadOutcome, now: number): Promise<Reply> {
    if (outcome.kind === 'failed' || outcome.stale) return catchUpReply(outcome);
    const place = cursorIn(outcome.answer, cursor);
    if (place === null || place === this.#refusedCursor) {
      return catchUpReply(leadsNowhere(catchUp, place, outcome));
    }
    this.#hasState = true;
    // Whoever is not told now finds another log later, and catches up as well: one feed never leaps.
    if (this.#isLogged) await this.#state.startAfresh({ cursor: place, answeredAt: now });
    else await this.#moveTo(place, false, now);
    return { outcome, advanced: true, isCatchUp: true, entry: null };
  }

  /** At once, unless the server has taken no place since it last refused one: to start afresh does not help then. */
  async #startAfresh(place: string, refusal: ReadOutcome, ports: CursorTrackerPorts): Promise<Reply> {
    const isFirst = this.#refusedCursor === null;
    this.#refusedCursor = place;
    this.#volatileCursor = null;
    await this.#state.startAfresh();
    ports.reset(refusal.kind === 'failed' ? refusal.failure : UNSERVABLE);
    return isFirst && !ports.signal.aborted ? this.ask(ports) : plainReply(refusal);
  }

  async #goOn(
    cursor: Cursor,
    before: string | null,
    outcome: ReadAnswered,
    ports: CursorTrackerPorts,
  ): Promise<Reply> {
    const now = ports.now();
    const place = cursorIn(outcome.answer, cursor);
    const advanced = advances(before, place);
    if (before !== null) this.#refusedCursor = null;
    this.#hasState = true;
    const change = { cursor: place ?? before, answeredAt: now };
    if (this.#isLogged && isNews(outcome) && (advanced || place === null)) {
      return this.#store({ ...change, acknowledged: ports.acknowledged() }, outcome, advanced, ports);
    }
    if (place !== null && advanced) await this.#moveTo(place, this.#isStateStored(outcome), now);
    else await this.#state.touch(now);
    const isLeftOut = this.#isLogged && isNews(outcome);
    return { ...plainReply(isLeftOut ? nothingNew(outcome) : outcome), advanced };
  }

  /** Whether all that led to the place after an answer is stored: what brings nothing new changes nothing in that. */
  #isStateStored(outcome: ReadAnswered): boolean {
    if (this.#isLogged) return true;
    return isNews(outcome) ? outcome.revision !== null : this.#volatileCursor === null;
  }

  async #moveTo(place: string, isStored: boolean, now: number): Promise<void> {
    this.#volatileCursor = isStored ? null : place;
    await (isStored ? this.#state.note({ cursor: place, answeredAt: now }) : this.#state.touch(now));
  }

  async #store(
    change: Pick<StateFields, 'cursor' | 'answeredAt' | 'acknowledged'>,
    outcome: ReadAnswered,
    advanced: boolean,
    ports: CursorTrackerPorts,
  ): Promise<Reply> {
    const offset = this.#state.record.last + 1;
    const answered = parsedAnswered(outcome);
    const kept = {
      outcome: this.#withoutSecrets(answered),
      size: sizeOf(answered),
      receivedAt: change.answeredAt,
    };
    try {
      await this.#state.append(change, { offset, ...kept });
    } catch (error) {
      if (!(error instanceof StaleGeneration)) return plainReply(unstored(this.#invocation, outcome, error));
      // The term in which it was asked for is over, and so is its request: the next one asks from what is stored then.
      return ports.signal.aborted ? plainReply(dropped(outcome)) : this.ask(ports);
    }
    return { outcome, advanced, isCatchUp: false, entry: offset };
  }

  /** What lies in the log lies on a disk (invariant 14). */
  #withoutSecrets(outcome: Answered): Answered {
    const { secretHeaders } = this.#invocation.policy;
    const headers = outcome.answer.headers.filter(([name]) => !isSecret(name, secretHeaders));
    return { ...outcome, answer: { ...outcome.answer, headers } };
  }

  /** A 304 for what is not stored any more: the server takes the loop to know a state that it does not. */
  #isUnservable(outcome: ReadOutcome): boolean {
    if (this.#isLogged || this.#hasState || outcome.kind === 'failed') return false;
    return outcome.answer.status === 304 && !outcome.confirmed;
  }
}

const UNSERVABLE: Failure = {
  code: 'protocol',
  message: 'What the server says is unchanged is no longer stored',
};

function uncached(invocation: Invocation): Invocation {
  return { ...invocation, policy: { ...invocation.policy, cache: 'network-only' } };
}

function sizeOf({ answer: { body } }: Answered): number {
  return body.kind === 'bytes' ? body.bytes.byteLength : (JSON.stringify(body.value)?.length ?? 0);
}
