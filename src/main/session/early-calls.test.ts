import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Failure } from '../../shared/failure.ts';
import { LIMITS } from '../../shared/limits.ts';
import type { LoopDeclaration } from '../../shared/protocol.ts';
import { FirstVisitStage, PUT } from './first-visit.fixture.ts';
import { answered, declaration, submission } from './invocation.fixture.ts';
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
    ['says the same by its header', { headers: [['Cache-Control', 'max-age=9, Only-If-Cached']] }],
  ] as const)('a call that %s waits for the worker', async (_what, wish) => {
    const stage = new FirstVisitStage();
    await stage.call(1, wish);
    expect(stage.sent).toEqual([]);
    await stage.host.activate();
    expect(stage.host.life.submitted.map(({ id }) => id)).toEqual([1]);
  });

  const AUTHORIZED = { headers: [['Authorization', 'secret']] } as const;
  test.each([
    ['the app gives credentials for its origin', 'https://page.example', {}, false],
    ['the app gives credentials for another origin', 'https://api.example', {}, true],
    ['it brings its own', 'https://page.example', AUTHORIZED, true],
    ['it wants none', 'https://page.example', { policy: { credentials: 'omit' } }, true],
  ] as const)(
    'a call leaves without credentials where they are not for it: %s',
    async (...[, origin, wish, leaves]) => {
      const stage = new FirstVisitStage();
      stage.session.provision.set([origin]);
      await stage.call(1, wish);
      await stage.declare({ firstIn: 0, invocation: submission(2, wish).invocation });
      expect(stage.sent).toHaveLength(leaves ? 2 : 0);
    },
  );

  test('a call that may be repeated is repeated by the worker, and no earlier than after its wait', async () => {
    const stage = new FirstVisitStage();
    await stage.call(1, PUT);
    stage.sent[0]?.end({ kind: 'left', wait: 2_000, early: null });
    await pass(1);
    await stage.host.activate();
    expect(stage.host.life.submitted).toEqual([]);
    await pass(2_000);
    expect(stage.host.life.submitted.map(({ id }) => id)).toEqual([1]);
    expect(stage.sent).toHaveLength(1);
  });

  test.each([
    ['was done, where its answer was lost before', true, null],
    ['is not there, where it was put off before', false, 'http'],
  ])('a repeated deletion of what is gone says that it %s', async (_what, isLost, ends) => {
    const stage = new FirstVisitStage();
    const heard = await stage.call(1, { method: 'DELETE' });
    const early = stage.sent[0] ? stage.sent[0].asWrite : null;
    stage.sent[0]?.end({ kind: 'left', wait: 300, early: isLost ? early : null });
    await stage.host.activate();
    await pass(1_000);
    const failure: Failure = { code: 'http', message: 'gone', status: 404, body: null };
    const answer = { status: 404, headers: [], body: { kind: 'value', value: null } } as const;
    const request = { method: 'DELETE', url: 'https://page.example/photo', headers: [] };
    await stage.host.life.settle(1, { kind: 'failed', failure, answer, request });
    expect(heard.ends).toEqual([ends]);
    expect(stage.host.life.told('adopt')).toHaveLength(isLost ? 1 : 0);
  });

  test.each([
    ['is repeated once a newer one was refused', 422, [1]],
    ['is given up once a newer one may be done', 500, []],
  ])('a write that failed %s, not before', async (_what, status, repeated) => {
    const stage = new FirstVisitStage();
    await stage.call(1, PUT);
    stage.sent[0]?.end({ kind: 'left', wait: 300, early: null });
    await pass(1);
    await stage.call(2, PUT);
    await stage.host.activate();
    await pass(1_000);
    const { life } = stage.host;
    expect(life.submitted).toEqual([]);
    stage.sent[1]?.fail({ code: 'http', message: 'refused', status, body: null });
    await pass(1);
    expect(life.submitted.map(({ id }) => id)).toEqual(repeated);
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

  test('a call that is out is answered, though no worker can be had', async () => {
    const stage = new FirstVisitStage();
    const out = await stage.call(1, PUT);
    const waiting = await stage.call(2, { policy: { cache: 'cache-only' } });
    await stage.host.refuse();
    await pass(1);
    expect([out.ends, waiting.ends]).toEqual([[], ['not-connected']]);
    stage.sent[0]?.write();
    await pass(1);
    expect(out.ends).toEqual(['written']);
  });

  test('no answer is told after that to a later request for the same: it is asked for again', async () => {
    const stage = new FirstVisitStage();
    const loop = await stage.declare({ firstIn: 0 });
    const first = await stage.call(1);
    const second = await stage.call(2);
    stage.sent[2]?.answer('newer');
    await pass(1);
    for (const sent of stage.sent.slice(0, 2)) sent.answer('older');
    await pass(1);
    expect([loop.gists, first.ends, second.ends]).toEqual([[], [], ['newer']]);
    for (const sent of stage.sent.slice(3)) sent.answer('newest');
    await pass(1);
    expect([loop.gists, first.ends]).toEqual([['newest'], ['newest']]);
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

  test('calls of nobody end where somebody has signed in elsewhere, though nobody could sign in here', async () => {
    const stage = new FirstVisitStage();
    const signing = stage.session.signing.sign('Ada', { kind: 'sign-in', name: 'Ada' });
    const refused = signing.catch(String);
    await pass(1);
    await stage.host.refuse();
    expect(await refused).toContain('There is no worker');
    const heard = await stage.call(1);
    // As a worker's greeting says it.
    stage.session.signing.hear({ name: null, epoch: 5, isSignedIn: true });
    stage.sent[0]?.answer('for nobody');
    await pass(1);
    expect([stage.sent.length, heard.ends]).toEqual([1, ['identity-changed']]);
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

  test('is handed a write, though there is no more room', async () => {
    const stage = new FirstVisitStage();
    for (let id = 1; id <= LIMITS.earlyAnswers; id += 1) await stage.call(id);
    for (const sent of stage.sent) sent.answer('from before the write');
    await pass(1);
    await stage.call(LIMITS.earlyAnswers + 1, PUT);
    stage.sent.at(-1)?.write();
    await pass(1);
    await stage.host.activate();
    const kinds = stage.host.life.told('adopt').flatMap(({ answers }) => answers.map(({ kind }) => kind));
    expect(kinds).toEqual(['read', 'write']);
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

  test('that asks when a write ends asks again, and is not told what may be from before it', async () => {
    const stage = new FirstVisitStage();
    const heard = await stage.declare({ firstIn: 0 });
    await stage.call(2, PUT);
    stage.sent[1]?.write();
    await pass(1);
    expect(stage.sent.map(({ isAborted }) => isAborted)).toEqual([true, false, false]);
    stage.sent[2]?.answer('after the write');
    await pass(1);
    expect([heard.steps, heard.gists]).toEqual([['ticking'], ['after the write']]);
  });

  test.each([
    ['pause', 0],
    ['slow', 1],
  ] as const)('of a hidden page asks as its declaration says: %s', async (hidden, asked) => {
    const stage = new FirstVisitStage();
    stage.session.presence.setHidden(true);
    await stage.declare({ firstIn: 0, pace: { kind: 'poll', interval: 5_000, hidden } });
    expect(stage.sent).toHaveLength(asked);
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
  const { invocation: STORED_ONLY } = submission(1, { policy: { cache: 'cache-only' } });
  const OTHERS: readonly (readonly [what: string, wish: Partial<LoopDeclaration>])[] = [
    ['waits for its first interval', { firstIn: 5_000 }],
    ['follows a feed', FEED],
    ['wants nothing but what is stored', { firstIn: 0, invocation: STORED_ONLY }],
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
