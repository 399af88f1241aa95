/** The state of a page's tie to its worker. */
export type SessionState =
  'idle' | 'connecting' | 'greeting' | 'live' | 'replacing' | 'unavailable' | 'closed';

export type SessionEvent =
  /** Something is to be sent. */
  | 'needed'
  /** The host can be posted to. */
  | 'ready'
  /** No host can be had, or it speaks another protocol. */
  | 'refused'
  /** The worker has answered the greeting. */
  | 'welcomed'
  /** The worker is dead, or does not answer. */
  | 'lost'
  /** The worker is dead, and nothing needs one. */
  | 'slept'
  /** The worker ends its work for a newer one; the page waits for that. */
  | 'draining'
  /** Greet another host from now on. */
  | 'moved'
  /** The page is shown again after the back/forward cache or a freeze. */
  | 'shown'
  | 'closed';

/** Every state and every event: a missing cell does not compile. */
const NEXT: Readonly<Record<SessionState, Readonly<Record<SessionEvent, SessionState>>>> = {
  idle: {
    needed: 'connecting',
    ready: 'idle',
    refused: 'idle',
    welcomed: 'idle',
    lost: 'idle',
    slept: 'idle',
    draining: 'idle',
    moved: 'idle',
    shown: 'idle',
    closed: 'closed',
  },
  connecting: {
    needed: 'connecting',
    ready: 'greeting',
    refused: 'unavailable',
    welcomed: 'connecting',
    lost: 'connecting',
    slept: 'connecting',
    draining: 'connecting',
    moved: 'connecting',
    shown: 'connecting',
    closed: 'closed',
  },
  greeting: {
    needed: 'greeting',
    ready: 'greeting',
    refused: 'unavailable',
    welcomed: 'live',
    lost: 'connecting',
    slept: 'greeting',
    draining: 'replacing',
    moved: 'connecting',
    shown: 'connecting',
    closed: 'closed',
  },
  live: {
    needed: 'live',
    ready: 'live',
    refused: 'unavailable',
    welcomed: 'live',
    lost: 'connecting',
    slept: 'idle',
    draining: 'replacing',
    moved: 'connecting',
    shown: 'connecting',
    closed: 'closed',
  },
  replacing: {
    needed: 'replacing',
    ready: 'replacing',
    refused: 'replacing',
    welcomed: 'replacing',
    lost: 'connecting',
    slept: 'idle',
    draining: 'replacing',
    moved: 'connecting',
    shown: 'connecting',
    closed: 'closed',
  },
  unavailable: {
    needed: 'connecting',
    ready: 'unavailable',
    refused: 'unavailable',
    welcomed: 'unavailable',
    lost: 'unavailable',
    slept: 'unavailable',
    draining: 'unavailable',
    moved: 'connecting',
    shown: 'connecting',
    closed: 'closed',
  },
  closed: {
    needed: 'closed',
    ready: 'closed',
    refused: 'closed',
    welcomed: 'closed',
    lost: 'closed',
    slept: 'closed',
    draining: 'closed',
    moved: 'closed',
    shown: 'closed',
    closed: 'closed',
  },
};

export function next(state: SessionState, event: SessionEvent): SessionState {
  return NEXT[state][event];
}
