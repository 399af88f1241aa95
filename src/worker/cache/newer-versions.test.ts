import { expect, test } from 'vitest';
import { FakeSystem } from '../platform/system.fixture.ts';
import { OpenStore } from '../storage/response-store.fixture.ts';
import { foundIn } from '../contracts/response-store.ts';
import { Cache } from './cache.ts';
import { invocation, received } from './invocation.fixture.ts';
import type { Wish } from './invocation.fixture.ts';

const PHOTO = 'https://page.example/photo';
const WRITE = invocation({ method: 'PUT' });

function start(): { readonly system: FakeSystem; readonly cache: Cache } {
  const system = new FakeSystem();
  return { system, cache: new Cache(system, new OpenStore()) };
}

async function read(
  { cache, system }: ReturnType<typeof start>,
  etag: string,
  wish: Wish = {},
): Promise<void> {
  const call = invocation(wish);
  const answer = { ...received('[1]', [['ETag', etag]]), receivedAt: system.clock.now() };
  await cache.remember(call, PHOTO, await cache.recall(call, PHOTO), answer);
  await cache.settled();
}

test('an answer that was being stored as all was cleared names no version', async () => {
  const { cache } = start();
  const remembering = cache.remember(invocation(), PHOTO, null, received('[1]', [['ETag', '"a"']]));
  await cache.clear();
  await remembering;
  expect(foundIn(await cache.lastVersion(WRITE, PHOTO))).toBeNull();
});

test.each([false, true])(
  'the version that was read last is the newest, though the clock was set back since: %s',
  async (isSetBack) => {
    const stage = start();
    await read(stage, '"a"', { policy: { credentials: 'include' } });
    await stage.system.clock.advance(1_000);
    if (isSetBack) stage.system.clock.set(-86_400_000);
    await read(stage, '"b"');
    expect(foundIn(await stage.cache.lastVersion(WRITE, PHOTO))).toBe('"b"');
    expect(await stage.cache.lastKnownVersion(WRITE, PHOTO)).toBe('"b"');
  },
);
