import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Cache } from './cache.ts';
import type { ResponseStore } from './cache.ts';
import { invocation, received } from './invocation.fixture.ts';
import { Responses } from '../storage/responses.ts';
import { Database } from '../storage/database.ts';
import { HangingFactory } from '../storage/hanging-database.fixture.ts';
import { FakeSystem } from '../platform/system.fixture.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';

const DAY = 86_400_000;

/** So many answers are asked for. */
const URLS = 21;

/** Keys that are listed at a time: few, so that much happens between two slices. */
const SLICE = 3;

function sliced(responses: Responses): ResponseStore {
  return new Proxy(responses, {
    get(target, name) {
      if (name === 'keys') return (after: string | null) => target.keys(after, SLICE);
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** A worker over databases that may hang, and what should be stored there. */
class Life {
  readonly system: FakeSystem;
  readonly cache: Cache;
  readonly model: Map<number, string>;

  /** Each one lives days after the one before, so that its lineages are younger. */
  constructor(indexedDB: HangingFactory, days: number, model = new Map<number, string>()) {
    this.system = Object.assign(new FakeSystem(), { indexedDB });
    this.system.clock.set(days * DAY);
    const database = new Database(this.system, '/#default', () => {});
    this.cache = new Cache(this.system, sliced(new Responses(this.system, database)));
    this.model = model;
  }

  async write(nth: number, text: string): Promise<void> {
    this.model.set(nth, text);
    await this.#answer(nth, text);
  }

  async forbid(nth: number): Promise<void> {
    this.model.delete(nth);
    await Promise.all([this.#answer(nth, 'no', [['Cache-Control', 'no-store']]), this.#wait()]);
  }

  async withdraw(nth: number): Promise<void> {
    this.model.delete(nth);
    await Promise.all([this.cache.withdraw(invocation(), url(nth), []), this.#wait()]);
  }

  async #answer(nth: number, text: string, headers: [string, string][] = []): Promise<void> {
    const answer = { ...received(text, headers), receivedAt: this.system.clock.now() };
    await this.cache.remember(invocation(), url(nth), null, answer);
  }

  /** Until a look-up is late. */
  async #wait(): Promise<void> {
    await this.system.clock.advance(2_500);
    await settle();
  }

  /** What is stored of each URL, as far as the worker says. */
  async served(): Promise<(string | null)[]> {
    const texts: (string | null)[] = [];
    for (let nth = 0; nth < URLS; nth += 1) {
      const found = await this.cache.peek(invocation(), url(nth));
      const body = found && (await this.cache.body(found));
      texts.push(body && new TextDecoder().decode(body));
    }
    return texts;
  }
}

function url(nth: number): string {
  return `https://page.example/${nth}`;
}

const ofOne = (['write', 'peek', 'remove', 'withdraw', 'forbid'] as const).map((kind) =>
  fc.record({ kind: fc.constant(kind), nth: fc.nat(URLS - 1) }),
);
const step = fc.oneof(
  ...ofOne,
  fc.record({ kind: fc.constant('hang' as const), transactions: fc.nat(8) }),
  fc.record({ kind: fc.constant('set' as const), by: fc.constantFrom(-3_600_000, 3_600_000) }),
  fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(0, 1, 500, 1_000, 2_000, 10_000) }),
);

test('only what is known to be absent is taken for that, however the database hangs while keys are listed', async () => {
  let texts = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.nat(URLS - 1), async (steps, before) => {
      const indexedDB = new HangingFactory();
      const earlier = new Life(indexedDB, 1);
      for (let nth = 0; nth < before; nth += 1) await earlier.write(nth, `${(texts += 1)}`);
      await earlier.cache.settled();
      const life = new Life(indexedDB, 2, earlier.model);
      const { cache, system, model } = life;
      await cache.peek(invocation(), url(URLS));
      for (const each of steps) {
        const { begun } = indexedDB;
        if (each.kind === 'write') await life.write(each.nth, `${(texts += 1)}`);
        if (each.kind === 'peek') void cache.peek(invocation(), url(each.nth));
        if (each.kind === 'withdraw') await life.withdraw(each.nth);
        if (each.kind === 'forbid') await life.forbid(each.nth);
        if (each.kind === 'remove') void cache.removeAll(url(each.nth));
        if (each.kind === 'remove') model.delete(each.nth);
        if (each.kind === 'hang') indexedDB.hangs = (nth) => nth > begun && nth <= begun + each.transactions;
        if (each.kind === 'set') system.clock.set(each.by);
        if (each.kind === 'pass') await system.clock.advance(each.ms);
      }
      indexedDB.hangs = () => false;
      for (let second = 0; second < 200; second += 1) await system.clock.advance(1_000);
      const stored = Array.from({ length: URLS }, (_, nth) => model.get(nth) ?? null);
      expect(await life.served()).toEqual(stored);
      await system.clock.advance(5_000);
      expect(await life.served()).toEqual(stored);
      expect(await new Life(indexedDB, 3).served()).toEqual(stored);
    }),
    { numRuns: 25 },
  );
});
