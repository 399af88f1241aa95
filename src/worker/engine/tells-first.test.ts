import { describe, expect, test } from 'vitest';
import type { CachePolicy } from '../../shared/invocation.ts';
import type { Outcome } from '../../shared/outcome.ts';
import type { Wish } from '../cache/invocation.fixture.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { hold } from '../storage/held-database.fixture.ts';
import { Deferred } from '../platform/waiting.ts';
import { json, unreachable, until } from '../platform/system.fixture.ts';
import type { EngineStage } from './engine.fixture.ts';
import { gist } from './engine.fixture.ts';
import { call, counting, FOR_A_MINUTE, seconds } from './freshness.fixture.ts';

const STALE = { 'Cache-Control': 'max-age=0' };
const STORED_FIRST = { policy: { storedFirst: true } };

/** A worker that has stored `[1]`. */
async function having(headers: Readonly<Record<string, string>> = STALE): Promise<EngineStage> {
  const stage = counting(headers);
  await call(stage);
  await seconds(stage, 5);
  return stage;
}

/** The server answers when the returned function is called. */
function holdServer({ system }: EngineStage): () => void {
  const answered = new Deferred();
  system.serve = async () => {
    await answered.promise;
    return json(['late']);
  };
  return () => answered.resolve();
}

const told = ({ first }: EngineStage): unknown[] => first.map(gist);

/** A call whose server answers once all was told that can be. */
async function slowCall(
  stage: EngineStage,
  cache: CachePolicy = 'default',
  wish: Wish = {},
): Promise<Outcome> {
  const { serve } = stage.system;
  let isOver = false;
  stage.system.serve = async (seen) => {
    await until(() => isOver);
    return serve(seen);
  };
  const calling = call(stage, cache, { ...wish, policy: { storedFirst: true, ...wish.policy } });
  for (let turn = 0; turn < 20; turn += 1) await settle();
  isOver = true;
  return calling;
}

/** Reads of bodies wait until the returned function is called. */
function holdBodies({ responses }: EngineStage): () => void {
  const read = responses.body.bind(responses);
  const released = new Deferred();
  responses.body = async (...of) => {
    const body = await read(...of);
    await released.promise;
    return body;
  };
  return () => released.resolve();
}

test('what is stored is told while the server is asked', async () => {
  const stage = await having();
  const answer = holdServer(stage);
  const calling = call(stage, 'default', STORED_FIRST);
  await until(() => stage.first.length === 1);
  expect(stage.first[0]).toMatchObject({
    answer: { body: { value: [1] } },
    servedFrom: 'cache',
    stale: true,
    age: 5,
    revision: { number: 1 },
    request: { url: 'https://page.example/photo' },
  });
  expect(stage.system.requests).toHaveLength(2);
  answer();
  expect(await calling).toMatchObject({ servedFrom: 'network', answer: { body: { value: ['late'] } } });
  expect(told(stage)).toEqual([[1]]);
});

test('what is fresh is told once, as the answer', async () => {
  const stage = await having(FOR_A_MINUTE);
  expect(await call(stage, 'default', STORED_FIRST)).toMatchObject({ servedFrom: 'cache', stale: false });
  expect([told(stage), stage.system.requests.length]).toEqual([[], 1]);
});

test('a reload is told what is fresh, as such, before the server’s answer', async () => {
  const stage = await having(FOR_A_MINUTE);
  const wish = { policy: { revalidate: true } };
  expect(gist(await slowCall(stage, 'default', wish))).toEqual([2]);
  expect(stage.first).toMatchObject([
    { stale: false, servedFrom: 'cache', answer: { body: { value: [1] } } },
  ]);
});

test('nothing is told where nothing is stored, nor to a call that did not ask for it', async () => {
  const stage = counting(STALE);
  await slowCall(stage);
  await slowCall(stage, 'default', { policy: { storedFirst: false } });
  expect(told(stage)).toEqual([]);
});

test('a 304 confirms what was told', async () => {
  const stage = await having({ ...STALE, ETag: '"1"' });
  stage.system.serve = () => new Response(null, { status: 304 });
  const wish = { policy: { revalidate: true } };
  expect(await slowCall(stage, 'default', wish)).toMatchObject({
    servedFrom: 'network',
    confirmed: true,
    changed: false,
    revision: { number: 1 },
  });
  expect(told(stage)).toEqual([[1]]);
});

test('without a network the stored answer is the answer too', async () => {
  const stage = await having();
  stage.system.serve = unreachable;
  expect(await slowCall(stage)).toMatchObject({ servedFrom: 'cache', stale: true });
  expect(told(stage)).toEqual([[1]]);
});

test.each<[CachePolicy, Readonly<Record<string, string>>, unknown[]]>([
  ['network-first', FOR_A_MINUTE, [[1]]],
  ['strict', STALE, [[1]]],
  ['strict', { 'Cache-Control': 'no-cache' }, []],
  ['strict', { 'Cache-Control': 'max-age=0, must-revalidate' }, []],
  ['default', { 'Cache-Control': 'no-cache' }, [[1]]],
  ['default', { ...STALE, Vary: 'Cookie' }, []],
  ['network-only', STALE, []],
])('by %j, after %j, %j is told first', async (policy, headers, expected) => {
  const stage = await having(headers);
  await slowCall(stage, policy);
  expect(told(stage)).toEqual(expected);
});

test('what the worker hook may have made another user’s is not told', async () => {
  const stage = await having();
  stage.hook = (request) => request.setRequestHeader('Authorization', 'bert');
  await slowCall(stage);
  expect(told(stage)).toEqual([]);
});

describe('a storage that is late', () => {
  test('holds no request, and what it has is told when it comes', async () => {
    const stage = await having();
    await stage.cache.settled();
    const next = stage.reborn();
    const release = await hold(stage.system);
    const answer = holdServer(next);
    const calling = call(next, 'default', STORED_FIRST);
    await seconds(next, 1);
    expect([next.system.requests.length, told(next)]).toEqual([2, []]);
    release();
    await until(() => next.first.length === 1);
    answer();
    expect(gist(await calling)).toEqual(['late']);
  });

  test('is not heard after the answer', async () => {
    const stage = await having();
    await stage.cache.settled();
    const next = stage.reborn();
    const release = await hold(stage.system);
    const calling = call(next, 'default', STORED_FIRST);
    await seconds(next, 3);
    await calling;
    release();
    await next.cache.settled();
    expect(told(next)).toEqual([]);
  });
});

describe('a stored answer is not told first', () => {
  test('after a newer one of its URL', async () => {
    const stage = await having();
    const release = holdBodies(stage);
    const answer = holdServer(stage);
    const calling = call(stage, 'default', STORED_FIRST);
    await until(() => stage.system.requests.length === 2);
    stage.system.serve = () => json(['newer']);
    await stage.invoke();
    release();
    await until(() => stage.engine.reads === 2);
    answer();
    await calling;
    expect(told(stage)).toEqual([]);
  });

  test('after a write to its URL that finished meanwhile', async () => {
    const stage = await having();
    const release = holdBodies(stage);
    const answer = holdServer(stage);
    const calling = call(stage, 'default', STORED_FIRST);
    await until(() => stage.system.requests.length === 2);
    stage.system.serve = () => json('put');
    await call(stage, 'default', { method: 'PUT' });
    release();
    await until(() => stage.engine.reads === 2);
    answer();
    await calling;
    expect(told(stage)).toEqual([]);
  });
});
