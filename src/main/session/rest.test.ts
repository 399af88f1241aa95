import { expect, test } from 'vitest';
import type { Pace } from '../../shared/pace.ts';
import { neededIn } from './due.ts';

const poll = (interval: number, hidden: 'continue' | 'slow' | 'pause' = 'slow'): Pace => ({
  kind: 'poll',
  interval,
  hidden,
});

test.each<[string, Pace, boolean, number, number | null]>([
  ['a long-poll needs the worker all the time', { kind: 'long-poll' }, false, 0, 0],
  ['a long-poll of a hidden page, too', { kind: 'long-poll' }, true, 0, 0],
  ['a quick poll, too', poll(5_000), false, 4_000, 0],
  ['a poll of a minute lets it rest until it is due', poll(60_000), false, 45_000, 45_000],
  ['what is overdue needs it', poll(300_000), false, -1, 0],
  ['a quick poll that slows down lets it rest', poll(5_000, 'slow'), true, 50_000, 50_000],
  ['a quick poll that continues does not', poll(5_000, 'continue'), true, 4_000, 0],
  ['a poll that pauses never needs it', poll(5_000, 'pause'), true, -1, null],
  ['a poll that would pause needs it while its page is visible', poll(5_000, 'pause'), false, 4_000, 0],
])('%s', (_, pace, hidden, dueIn, expected) => {
  expect(neededIn(pace, hidden, dueIn)).toBe(expected);
});
