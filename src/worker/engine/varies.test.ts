import { describe, expect, test } from 'vitest';
import type { Header } from '../../shared/header.ts';
import { json, unreachable } from '../platform/system.fixture.ts';
import { EngineStage, gist } from './engine.fixture.ts';
import { invocation } from '../cache/invocation.fixture.ts';
import { call, counting, FOR_A_MINUTE } from './freshness.fixture.ts';

const BY_LANGUAGE = { ...FOR_A_MINUTE, Vary: 'Accept-Language' };

/** A stage whose hook sets a header, as long as the value is not empty. */
function hooked(stage: EngineStage, name: string): (value: string) => void {
  let set = '';
  stage.hook = (request) => {
    if (set !== '') request.setRequestHeader(name, set);
  };
  return (value) => void (set = value);
}

describe('what the worker hook sets', () => {
  test('is nothing to an answer that does not vary by it', async () => {
    const stage = counting();
    const trace = hooked(stage, 'Traceparent');
    trace('1');
    await call(stage);
    trace('2');
    expect(gist(await call(stage))).toEqual([1]);
  });

  test('gets another answer, if answers vary by it, and not the validators of the one that is stored', async () => {
    const stage = counting(BY_LANGUAGE);
    const speak = hooked(stage, 'Accept-Language');
    await call(stage);
    speak('de');
    expect(gist(await stage.invoke())).toEqual([2]);
    expect(stage.sent(1, 'if-none-match')).toBeNull();
    expect(gist(await call(stage))).toEqual([2]);
    speak('en');
    expect(gist(await call(stage))).toEqual([3]);
    expect(gist(await stage.invoke())).toEqual([4]);
    expect(stage.sent(3, 'if-none-match')).toBe('"1"');
    speak('');
    expect(gist(await call(stage))).toEqual([5]);
  });

  test('counts in the next life of the worker', async () => {
    const stage = counting(BY_LANGUAGE);
    hooked(stage, 'Accept-Language')('de');
    await call(stage);
    await stage.cache.settled();
    const next = stage.reborn();
    hooked(next, 'Accept-Language')('de');
    expect(gist(await call(next))).toEqual([1]);
    const other = stage.reborn();
    hooked(other, 'Accept-Language')('en');
    expect(gist(await call(other))).toEqual([2]);
  });

  test('has nothing stand for its failures but what was answered to it', async () => {
    const stage = counting(BY_LANGUAGE);
    const speak = hooked(stage, 'Accept-Language');
    speak('de');
    await call(stage);
    stage.system.serve = unreachable;
    expect(gist(await call(stage))).toEqual([1]);
    speak('en');
    expect(gist(await call(stage, 'network-first'))).toBe('network');
  });
});

describe('credentials that the worker hook sets', () => {
  test('get no answer to others, not even where the network is gone', async () => {
    const stage = counting();
    const login = hooked(stage, 'Authorization');
    login('anna');
    await call(stage);
    expect(gist(await call(stage))).toEqual([1]);
    stage.system.serve = unreachable;
    for (const other of ['bert', '']) {
      login(other);
      expect(gist(await call(stage, 'cache-first'))).toBe('network');
    }
    login('anna');
    expect(gist(await call(stage, 'network-first'))).toEqual([1]);
  });

  test('find nothing from another life of the worker', async () => {
    const stage = counting();
    hooked(stage, 'Authorization')('anna');
    await call(stage);
    await stage.cache.settled();
    const next = stage.reborn();
    hooked(next, 'Authorization')('anna');
    next.system.serve = unreachable;
    expect(gist(await call(next))).toBe('network');
    expect(await next.newest()).toBeNull();
    expect(await next.part({ pointer: '', start: 0, count: 1 })).toEqual({ kind: 'not-stored' });
  });

  test('get from the cache alone no answer to others either', async () => {
    const stage = counting();
    const login = hooked(stage, 'Authorization');
    login('anna');
    await call(stage);
    login('bert');
    expect(gist(await call(stage, 'cache-only'))).toBe('offline');
    login('');
    expect(gist(await call(stage, 'cache-only'))).toBe('offline');
    login('anna');
    expect(gist(await call(stage, 'cache-only'))).toEqual([1]);
    stage.hook = () => {
      throw new Error('no user');
    };
    expect((await call(stage, 'cache-only')).kind).toBe('failed');
    expect(stage.system.requests).toHaveLength(1);
  });

  test('are not asked for where nothing is asked but the cache', async () => {
    const stage = counting();
    await call(stage);
    stage.hook = () => {
      throw new Error('must not run');
    };
    expect(gist(await call(stage, 'cache-only'))).toEqual([1]);
    const headers: [string, string][] = [['Cache-Control', 'only-if-cached']];
    expect(gist(await call(stage, 'default', { headers }))).toEqual([1]);
    expect(gist(await call(stage, 'cache-only', { template: '/other' }))).toBe('offline');
  });
});

test('of two calls with other headers, the answer to the one that was asked for later stays', async () => {
  const stage = new EngineStage();
  const answers: ((text: string) => void)[] = [];
  stage.system.serve = () =>
    new Promise((resolve) => answers.push((text) => resolve(json(text, FOR_A_MINUTE))));
  const first = call(stage, 'default', { headers: [['Traceparent', '1']] });
  await stage.system.clock.advance(0);
  const second = call(stage, 'default', { headers: [['Traceparent', '2']] });
  await stage.system.clock.advance(0);
  answers[1]?.('new');
  expect(gist(await second)).toBe('new');
  answers[0]?.('old');
  expect(gist(await first)).toBe('old');
  expect(gist(await call(stage, 'default', { headers: [['Traceparent', '3']] }))).toBe('new');
  expect(stage.system.requests).toHaveLength(2);
});

test('where another origin keeps its Vary to itself, answers to other headers are other answers', async () => {
  const stage = counting();
  const ask = (language: string): Promise<unknown> => {
    const headers: Header[] = [...invocation().headers, ['Accept-Language', language]];
    return stage
      .call({ template: 'https://api.example/photo', headers, policy: { revalidate: false } })
      .then((outcome) => outcome.kind === 'answered' && outcome.servedFrom);
  };
  expect(await ask('de')).toBe('network');
  expect(await ask('en')).toBe('network');
  expect(await ask('de')).toBe('cache');
});

describe('a 304 that names more headers than the stored answer varies by', () => {
  test.each(['*', 'X-Lang', 'Accept-Encoding, X-Lang'])(
    'is followed by a request for the whole: %s',
    async (vary) => {
      const stage = counting();
      await call(stage);
      stage.system.serve = () =>
        new Response(null, { status: 304, headers: { ...FOR_A_MINUTE, Vary: vary } });
      await stage.invoke();
      stage.system.serve = () => json(['whole'], { ...FOR_A_MINUTE, Vary: vary });
      expect(gist(await call(stage, 'default', { headers: [['X-Lang', 'de']] }))).toEqual(['whole']);
      expect(stage.sent(2, 'if-none-match')).toBeNull();
    },
  );

  test('leaves it fresh where they are those of the browser', async () => {
    const stage = counting();
    await call(stage);
    const headers = { ...FOR_A_MINUTE, Vary: 'Accept-Encoding, Origin' };
    stage.system.serve = () => new Response(null, { status: 304, headers });
    await stage.invoke();
    stage.system.serve = unreachable;
    expect(gist(await call(stage))).toEqual([1]);
  });
});
