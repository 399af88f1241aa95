import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { next } from './states.ts';
import type { SessionEvent, SessionState } from './states.ts';

const STATES: readonly SessionState[] = ['idle', 'connecting', 'greeting', 'live', 'unavailable', 'closed'];
const EVENTS: readonly SessionEvent[] = ['needed', 'ready', 'refused', 'welcomed', 'lost', 'shown', 'closed'];

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
