import { expect, test } from 'vitest';
import { isLeftOut } from '../../shared/outbox.ts';
import { answered, failed, failedWith, refused } from '../contracts/outcome.fixture.ts';
import { after, begun, hurried, resumed, revived, unprovided } from './attempts.ts';
import { write } from './write.fixture.ts';

const SENT = begun(write(1));
const END = { now: 100_000, random: 0 };

test('an attempt counts before it is sent, and its key stays', () => {
  expect(SENT).toMatchObject({ state: 'sending', attempts: 1, key: 'key 1' });
});

test('a write that was under way in a worker that has ended goes again under the same key', () => {
  expect(revived(SENT, 0)).toEqual({ ...SENT, state: 'queued', mayBeDone: true });
  const conflict = write(1, { state: 'conflict' });
  expect(revived(conflict, 0)).toBe(conflict);
});

test('an answered write is done, and its answer is kept for who has to be told', () => {
  const outcome = answered({ status: 201 });
  expect(after(SENT, { ...END, outcome })).toMatchObject({
    state: 'done',
    answer: outcome.answer,
    failure: null,
  });
});

test('a write that is done, though its answer does not say so, has an answer without a body', () => {
  const deletion = write(1, { invocation: { ...SENT.invocation, method: 'DELETE' }, mayBeDone: true });
  const { state, answer } = after(begun(deletion), { ...END, outcome: refused(404) });
  expect([state, answer?.status, answer && isLeftOut(answer)]).toEqual(['done', 404, true]);
});

test('each failure in a row waits longer, and Retry-After is a floor', () => {
  const waits: number[] = [];
  let next = SENT;
  for (let n = 0; n < 4; n += 1) {
    const failed503 = after(next, { ...END, outcome: refused(503) });
    waits.push(failed503.notBefore - END.now);
    next = begun(failed503);
  }
  expect(waits).toEqual([300, 2_000, 2_500, 2_500]);
  const late = after(SENT, { ...END, outcome: refused(503, [['Retry-After', '60']]) });
  expect(late.notBefore).toBeGreaterThanOrEqual(END.now + 60_000);
});

test('what the worker cut off is no failure', () => {
  expect(after(SENT, { ...END, outcome: failed('aborted') })).toMatchObject({
    state: 'queued',
    failures: 0,
    failure: null,
  });
});

test.each([
  [401, 'paused'],
  [409, 'conflict'],
  [422, 'review'],
] as const)('after %s it keeps why it is %s', (status, state) => {
  expect(after(SENT, { ...END, outcome: refused(status) })).toMatchObject({
    state,
    failure: { code: 'http', status },
  });
});

test('it is known since when nothing is answered that the server can have meant, until it is', () => {
  const redirected = after(SENT, {
    ...END,
    outcome: failedWith({ code: 'redirected', message: 'redirected' }),
  });
  expect(redirected.unclearSince).toBe(END.now);
  const again = begun(redirected);
  const later = { now: 200_000, random: 0 };
  expect(
    after(again, { ...later, outcome: failedWith({ code: 'redirected', message: 'redirected' }) })
      .unclearSince,
  ).toBe(END.now);
  // Without a network nothing is learned.
  expect(after(again, { ...later, outcome: failed('network') }).unclearSince).toBe(END.now);
  expect(after(again, { ...later, outcome: refused(503) }).unclearSince).toBeNull();
});

test('a server may be at work for another minute, where another answer is lost two minutes after it said so', () => {
  const busy = { ...SENT, mayBeDone: true, busySince: 0 };
  const lost = (now: number): (number | null)[] => [
    after(busy, { now, random: 0, outcome: failed('network') }).busySince,
    after(busy, { now, random: 0, outcome: failed('aborted') }).busySince,
    revived(busy, now).busySince,
  ];
  expect([lost(119_999), lost(120_000)]).toEqual([
    [0, 0, 0],
    [null, null, null],
  ]);
  // Nothing was sent, or a portal has answered.
  const redirected = failedWith({ code: 'redirected', message: 'redirected' });
  for (const outcome of [failed('offline'), redirected])
    expect(after(busy, { now: 120_000, random: 0, outcome }).busySince).toBe(0);
});

test('a write that somebody hurries waits no more, whatever held it; one under way is left alone', () => {
  const paused = write(1, { state: 'paused', failures: 3, notBefore: 9_000 });
  expect(hurried(paused)).toMatchObject({ state: 'queued', failures: 0, notBefore: 0 });
  expect(hurried(SENT).state).toBe('sending');
});

test('a write that was once sent where credentials are provided needs some from then on', () => {
  const sent = begun(write(1), true);
  expect([SENT.needsCredentials, sent.needsCredentials, begun(sent, false).needsCredentials]).toEqual([
    false,
    true,
    true,
  ]);
});

test('it is paused where nobody provides any, and goes at once as somebody does', () => {
  const sent = begun(write(1), true);
  const outcome = failedWith({ code: 'credentials', message: 'none' });
  const paused = unprovided(sent, outcome, false);
  expect(paused).toEqual({ ...sent, state: 'paused', failure: outcome.failure });
  expect(paused && resumed(paused)).toMatchObject({ state: 'queued', failures: 0, notBefore: 0 });
});

test.each([
  ['somebody provides some by now', begun(write(1), true), 'credentials', true],
  ['it needs none', SENT, 'credentials', false],
  ['something else has failed', begun(write(1), true), 'network', false],
] as const)('it is not paused where %s', (_name, sent, code, isProvided) => {
  expect(unprovided(sent, failedWith({ code, message: 'none' }), isProvided)).toBeNull();
});
