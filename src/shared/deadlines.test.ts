import { expect, test } from 'vitest';
import {
  COMMAND_DEADLINE,
  DRAIN_ANSWER_DEADLINE,
  DRAIN_DEADLINE,
  GONE_DEADLINE,
  GREETING_DEADLINE,
  KEEPALIVE_DEADLINE,
  KEEPALIVE_HOLD,
  LEADER_SILENCE,
  LOOK_DEADLINE,
  REPLACEMENT_DEADLINE,
  ROLL_CALL,
  SUCCESSOR_DEADLINE,
  UPDATE_DEADLINE,
} from './deadlines.ts';
import { HIDDEN_PERIOD, WORTH_A_REST } from './limits.ts';

/** Milliseconds without an event after which browsers end a worker (decision 5). */
const BROWSER_PATIENCE = 30_000;

/** Milliseconds that a message and the answer to it may take on a busy machine. */
const WAY = 1_000;

test('a worker that holds an event answers before its browser ends it, with time for the next page to ask', () => {
  expect(KEEPALIVE_HOLD + LEADER_SILENCE + WAY).toBeLessThan(BROWSER_PATIENCE);
});

test('a page does not take a worker for dead that holds its keepalive', () => {
  expect(KEEPALIVE_DEADLINE).toBeGreaterThanOrEqual(KEEPALIVE_HOLD + WAY);
});

test('a page waits for a drain until the worker has given up its calls', () => {
  expect(DRAIN_ANSWER_DEADLINE).toBeGreaterThanOrEqual(DRAIN_DEADLINE + WAY);
  expect(REPLACEMENT_DEADLINE).toBeGreaterThan(DRAIN_ANSWER_DEADLINE);
});

test('an update is not given up before a drain and the takeover that follows may be over', () => {
  expect(UPDATE_DEADLINE).toBeGreaterThan(DRAIN_ANSWER_DEADLINE);
  expect(UPDATE_DEADLINE).toBeLessThanOrEqual(DRAIN_DEADLINE + SUCCESSOR_DEADLINE);
});

test('a page that is gone is noticed in time, though its first look is late', () => {
  expect(2 * (ROLL_CALL + LOOK_DEADLINE)).toBeLessThan(GONE_DEADLINE);
});

test('a command may wait for a greeting and be given again', () => {
  expect(COMMAND_DEADLINE).toBeGreaterThan(2 * GREETING_DEADLINE);
});

test('a poll that slows down while its page is hidden lets the worker rest', () => {
  expect(HIDDEN_PERIOD).toBeGreaterThanOrEqual(WORTH_A_REST);
});
