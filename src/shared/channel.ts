import type { Failure } from './failure.ts';
import { isCall, isReply, refusal } from './guard.ts';
import type { Call } from './guard.ts';
import { isRecord } from './shape.ts';

/** The part of an endpoint that Comlink uses. */
export interface ChannelEnd {
  postMessage(message: unknown, transfer?: readonly object[]): void;
  addEventListener(type: string, listener: unknown): void;
  removeEventListener(type: string, listener: unknown): void;
}

export type Send = (message: unknown, transfer: readonly object[]) => void;

/** Why a call is not let in; null where it is. */
export type Judge = (call: Call) => Failure | null;

/** The id of a call that nobody waits for. */
const UNANSWERED = '';

type Listener = (event: { readonly data: unknown }) => void;

/**
 * One two-way line, split for Comlink into the end that takes calls (`expose`) and the end that makes them
 * (`wrap`), with the guard before both. What the guard lets through is judged before anything acts on it: a call that
 * is not let in is answered with the reason. Closed, it neither takes nor sends: Comlink would otherwise post a
 * `RELEASE` for every proxy that is collected and wake a worker for nothing.
 */
export class Channel {
  /** Takes the other side's calls and posts the replies: for `expose`. */
  readonly incoming: ChannelEnd;
  /** Posts calls and takes the replies: for `wrap`. */
  readonly outgoing: ChannelEnd;

  readonly #allowed: readonly string[];
  readonly #judge: Judge;
  readonly #post: Send;
  readonly #callListeners = new Set<Listener>();
  readonly #replyListeners = new Set<Listener>();
  #muted = false;
  /** The id of the call that is being taken in. */
  #takingIn: string | null = null;
  #lastReply: string | null = null;
  #closed = false;

  constructor(allowed: readonly string[], send: Send, judge: Judge = () => null) {
    this.#allowed = allowed;
    this.#judge = judge;
    this.#post = (message, transfer) => {
      if (this.#maySend(message)) send(message, transfer);
    };
    this.incoming = end(this.#callListeners, (message, transfer = []) => {
      if (idOf(message) !== UNANSWERED) this.#post(message, transfer);
    });
    this.outgoing = end(this.#replyListeners, (message, transfer = []) => {
      if (isApply(message) && this.#maySend(message)) send(message, transfer);
    });
  }

  /** Makes a call that is not answered: it costs the other side no message, and Comlink on this one no memory. */
  tell(name: string, value: unknown): void {
    this.#post({ id: UNANSWERED, type: 'APPLY', path: [name], argumentList: [{ type: 'RAW', value }] }, []);
  }

  /**
   * Answers the call that is being taken in, at once: Comlink would do it some promises later, and what is told meanwhile
   * would overtake it. Comlink's own answer must not come then. Only for calls that are answered, while they are taken in.
   */
  answerer(): (value: unknown) => void {
    const id = this.#takingIn;
    return (value) => this.#post({ type: 'RAW', value, id }, []);
  }

  /** Lets one message in, or drops it; returns whether it passed. */
  receive(message: unknown): boolean {
    if (this.#closed) return false;
    if (isReply(message)) {
      for (const listener of this.#replyListeners) listener({ data: message });
      return true;
    }
    if (!isCall(message, this.#allowed)) return false;
    const refused = this.#judge(message);
    if (refused !== null) {
      this.#post(refusal(message.id, refused), []);
      return false;
    }
    this.#takingIn = message.id;
    for (const listener of this.#callListeners) listener({ data: message });
    this.#takingIn = null;
    return true;
  }

  /** Sends nothing any more but the reply to the call that is being taken in; what comes is still let in. */
  mute(): void {
    this.#muted = true;
    this.#lastReply = this.#takingIn;
  }

  #maySend(message: unknown): boolean {
    if (this.#closed) return false;
    return !this.#muted || (this.#lastReply !== null && idOf(message) === this.#lastReply);
  }

  close(): void {
    this.#closed = true;
    this.#callListeners.clear();
    this.#replyListeners.clear();
  }
}

function end(listeners: Set<Listener>, postMessage: ChannelEnd['postMessage']): ChannelEnd {
  return {
    postMessage,
    addEventListener: (_type, listener): void => {
      if (isListener(listener)) listeners.add(listener);
    },
    removeEventListener: (_type, listener): void => {
      if (isListener(listener)) listeners.delete(listener);
    },
  };
}

/** Comlink gives functions. */
function isListener(listener: unknown): listener is Listener {
  return typeof listener === 'function';
}

function isApply(message: unknown): boolean {
  return isRecord(message) && message['type'] === 'APPLY';
}

function idOf(message: unknown): unknown {
  return isRecord(message) ? message['id'] : null;
}
