import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { EarlyAnswer, EarlyEngine } from '../../shared/early.ts';
import { LIMITS } from '../../shared/limits.ts';
import { FirstVisit, FirstVisitStage, PUT } from './first-visit.fixture.ts';
import { answered, refused, submission } from './invocation.fixture.ts';
import { fakeTime, pass } from './stage.fixture.ts';

beforeEach(fakeTime);

afterEach(() => {
  vi.useRealTimers();
});

describe('what came before the worker', () => {
  test('is not handed to one that says that somebody is signed in', async () => {
    const stage = new FirstVisitStage();
    await stage.call(1);
    stage.sent[0]?.answer('for nobody');
    await pass(1);
    stage.host.life.identity = { name: 'Ada', epoch: 2, isSignedIn: true };
    await stage.host.activate();
    expect(stage.session.signing.identity.name).toBe('Ada');
    expect(stage.host.life.told('adopt')).toEqual([]);
  });

  test('includes every write, however many answers came before it', async () => {
    const stage = new FirstVisitStage();
    for (let id = 1; id <= LIMITS.earlyAnswers; id += 1) await stage.call(id, { template: `/photo/${id}` });
    for (const sent of stage.sent) sent.answer('early');
    await stage.call(100, PUT);
    stage.sent.at(-1)?.write();
    await pass(1);
    await stage.host.activate();
    expect(stage.host.life.told('adopt').map(kindsOf).at(-1)).toEqual(['write']);
  });

  test('has of two answers to the same the newer one', async () => {
    const stage = new FirstVisitStage();
    await stage.call(1, { policy: { retry: 2 } });
    stage.sent[0]?.answer('older');
    await pass(1_000);
    await stage.call(2);
    stage.sent[1]?.answer('newer');
    await pass(1);
    await stage.host.activate();
    const answers = stage.host.life.told('adopt').flatMap((adopted) => adopted.answers);
    expect(answers.map(({ invocation }) => invocation.policy.retry)).toEqual([0]);
  });

  test('is handed to the next worker where the first dies before it has taken it', async () => {
    const stage = new FirstVisitStage();
    await stage.call(1);
    stage.sent[0]?.answer('early');
    await pass(1);
    stage.host.life.deaf = true;
    await stage.host.activate();
    await stage.call(2);
    const next = await stage.host.kill();
    await pass(1);
    expect(next.told('adopt').map(kindsOf)).toEqual([['read']]);
  });

  test('is handed to the next worker where there is none when it comes', async () => {
    const stage = new FirstVisitStage();
    await stage.call(1, PUT);
    await stage.host.activate();
    const next = new FirstVisit();
    stage.host.ready = next.ready;
    await stage.host.kill();
    stage.sent[0]?.write();
    await pass(1);
    expect(stage.states.at(-1)).toBe('connecting');
    await next.activate();
    expect(stage.host.life.told('adopt').map(kindsOf)).toEqual([['write']]);
  });
});

function kindsOf({ answers }: { readonly answers: readonly EarlyAnswer[] }): string[] {
  return answers.map(({ kind }) => kind);
}

test('a call that is out when no worker can be had is answered by its server', async () => {
  const stage = new FirstVisitStage();
  const out = await stage.call(1, { ...PUT, method: 'POST' });
  const waiting = await stage.call(2, { policy: { cache: 'cache-only' } });
  await stage.host.refuse();
  expect(stage.states.at(-1)).toBe('unavailable');
  stage.sent[0]?.write();
  await pass(1);
  expect([out.ends, waiting.ends]).toEqual([['written'], ['not-connected']]);
});

test('a read that is asked for again, and not answered in time, says so', async () => {
  const stage = new FirstVisitStage();
  const heard = await stage.call(1, { policy: { timeout: 2_000 } });
  await stage.call(2, PUT);
  await pass(1_500);
  stage.sent[1]?.write();
  await pass(2_000);
  expect(heard.ends).toEqual(['timeout']);
});

/** A write that may be done, as the next engine is told. */
const LOST: EarlyAnswer = { kind: 'write', invocation: submission(1).invocation, headers: [], isDone: false };

describe('an early write that failed and may be repeated', () => {
  test('is given up where a newer one to the same was done meanwhile', async () => {
    const stage = new FirstVisitStage();
    const older = await stage.call(1, PUT);
    await stage.host.activate();
    await stage.call(2, PUT);
    await stage.host.life.settle(2, answered('newer'));
    stage.sent[0]?.end({ kind: 'left', wait: 500, early: LOST });
    await pass(1_000);
    expect(older.ends).toEqual(['worker-lost']);
    expect(stage.host.life.submitted.map(({ id }) => id)).toEqual([2]);
  });

  test.each([
    ['that was refused has failed', false, 'http'],
    ['whose answer was lost has succeeded', true, null],
  ])('a DELETE %s where its second try finds nothing', async (_what, lost, end) => {
    const stage = new FirstVisitStage();
    const heard = await stage.call(1, { method: 'DELETE' });
    stage.sent[0]?.end({ kind: 'left', wait: 500, early: lost ? LOST : null });
    await stage.host.activate();
    await pass(1_000);
    await stage.host.life.settle(1, refused(404));
    expect(heard.ends).toEqual([end]);
  });

  test.each([
    ['is given up where that is done', answered('newer'), [[], ['worker-lost']], []],
    ['is repeated where that is refused', refused(422), [[], []], [1]],
  ] as const)('waits for a newer one to the same that is out, and %s', async (_what, outcome, ends, ids) => {
    const stage = new FirstVisitStage();
    const older = await stage.call(1, PUT);
    await stage.call(2, PUT);
    stage.sent[0]?.end({ kind: 'left', wait: 500, early: LOST });
    await stage.host.activate();
    await pass(1_000);
    const before = [...older.ends];
    expect(stage.host.life.submitted).toEqual([]);
    stage.sent[1]?.end({ kind: 'ended', outcome, early: null });
    await pass(1);
    expect([before, older.ends]).toEqual(ends);
    expect(stage.host.life.submitted.map(({ id }) => id)).toEqual(ids);
  });
});

describe('a poll whose first request the page sends', () => {
  test('asks nobody while it pauses', async () => {
    const stage = new FirstVisitStage();
    stage.session.presence.setHidden(true);
    await stage.declare({ pace: { kind: 'poll', interval: 5_000, hidden: 'pause' } });
    expect(stage.sent).toEqual([]);
  });

  test('goes on at the interval that it was given meanwhile', async () => {
    const stage = new FirstVisitStage();
    await stage.declare();
    stage.session.setInterval(1, 60_000);
    stage.sent[0]?.answer('first');
    await pass(1);
    await stage.host.activate();
    const [declared] = stage.host.life.told('declare');
    expect(declared?.declaration.firstIn).toBeGreaterThan(59_000);
  });

  test('that is restarted asks again, and is not told what came before', async () => {
    const stage = new FirstVisitStage();
    await stage.declare();
    const heard = await stage.declare({ restart: true });
    expect(stage.sent.map(({ isAborted }) => isAborted)).toEqual([true, false]);
    stage.sent[1]?.answer('from after it');
    await pass(1);
    expect(heard.gists).toEqual(['from after it']);
  });

  test('is left to the worker when that is greeted', async () => {
    const stage = new FirstVisitStage();
    await stage.declare();
    stage.host.life.mute = true;
    await stage.host.activate();
    await stage.declare({ loop: 2 });
    expect(stage.host.life.told('declare').map(({ declaration: { loop } }) => loop)).toEqual([1, 2]);
    expect(stage.sent.map(({ isAborted }) => isAborted)).toEqual([true]);
  });

  test('that is cut goes on after its interval', async () => {
    const stage = new FirstVisitStage();
    const heard = await stage.declare();
    stage.session.cut(1);
    await pass(1);
    await stage.host.activate();
    expect([stage.sent[0]?.isAborted, heard.gists]).toEqual([true, ['aborted']]);
    expect(stage.host.life.told('declare')[0]?.declaration.firstIn).toBeGreaterThan(4_900);
  });

  test('asks again where a write ends meanwhile', async () => {
    const stage = new FirstVisitStage();
    const heard = await stage.declare();
    await stage.call(1, PUT);
    stage.sent[1]?.write();
    await pass(1);
    expect(stage.sent.map(({ isAborted }) => isAborted)).toEqual([true, false, false]);
    stage.sent[2]?.answer('from after it');
    await pass(1);
    expect(heard.gists).toEqual(['from after it']);
  });
});

test('the worker is fetched though the engine for the first calls does not load', async () => {
  const host = new FirstVisit();
  host.early = () => new Promise<EarlyEngine>(() => {});
  const stage = new FirstVisitStage(host);
  await stage.call(1);
  await pass(2_999);
  expect(host.calm).toBe(false);
  await pass(1);
  expect(host.calm).toBe(true);
});
