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

/**
 * What each event changes; every other one leaves the state as it is, and `closed` ends all. Pages load this, so it says
 * no more than that; `states.test.ts` has a cell for every state and every event.
 */
const NEXT: Readonly<Record<SessionState, Readonly<Partial<Record<SessionEvent, SessionState>>>>> = {
  idle: { needed: 'connecting' },
  connecting: { ready: 'greeting', refused: 'unavailable' },
  greeting: {
    refused: 'unavailable',
    welcomed: 'live',
    lost: 'connecting',
    draining: 'replacing',
    moved: 'connecting',
    shown: 'connecting',
  },
  live: {
    refused: 'unavailable',
    lost: 'connecting',
    slept: 'idle',
    draining: 'replacing',
    moved: 'connecting',
    shown: 'connecting',
  },
  replacing: { lost: 'connecting', slept: 'idle', moved: 'connecting', shown: 'connecting' },
  unavailable: { needed: 'connecting', moved: 'connecting', shown: 'connecting' },
  closed: {},
};

export function next(state: SessionState, event: SessionEvent): SessionState {
  return event === 'closed' ? event : (NEXT[state][event] ?? state);
}
