import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { Cache } from './cache.ts';
import { invocation, received } from './invocation.fixture.ts';
import { OpenStore } from '../storage/response-store.fixture.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';

const HOUR = 3_600_000;

/** A store that counts how often its keys are listed. */
class Listing extends OpenStore {
  listed = 0;

  override keys(after: string | null, limit: number): ReturnType<OpenStore['keys']> {
    this.listed += 1;
    return super.keys(after, limit);
  }
}

function url(n: number): string {
  return `https://page.example/${n}`;
}

/** A worker that has looked up its first answer. */
class Stage {
  now = 10 * HOUR;
  readonly store: Listing;
  readonly cache: Cache;
  #named = 0;

  constructor(shared?: OpenStore) {
    this.store = new Listing(shared);
    const system = {
      digest: async (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex'),
      pause: async () => {},
      clock: { now: () => this.now, sleep: () => Promise.resolve() },
      uuid: () => `name ${(this.#named += 1)}`,
    };
    this.cache = new Cache(system, this.store);
  }

  static async begun(shared?: OpenStore): Promise<Stage> {
    const stage = new Stage(shared);
    await stage.cache.peek(invocation(), url(0));
    return stage;
  }
}

test.each([0, -100, -HOUR])(
  'the keys are listed within two seconds, also where the clock is set by %i ms',
  async (set) => {
    const stage = await Stage.begun();
    stage.now += set;
    expect(stage.store.listed).toBe(0);
    for (let second = 0; second < 2; second += 1) {
      stage.now += 1_000;
      await stage.cache.peek(invocation(), url(second));
    }
    await settle();
    expect(stage.store.listed).toBeGreaterThan(0);
  },
);

/** Milliseconds after the first look-up: before the keys are listed, and after. */
const TIMES = [300, 1_300];

/** So many milliseconds later; the keys are listed by then if it is time. */
async function begunBefore(milliseconds: number, shared?: OpenStore): Promise<Stage> {
  const stage = await Stage.begun(shared);
  stage.now += milliseconds;
  await stage.cache.peek(invocation(), url(0));
  await settle();
  return stage;
}

const FORBIDDEN = received('[2]', [['Cache-Control', 'no-store']]);

test.each(TIMES)(
  'what is not stored, and must not be, costs no write %i ms after the start',
  async (later) => {
    const { cache, store } = await begunBefore(later);
    for (let n = 0; n < 200; n += 1) await cache.remember(invocation(), url(n), null, FORBIDDEN);
    await cache.settled();
    expect(store.changes).toEqual([]);
  },
);

test.each(TIMES)(
  'what an earlier worker stored goes with an answer that must not be %i ms after',
  async (later) => {
    const earlier = new Stage();
    await earlier.cache.remember(invocation(), url(1), null, received('[1]'));
    await earlier.cache.settled();
    const { cache, store } = await begunBefore(later, earlier.store);
    store.broken = true;
    await cache.remember(invocation(), url(1), null, FORBIDDEN);
    await cache.settled();
    store.broken = false;
    expect(await cache.recall(invocation(), url(1))).toBeNull();
  },
);

test.each(TIMES)(
  'an older answer that comes after one that must not be stored is not %i ms after',
  async (later) => {
    const { cache, store } = await begunBefore(later);
    await cache.remember(invocation(), url(1), null, { ...FORBIDDEN, asked: 2 });
    await cache.remember(invocation(), url(1), null, { ...received('[1]'), asked: 1 });
    await cache.settled();
    expect([store.records.size, await cache.recall(invocation(), url(1))]).toEqual([0, null]);
  },
);
