import type { Failure } from './failure.ts';
import { isCall, isReply, refusal } from './guard.ts';
import type { Call } from './guard.ts';
import { isRecord } from './shape.ts';
import type { Greeting } from './protocol.ts';
import { OLDEST_PROTOCOL, PROTOCOL } from './protocol.ts';

/** The part of an endpoint that Comlink uses. */
export interface ChannelEnd {
  postMessage(message: unknown, transfer?: readonly object[]): void;
  addEventListener(type: string, listener: unknown): void;
  removeEventListener(type: string, listener: unknown): void;
}

export type Send = (message: unknown, transfer: readonly object[]) => void;

/** Why a call is refused; null where it is accepted. */
export type Judge = (call: Call) => Failure | null;

/** The id of a call that nobody waits for. */
const UNANSWERED = '';

type Listener = (event: { readonly data: unknown }) => void;

/**
 * One two-way line, split for Comlink into an end that takes calls (`expose`) and an end that makes them (`wrap`), with
 * the guard before both. A call that passes the guard is validated before anything acts on it; a refused call is
 * answered with the reason. A closed channel neither takes nor sends: Comlink would otherwise post a `RELEASE` for
 * every collected proxy, and wake a worker for nothing.
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

  /** Makes a call without an answer: it costs the other side no message, and Comlink on this side no memory. */
  tell(name: string, value: unknown): void {
    this.#post({ id: UNANSWERED, type: 'APPLY', path: [name], argumentList: [{ type: 'RAW', value }] }, []);
  }

  /**
   * Answers the call being taken in at once: Comlink would answer some promises later, and other messages would
   * overtake it. Comlink's own answer must not come then. Only for calls with an answer, while they are taken in.
   */
  answerer(): (value: unknown) => void {
    const id = this.#takingIn;
    return (value) => this.#post({ type: 'RAW', value, id }, []);
  }

  /** Accepts one message, or drops it; returns true where it was accepted. */
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

  /** From now on sends only the reply to the call being taken in; messages are still accepted. */
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

/** True for a function, the only kind of listener that Comlink gives. */
function isListener(listener: unknown): listener is Listener {
  return typeof listener === 'function';
}

function isApply(message: unknown): boolean {
  return isRecord(message) && message['type'] === 'APPLY';
}

function idOf(message: unknown): unknown {
  return isRecord(message) ? message['id'] : null;
}

/** The first greeting of a page that wants nothing. */
export const FIRST_GREETING: Greeting = {
  protocol: PROTOCOL,
  oldest: OLDEST_PROTOCOL,
  resync: false,
  number: 1,
  calls: [],
  loops: [],
  later: [],
  hidden: false,
  online: false,
};

/** The newest protocol that a page and this side both speak; null where there is none. */
export function negotiate(
  page: Pick<Greeting, 'protocol' | 'oldest'>,
  newest: number,
  oldest: number,
): number | null {
  const common = Math.min(page.protocol, newest);
  return common >= Math.max(page.oldest, oldest) ? common : null;
}
