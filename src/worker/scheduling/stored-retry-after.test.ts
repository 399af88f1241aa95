import { expect, test } from 'vitest';
import { answered } from '../contracts/outcome.fixture.ts';
import { FRESH } from './plan.ts';
import { planPoll } from './planner.ts';

test('the Retry-After of a stored answer is about the request that brought it', () => {
  const stored = answered({
    stale: true,
    servedFrom: 'cache',
    answer: { status: 202, headers: [['Retry-After', '3600']], body: { kind: 'value', value: null } },
  });
  const tick = { dueAt: 0, askedAt: 0, endedAt: 200, outcome: stored };
  expect(planPoll(FRESH, 10_000, tick, 0.5).dueAt).toBe(200 + 1_300);
});
