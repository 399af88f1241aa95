import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { next } from './states.ts';
import type { SessionEvent, SessionState } from './states.ts';

const STATES: readonly SessionState[] = [
  'idle',
  'connecting',
  'greeting',
  'live',
  'replacing',
  'unavailable',
  'closed',
];
const EVENTS: readonly SessionEvent[] = [
  'needed',
  'ready',
  'refused',
  'welcomed',
  'lost',
  'slept',
  'draining',
  'shown',
  'closed',
];

/** Every state and every event: a missing cell does not compile. */
const ALL: Readonly<Record<SessionState, Readonly<Record<SessionEvent, SessionState>>>> = {
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

test.each(STATES)('every event in the state %s leads where the whole table says', (from) => {
  const events = Object.keys(ALL[from]).filter((name): name is SessionEvent => name in ALL.idle);
  expect(Object.fromEntries(events.map((name) => [name, next(from, name)]))).toEqual(ALL[from]);
});

const LIVE: readonly SessionEvent[] = ['needed', 'ready', 'welcomed'];

describe('the way to a worker', () => {
  test.each<[string, SessionEvent[], SessionState]>([
    ['finds one and greets it', ['needed', 'ready', 'welcomed'], 'live'],
    ['starts with the first need, not before', ['ready', 'welcomed', 'lost', 'shown', 'refused'], 'idle'],
    ['starts over when the worker dies', ['needed', 'ready', 'welcomed', 'lost'], 'connecting'],
    ['starts over when a greeting is not answered', ['needed', 'ready', 'lost'], 'connecting'],
    ['starts over when the page comes back', ['needed', 'ready', 'welcomed', 'shown'], 'connecting'],
    ['ends where there is no worker', ['needed', 'refused'], 'unavailable'],
    ['ends where the worker speaks another protocol', ['needed', 'ready', 'refused'], 'unavailable'],
    ['is tried again at the next need', ['needed', 'refused', 'needed'], 'connecting'],
    ['is tried again when the page comes back', ['needed', 'refused', 'shown'], 'connecting'],
    ['is not disturbed by further needs', ['needed', 'ready', 'needed', 'welcomed', 'needed'], 'live'],
    ['waits for the next where the worker is to be replaced', [...LIVE, 'draining'], 'replacing'],
    [
      'is not hurried by what is wanted meanwhile',
      [...LIVE, 'draining', 'needed', 'ready', 'refused', 'welcomed'],
      'replacing',
    ],
    ['goes on when the worker is replaced', [...LIVE, 'draining', 'lost'], 'connecting'],
    ['rests where the next is not needed', [...LIVE, 'draining', 'slept'], 'idle'],
    ['starts over when the page comes back meanwhile', [...LIVE, 'draining', 'shown'], 'connecting'],
    [
      'waits where the worker says that it is replaced',
      ['needed', 'ready', 'draining', 'welcomed'],
      'replacing',
    ],
    ['hears of a replacement from a worker that it has posted to', ['needed', 'draining'], 'connecting'],
    ['takes no late answer for a new one', ['needed', 'ready', 'lost', 'welcomed'], 'connecting'],
  ])('%s', (_name, events, expected) => {
    expect(events.reduce<SessionState>(next, 'idle')).toBe(expected);
  });
});

const state = fc.constantFrom(...STATES);
const event = fc.constantFrom(...EVENTS);

test('a worker is live only where it has answered a greeting', () => {
  fc.assert(
    fc.property(state, event, (before, happened) => {
      const isLive = next(before, happened) === 'live';
      expect(!isLive || before === 'live' || (before === 'greeting' && happened === 'welcomed')).toBe(true);
    }),
  );
});

test('closing ends it from everywhere, for good', () => {
  fc.assert(
    fc.property(state, fc.array(event), (before, events) => {
      expect(events.reduce(next, next(before, 'closed'))).toBe('closed');
    }),
  );
});
