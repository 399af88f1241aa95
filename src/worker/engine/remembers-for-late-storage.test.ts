import { expect, test } from 'vitest';
import { json, unreachable } from '../platform/system.fixture.ts';
import type { Lookup } from '../contracts/response-store.ts';
import { gist } from './engine.fixture.ts';
import type { EngineStage } from './engine.fixture.ts';
import { call, counting } from './freshness.fixture.ts';

async function unknown(): Promise<Lookup<never>> {
  return { kind: 'unknown', error: 'late' };
}

/** The storage cannot tell anything, until the result is called. */
function late({ responses }: EngineStage): () => void {
  const [find, keys] = [responses.find.bind(responses), responses.keys.bind(responses)];
  Object.assign(responses, { find: unknown, keys: unknown });
  return () => Object.assign(responses, { find, keys });
}

const GERMAN = { headers: [['X-Lang', 'de']] } as const;

/** Two variants are stored, and the worker has forgotten that. */
async function stored(): Promise<EngineStage> {
  const stage = counting({ 'Cache-Control': 'max-age=60', Vary: 'X-Lang' });
  await call(stage);
  await call(stage, 'default', GERMAN);
  await stage.cache.settled();
  const next = stage.reborn();
  next.system.serve = () => json(['after'], { 'Cache-Control': 'max-age=60', Vary: 'X-Lang' });
  return next;
}

test('a write while the storage cannot tell outdates all the same', async () => {
  const stage = counting();
  await call(stage);
  await stage.cache.settled();
  const answers = late(stage);
  await call(stage, 'default', { method: 'PUT' });
  answers();
  stage.system.serve = () => json(['after']);
  expect(gist(await call(stage))).toEqual(['after']);
});

test('what nobody asks for is outdated as soon as the storage answers, for the next life of the worker too', async () => {
  const stage = await stored();
  const answers = late(stage);
  await call(stage, 'default', { method: 'PUT' });
  answers();
  await call(stage, 'default', { template: '/other' });
  await stage.cache.settled();
  const next = stage.reborn();
  for (const wish of [{}, GERMAN]) expect(gist(await call(next, 'default', wish))).toEqual(['after']);
});

test('a deletion while the storage cannot tell removes all the same', async () => {
  const stage = await stored();
  const answers = late(stage);
  await call(stage, 'default', { method: 'DELETE' });
  answers();
  for (const wish of [{}, GERMAN]) expect(gist(await call(stage, 'cache-only', wish))).toBe('offline');
  await stage.cache.settled();
  expect(await stage.entries).toBe(0);
});

test('a refusal while the storage cannot tell removes all the same', async () => {
  const stage = await stored();
  const answers = late(stage);
  stage.system.serve = () => json(null, {}, 403);
  await call(stage);
  answers();
  stage.system.serve = unreachable;
  expect(gist(await call(stage, 'cache-only'))).toBe('offline');
  // Of other variants nothing is known, but that they must be asked for.
  expect(await call(stage, 'cache-first', GERMAN)).toMatchObject({ kind: 'answered', stale: true });
});

test('an answer from after the write is fresh', async () => {
  const stage = await stored();
  const answers = late(stage);
  await call(stage, 'default', { method: 'PUT' });
  await call(stage);
  answers();
  stage.system.serve = unreachable;
  expect(gist(await call(stage))).toEqual(['after']);
});
