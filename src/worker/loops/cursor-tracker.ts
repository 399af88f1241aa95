import type { Cursor, Wait } from '../../shared/cursor.ts';
import type { Failure } from '../../shared/failure.ts';
import type { Invocation } from '../../shared/invocation.ts';
import type { Answered } from '../../shared/outcome.ts';
import { NO_ADDITION } from '../contracts/engine-request.ts';
import type { Addition, TickReading } from '../contracts/engine-request.ts';
import { parsedAnswered } from '../contracts/read-body.ts';
import type { ReadAnswered, ReadOutcome } from '../contracts/read-body.ts';
import { mayBeStored, storableHeaders } from '../contracts/storing.ts';
import { StaleGeneration } from '../platform/database-deadline.ts';
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
} from '../scheduling/plan.ts';
import type { Reply } from '../contracts/audience.ts';

/** Milliseconds of pause after which a loop that can catch up does so: one answer stands for many. */
const LONG_PAUSE = 300_000;

/** True where answers are kept in a log. A new kind of cursor does not compile until it is listed here. */
const IS_LOGGED: Readonly<Record<Cursor['kind'], boolean>> = { state: false, feed: true };

export interface CursorTrackerPorts {
  readonly now: () => number;
  /** `isOwn` is true for the loop's own request, which the server may hold, false for a catch-up. */
  readonly invoke: (invocation: Invocation, addition: Addition, isOwn: boolean) => Promise<ReadOutcome>;
  /** Aborts when nobody waits for the answer any more. The answer is then not kept, and comes again. */
  readonly signal: AbortSignal;
  /** The server no longer knows the loop's cursor, so the loop starts afresh. */
  readonly reset: (failure: Failure) => void;
  /** More may be stored than was known. */
  readonly renewed: () => void;
  /** For a feed: the log offset of the last answer that all pages have. */
  readonly acknowledged: () => number;
}

/** Follows a loop's cursor from request to request, and from one worker instance to the next. */
export class CursorTracker {
  /** As the page declares it: its policy says what may be stored. */
  readonly #declared: Invocation;
  /** As it is asked. */
  readonly #invocation: Invocation;
  readonly #cursor: Cursor | null;
  readonly #wait: Wait | null;
  /** True where each answer is stored in a log, with the cursor after it, and nowhere else. */
  readonly #isLogged: boolean;
  readonly #state: DurableState;
  /** A cursor that is not stored, since its state is not: the next worker instance asks for that state again. */
  #volatileCursor: string | null = null;
  /** True once this instance has told a state: a 304 then means an answer that is known. */
  #hasState = false;
  /** How often what is stored was cleared away: what was asked for before is not stored after it. */
  #clearings = 0;
  /** The cursor that the server refused last, until it takes another. An answer that leads back to it is a failure. */
  #refusedCursor: string | null = null;

  constructor(invocation: Invocation, cursor: Cursor | null, wait: Wait | null, state: DurableState) {
    this.#isLogged = IS_LOGGED[cursor?.kind ?? 'state'];
    this.#declared = invocation;
    this.#invocation = this.#isLogged ? uncached(invocation) : invocation;
    this.#cursor = cursor;
    this.#wait = wait;
    this.#state = state;
  }

  /** How answers are read. To find a cursor in the body, the body is parsed. */
  get reading(): TickReading['kind'] {
    return this.#isLogged || this.#cursor?.from.kind === 'body' ? 'parsed' : 'revised';
  }

  /** Asks once. A feed's answer is stored, with the cursor after it, before this resolves. */
  async ask(ports: CursorTrackerPorts): Promise<Reply> {
    const cursor = this.#cursor;
    if (!cursor) return this.#askPlainly(ports);
    const renewal = await this.#state.renew();
    if (renewal === 'renewed') ports.renewed();
    // A feed can go on only from its stored cursor; a state goes on without one.
    if (renewal === 'unknown' && this.#isLogged) return plainReply(unknownPlace(this.#invocation));
    const clearings = this.#clearings;
    const cursorValue = this.#cursorValue;
    const catchUp = this.#catchUpFrom(cursorValue, ports.now());
    const outcome = await (catchUp
      ? ports.invoke(catchUp, NO_ADDITION, false)
      : ports.invoke(this.#invocation, additionOf(cursor, cursorValue, this.#wait), true));
    if (ports.signal.aborted) return plainReply(dropped(outcome));
    // The request may have used a cursor that is no longer the loop's. A failure is waited out first (invariant 12).
    if (renewal !== 'unknown' && this.#state.isOverruled) {
      if (outcome.kind === 'failed') return catchUp ? catchUpReply(outcome) : plainReply(outcome);
      return this.ask(ports);
    }
    if (catchUp) return this.#catchUp(catchUp, cursor, outcome, ports.now());
    if (cursorValue !== null && (isRefused(outcome) || this.#isUnservable(outcome))) {
      return this.#startAfresh(cursorValue, outcome, ports);
    }
    if (outcome.kind === 'failed' || outcome.stale) return plainReply(outcome);
    return this.#goOn({ cursor, before: cursorValue, clearings }, outcome, ports);
  }

  /** All that is stored is being cleared away. A state goes with it, so its cursor is for this instance alone. */
  forgetStored(): void {
    this.#clearings += 1;
    if (!this.#isLogged) this.#volatileCursor = this.#cursorValue;
    this.#state.forgetStored(this.#isLogged ? {} : { cursor: null });
  }

  /** Without a cursor the request need not wait for the storage: the stored failures are read meanwhile. */
  async #askPlainly({ invoke }: CursorTrackerPorts): Promise<Reply> {
    if (!this.#state.isKnown) void this.#state.recall();
    return plainReply(await invoke(this.#invocation, additionOf(null, null, this.#wait), true));
  }

  /** The request for the state for one page; null where there is none, or where the loop is about to ask for all. */
  get ownCatchUp(): Invocation | null {
    return this.#cursorValue === null ? null : (this.#cursor?.catchUp ?? null);
  }

  get #cursorValue(): string | null {
    return this.#volatileCursor ?? this.#state.record.cursor;
  }

  #catchUpFrom(cursorValue: string | null, now: number): Invocation | null {
    const isLate = cursorValue === null || now - this.#state.record.answeredAt > LONG_PAUSE;
    return isLate ? (this.#cursor?.catchUp ?? null) : null;
  }

  async #catchUp(catchUp: Invocation, cursor: Cursor, outcome: ReadOutcome, now: number): Promise<Reply> {
    if (outcome.kind === 'failed' || outcome.stale) return catchUpReply(outcome);
    const cursorValue = cursorIn(outcome.answer, cursor);
    if (cursorValue === null || cursorValue === this.#refusedCursor) {
      return catchUpReply(leadsNowhere(catchUp, cursorValue, outcome));
    }
    this.#hasState = true;
    // A page that is not told now finds another log later and catches up too: one log never skips answers.
    if (this.#isLogged) await this.#state.startAfresh({ cursor: cursorValue, answeredAt: now });
    else await this.#moveTo(cursorValue, false, now);
    return { outcome, advanced: true, isCatchUp: true, entry: null };
  }

  /** Asks again at once, unless this is the second refusal in a row: starting afresh does not help then. */
  async #startAfresh(cursorValue: string, refusal: ReadOutcome, ports: CursorTrackerPorts): Promise<Reply> {
    const isFirst = this.#refusedCursor === null;
    this.#refusedCursor = cursorValue;
    this.#volatileCursor = null;
    await this.#state.startAfresh();
    ports.reset(refusal.kind === 'failed' ? refusal.failure : UNSERVABLE);
    return isFirst && !ports.signal.aborted ? this.ask(ports) : plainReply(refusal);
  }

  async #goOn(
    { cursor, before, clearings }: Asked,
    outcome: ReadAnswered,
    ports: CursorTrackerPorts,
  ): Promise<Reply> {
    const now = ports.now();
    const cursorValue = cursorIn(outcome.answer, cursor);
    const advanced = advances(before, cursorValue);
    if (before !== null) this.#refusedCursor = null;
    this.#hasState = true;
    const change = { cursor: cursorValue ?? before, answeredAt: now };
    if (this.#isLogged && isNews(outcome) && (advanced || cursorValue === null)) {
      const isVolatile = clearings !== this.#clearings;
      return this.#store(
        { ...change, acknowledged: ports.acknowledged() },
        outcome,
        { advanced, isVolatile },
        ports,
      );
    }
    const isStored = clearings === this.#clearings && this.#isStateStored(outcome);
    if (cursorValue !== null && advanced) await this.#moveTo(cursorValue, isStored, now);
    else await this.#state.touch(now);
    const isLeftOut = this.#isLogged && isNews(outcome);
    return { ...plainReply(isLeftOut ? nothingNew(outcome) : outcome), advanced };
  }

  /** True where all that led to the cursor after an answer is stored. An answer without news changes nothing. */
  #isStateStored(outcome: ReadAnswered): boolean {
    if (this.#isLogged) return true;
    return isNews(outcome) ? outcome.revision !== null : this.#volatileCursor === null;
  }

  async #moveTo(cursorValue: string, isStored: boolean, now: number): Promise<void> {
    this.#volatileCursor = isStored ? null : cursorValue;
    await (isStored ? this.#state.note({ cursor: cursorValue, answeredAt: now }) : this.#state.touch(now));
  }

  async #store(
    change: Pick<StateFields, 'cursor' | 'answeredAt' | 'acknowledged'>,
    outcome: ReadAnswered,
    { advanced, isVolatile }: { readonly advanced: boolean; readonly isVolatile: boolean },
    ports: CursorTrackerPorts,
  ): Promise<Reply> {
    const offset = this.#state.record.last + 1;
    const answered = parsedAnswered(outcome);
    const kept = {
      outcome: this.#withoutSecrets(answered),
      size: sizeOf(answered),
      receivedAt: change.answeredAt,
      ...((isVolatile || !mayBeStored(this.#declared, outcome.answer.headers)) && { isVolatile: true }),
    };
    try {
      await this.#state.append(change, { offset, ...kept });
    } catch (error) {
      if (!(error instanceof StaleGeneration)) return plainReply(unstored(this.#invocation, outcome, error));
      // This engine's term is over, and so is the request. The next request starts from what is stored by then.
      return ports.signal.aborted ? plainReply(dropped(outcome)) : this.ask(ports);
    }
    return { outcome, advanced, isCatchUp: false, entry: offset };
  }

  /** The log lies on a disk, so it holds no secrets (invariant 14). */
  #withoutSecrets(outcome: Answered): Answered {
    const { secretHeaders } = this.#invocation.policy;
    const headers = storableHeaders(outcome.answer.headers, secretHeaders);
    return { ...outcome, answer: { ...outcome.answer, headers } };
  }

  /** True for a 304 to an answer that is no longer stored: the server takes the loop to know its state. */
  #isUnservable(outcome: ReadOutcome): boolean {
    if (this.#isLogged || this.#hasState || outcome.kind === 'failed') return false;
    return outcome.answer.status === 304 && !outcome.confirmed;
  }
}

/** What a request went out with. */
interface Asked {
  readonly cursor: Cursor;
  readonly before: string | null;
  readonly clearings: number;
}

const UNSERVABLE: Failure = {
  code: 'protocol',
  message: 'The server says that an answer is unchanged, but that answer is no longer stored',
};

function uncached(invocation: Invocation): Invocation {
  return { ...invocation, policy: { ...invocation.policy, cache: 'network-only' } };
}

function sizeOf({ answer: { body } }: Answered): number {
  return body.kind === 'bytes' ? body.bytes.byteLength : (JSON.stringify(body.value)?.length ?? 0);
}
