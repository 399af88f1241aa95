import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { Cache } from './cache.ts';
import { invocation } from './invocation.fixture.ts';
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
  readonly store: Listing = new Listing();
  readonly cache: Cache;
  #named = 0;

  constructor() {
    const system = {
      digest: async (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex'),
      pause: async () => {},
      clock: { now: () => this.now, sleep: () => Promise.resolve() },
      uuid: () => `name ${(this.#named += 1)}`,
    };
    this.cache = new Cache(system, this.store);
  }

  static async begun(): Promise<Stage> {
    const stage = new Stage();
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
