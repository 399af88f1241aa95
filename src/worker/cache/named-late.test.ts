import { expect, test } from 'vitest';
import { LIMITS } from '../../shared/limits.ts';
import type { Place } from '../contracts/root-store.ts';
import { FakeSystem } from '../platform/system.fixture.ts';
import { Deferred } from '../platform/waiting.ts';
import { Partitions } from '../storage/partitions.ts';
import { Responses } from '../storage/responses.ts';
import { Cache } from './cache.ts';
import { invocation, received } from './invocation.fixture.ts';

const PHOTO = 'https://page.example/photo';
const NOW = new FakeSystem().clock.now();
const [OLD, NEW] = ['old', 'new'];
const OTHER = 'https://page.example/other';

function cacheOf(system: FakeSystem, place: string | Promise<Place>, isEncrypted: boolean): Cache {
  const database = new Partitions(system, '/', () => {}, isEncrypted).open(place);
  return new Cache(system, new Responses(system, database), undefined, true);
}

function remember(
  cache: Cache,
  text: string,
  url: string = PHOTO,
  control = 'max-age=60000',
): Promise<unknown> {
  const answer = { ...received(text, [['Cache-Control', control]]), receivedAt: NOW };
  return cache.remember(invocation(), url, null, answer);
}

/** Two answers are stored, and the next worker has not learned yet where. */
async function late(isEncrypted: boolean) {
  const system = new FakeSystem();
  const earlier = cacheOf(system, 'default', isEncrypted);
  for (const url of [PHOTO, OTHER]) await remember(earlier, OLD, url);
  await earlier.settled();
  const { promise, resolve } = new Deferred<Place>();
  const cache = cacheOf(system, promise, isEncrypted);
  const peeking = cache.peek(invocation(), PHOTO);
  await system.clock.advance(LIMITS.transaction);
  expect(await peeking).toBeNull();
  const place = async (): Promise<void> => {
    resolve({ kind: 'database', partition: 'default', owner: null });
    await promise;
  };
  return { system, cache, place };
}

/** How the answers to those URLs stand, once it is known where they are, which it was not while `work` was done. */
async function standingAfter(
  isEncrypted: boolean,
  work: (cache: Cache) => Promise<unknown>,
  ...urls: string[]
): Promise<unknown> {
  const { system, cache, place } = await late(isEncrypted);
  void work(cache);
  await system.clock.advance(10);
  await place();
  await system.clock.advance(1_000);
  const standings: unknown[] = [];
  for (const url of urls) {
    const found = await cache.recall(invocation(), url);
    const standing = found && cache.standingOf(invocation(), found);
    const told = found && (await cache.body(found));
    standings.push(found && [standing, new TextDecoder().decode(told ?? undefined)]);
  }
  return standings;
}

test.each([
  ['a write', true, (cache: Cache) => cache.outdateAll(PHOTO), ['stale', OLD]],
  ['a deletion', true, (cache: Cache) => cache.removeAll(PHOTO), null],
  ['an answer', true, (cache: Cache) => remember(cache, NEW), null],
  ['an answer not to store', true, (cache: Cache) => remember(cache, NEW, PHOTO, 'no-store'), null],
  ['a refusal', true, (cache: Cache) => cache.withdraw(invocation(), PHOTO, []), null],
  ['a write', false, (cache: Cache) => cache.outdateAll(PHOTO), ['stale', OLD]],
  ['a deletion', false, (cache: Cache) => cache.removeAll(PHOTO), null],
  ['an answer', false, (cache: Cache) => remember(cache, NEW), ['fresh', NEW]],
  ['an answer not to store', false, (cache: Cache) => remember(cache, NEW, PHOTO, 'no-store'), null],
  ['a refusal', false, (cache: Cache) => cache.withdraw(invocation(), PHOTO, []), null],
] as const)(
  'what %s says while it is not known where answers are holds once it is; encrypted: %s',
  async (_, isEncrypted, work, standing) => {
    expect(await standingAfter(isEncrypted, work, PHOTO, OTHER)).toEqual([standing, ['fresh', OLD]]);
    expect(await standingAfter(isEncrypted, work, OTHER, PHOTO)).toEqual([['fresh', OLD], standing]);
  },
);

test.each([true, false])(
  'an answer told meanwhile has what was stored before it gone from the disk, with no other call; encrypted: %s',
  async (isEncrypted) => {
    const { system, cache, place } = await late(isEncrypted);
    void remember(cache, NEW);
    await system.clock.advance(10);
    await place();
    for (let second = 0; second < 60; second += 1) await system.clock.advance(1_000);
    const next = cacheOf(system, 'default', isEncrypted);
    const found = await next.recall(invocation(), PHOTO);
    const body = found && (await next.body(found));
    expect(body && new TextDecoder().decode(body)).toBe(isEncrypted ? null : NEW);
    expect(await next.recall(invocation(), OTHER)).not.toBeNull();
    expect((await next.inspect()).entries).toBe(isEncrypted ? 1 : 2);
  },
);
