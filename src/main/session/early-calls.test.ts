import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Failure } from '../../shared/failure.ts';
import type { LoopDeclaration } from '../../shared/protocol.ts';
import { FirstVisitStage, PUT } from './first-visit.fixture.ts';
import { answered, declaration } from './invocation.fixture.ts';
import { fakeTime, pass } from './stage.fixture.ts';

beforeEach(fakeTime);

afterEach(() => {
  vi.useRealTimers();
});

describe('while a page has no worker', () => {
  test('its calls are sent by the page, and answered once', async () => {
    const stage = new FirstVisitStage();
    const heard = await stage.call(1);
    expect(stage.sent).toHaveLength(1);
    stage.sent[0]?.answer('early');
    await pass(1);
    await stage.host.activate();
    expect(heard.ends).toEqual(['early']);
    expect(stage.host.life.submitted).toEqual([]);
  });

  test('a call that is out when the worker comes is answered where it is', async () => {
    const stage = new FirstVisitStage();
    const early = await stage.call(1);
    await stage.host.activate();
    const later = await stage.call(2);
    expect(stage.host.life.submitted.map(({ id }) => id)).toEqual([2]);
    stage.sent[0]?.answer('early');
    await stage.host.life.settle(2, answered('late'));
    await pass(1);
    expect([early.ends, later.ends]).toEqual([['early'], ['late']]);
    expect(stage.host.life.told('adopt').map(({ answers }) => answers.length)).toEqual([1]);
  });

  test('a read that is out when the worker comes is asked for again there once a write ends', async () => {
    const stage = new FirstVisitStage();
    await stage.call(1);
    await stage.host.activate();
    await stage.call(2, PUT);
    const { life } = stage.host;
    await life.settle(2, answered('written'));
    await pass(1);
    expect(stage.sent[0]?.isAborted).toBe(true);
    expect(life.submitted.map(({ id }) => id)).toEqual([2, 1]);
  });

  test.each([
    ['names a function of the worker', { policy: { transform: ['cut'] } }],
    ['wants nothing but what is stored', { policy: { cache: 'cache-only' } }],
  ] as const)('a call that %s waits for the worker', async (_what, wish) => {
    const stage = new FirstVisitStage();
    await stage.call(1, wish);
    expect(stage.sent).toEqual([]);
    await stage.host.activate();
    expect(stage.host.life.submitted.map(({ id }) => id)).toEqual([1]);
  });

  test('a call that may be repeated is repeated by the worker, and no earlier than after its wait', async () => {
    const stage = new FirstVisitStage();
    await stage.call(1, PUT);
    stage.sent[0]?.end({ kind: 'left', wait: 2_000, lost: false });
    await pass(1);
    await stage.host.activate();
    expect(stage.host.life.submitted).toEqual([]);
    await pass(2_000);
    expect(stage.host.life.submitted.map(({ id }) => id)).toEqual([1]);
    expect(stage.sent).toHaveLength(1);
  });

  test('a read that is out when a write ends is asked for again', async () => {
    const stage = new FirstVisitStage();
    const read = await stage.call(1);
    await stage.call(2, PUT);
    stage.sent[1]?.end({ kind: 'ended', outcome: answered('written'), early: null });
    await pass(1);
    expect(stage.sent.map(({ isAborted }) => isAborted)).toEqual([true, false, false]);
    stage.sent[2]?.answer('after the write');
    await pass(1);
    expect(read.ends).toEqual(['after the write']);
  });

  test('an abort ends the request', async () => {
    const stage = new FirstVisitStage();
    const heard = await stage.call(1);
    stage.session.abort([1]);
    expect([stage.sent[0]?.isAborted, heard.ends]).toEqual([true, ['aborted']]);
  });

  test('a closed connection ends all requests', async () => {
    const stage = new FirstVisitStage();
    await stage.call(1);
    await stage.declare({ firstIn: 0 });
    stage.session.close();
    expect(stage.sent.map(({ isAborted }) => isAborted)).toEqual([true, true]);
  });

  test('calls wait while the app signs somebody in', async () => {
    const stage = new FirstVisitStage();
    stage.session.signing.sign('Ada', { kind: 'sign-in', name: 'Ada' }).catch(() => {});
    await stage.call(1);
    expect(stage.sent).toEqual([]);
  });

  test('calls of nobody end when somebody signs in', async () => {
    const stage = new FirstVisitStage();
    const heard = await stage.call(1);
    stage.host.life.replyTo = (command) =>
      command.kind === 'sign-in'
        ? { kind: 'identity', identity: { name: 'Ada', epoch: 2, isSignedIn: true } }
        : { kind: 'done' };
    const signed = stage.session.signing.sign('Ada', { kind: 'sign-in', name: 'Ada' });
    await stage.host.activate();
    await signed;
    stage.sent[0]?.answer('for nobody');
    await pass(1);
    expect([stage.sent[0]?.isAborted, heard.ends]).toEqual([true, ['identity-changed']]);
  });
});

describe('the worker', () => {
  test('is handed what came before it, before any call', async () => {
    const stage = new FirstVisitStage();
    await stage.call(1);
    await stage.call(2, { policy: { transform: ['cut'] } });
    stage.sent[0]?.answer('early');
    await pass(1);
    await stage.host.activate();
    const { life } = stage.host;
    expect(life.told('adopt').map(({ answers }) => answers.length)).toEqual([1]);
    expect(life.order.slice(0, 3)).toEqual(['greet', 'adopt', 'submit 2']);
  });

  test('is handed nothing twice', async () => {
    const stage = new FirstVisitStage();
    await stage.call(1);
    stage.sent[0]?.answer('early');
    await pass(1);
    await stage.host.activate();
    const next = await stage.host.replace();
    await pass(1);
    expect(next.told('adopt')).toEqual([]);
  });

  test.each([
    ['once nothing is asked for', 0, 300],
    ['once all is answered', 1, 300],
  ])('is fetched %s', async (_what, calls, wait) => {
    const stage = new FirstVisitStage();
    for (let id = 1; id <= calls; id += 1) await stage.call(id);
    await pass(wait - 1);
    expect(stage.host.calm).toBe(false);
    stage.sent[0]?.answer('early');
    await pass(1);
    expect(stage.host.calm).toBe(true);
  });

  test('is fetched though an answer takes long', async () => {
    const stage = new FirstVisitStage();
    await stage.call(1);
    await pass(2_999);
    expect(stage.host.calm).toBe(false);
    await pass(1);
    expect(stage.host.calm).toBe(true);
  });

  test('is fetched at once where the app waits for it', async () => {
    const stage = new FirstVisitStage();
    await stage.call(1);
    void stage.session.ready();
    await pass(0);
    expect(stage.host.calm).toBe(true);
  });
});

describe('a poll', () => {
  test('asks at once, and goes on in the worker after its interval', async () => {
    const stage = new FirstVisitStage();
    const heard = await stage.declare({ firstIn: 0 });
    expect(heard.steps).toEqual(['ticking']);
    stage.sent[0]?.answer('first');
    await pass(1_000);
    await stage.host.activate();
    expect(heard.gists).toEqual(['first']);
    const { interval } = { interval: 5_000, ...declaration().pace };
    const [declared] = stage.host.life.told('declare');
    expect(declared?.declaration.firstIn).toBeGreaterThan(interval - 1_100);
    expect(declared?.declaration.firstIn).toBeLessThanOrEqual(interval - 1_000);
  });

  test('heeds Retry-After', async () => {
    const stage = new FirstVisitStage();
    await stage.declare({ firstIn: 0 });
    const answer = {
      status: 503,
      headers: [['Retry-After', '60']],
      body: { kind: 'value', value: null },
    } as const;
    const failure: Failure = { code: 'http', message: 'busy', status: 503, body: null };
    stage.sent[0]?.end({
      kind: 'ended',
      outcome: { kind: 'failed', failure, answer, request: null },
      early: null,
    });
    await pass(1);
    await stage.host.activate();
    const [declared] = stage.host.life.told('declare');
    expect(declared?.declaration.firstIn).toBeGreaterThan(59_000);
  });

  test('that is stopped is told nothing', async () => {
    const stage = new FirstVisitStage();
    const heard = await stage.declare({ firstIn: 0 });
    stage.session.stop(1);
    await pass(1);
    expect([stage.sent[0]?.isAborted, heard.gists]).toEqual([true, []]);
  });

  const FEED: Partial<LoopDeclaration> = {
    firstIn: 0,
    cursor: {
      kind: 'feed',
      from: { kind: 'etag' },
      plus: 0,
      to: { kind: 'if-none-match' },
      initial: null,
      catchUp: null,
    },
  };
  const OTHERS: readonly (readonly [what: string, wish: Partial<LoopDeclaration>])[] = [
    ['waits for its first interval', { firstIn: 5_000 }],
    ['follows a feed', FEED],
    ['is a long-poll', { firstIn: 0, pace: { kind: 'long-poll' } }],
  ];

  test.each(OTHERS)('that %s is left to the worker', async (_what, wish) => {
    const stage = new FirstVisitStage();
    await stage.declare(wish);
    expect(stage.sent).toEqual([]);
    await stage.host.activate();
    expect(stage.host.life.told('declare')).toHaveLength(1);
  });
});
