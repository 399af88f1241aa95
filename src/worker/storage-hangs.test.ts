import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { houseOf } from './house.fixture.ts';
import { cursor } from './feeds/feed.fixture.ts';
import { HangingFactory } from './storage/hanging-database.fixture.ts';
import { FakeSystem, json } from './platform/system.fixture.ts';
import { submission, Tab } from './tab.fixture.ts';
import { settle } from './platform/virtual-clock.fixture.ts';

/** Milliseconds within which a call is answered from the network, whatever the database does. */
const ANSWERED_IN = 4_000;

/** A worker with one page that follows a feed of numbered changes, three at most in each answer. */
class Worker {
  readonly indexedDB: HangingFactory = new HangingFactory();
  readonly world: FakeSystem = Object.assign(new FakeSystem(), { indexedDB: this.indexedDB });
  readonly tab: Tab;
  last = 0;
  #calls = 0;

  constructor() {
    const house = houseOf(this.world);
    this.world.serve = ({ url }) => (url.includes('/changes') ? this.#changes(url) : json({ url }, ETAG));
    this.tab = new Tab((source, envelope) => house.receive(source, envelope));
    this.world.grant();
  }

  /** Makes calls, one of which has been made before, and says how many were not answered in time. */
  async call(): Promise<number> {
    const ids = [(this.#calls += 1), (this.#calls += 1)];
    const templates = ['/often', `/once/${this.#calls}`];
    await this.tab.submitAll(ids.map((id, nth) => submission(id, { template: templates[nth] ?? '' })));
    await this.world.clock.advance(ANSWERED_IN);
    await settle();
    return ids.filter((id) => !this.tab.settled.includes(id)).length;
  }

  /** The changes that the page was told, in order; `null` for a place that was lost. */
  get told(): (number | null)[] {
    return this.tab.deliveries.flatMap((each) => {
      if (each.kind === 'reset') return [null];
      if (each.kind !== 'tick' || each.outcome.kind === 'failed' || !each.entry) return [];
      const { body } = each.outcome.answer;
      const { from, last } = Object(body.kind === 'value' ? body.value : null);
      return Array.from({ length: last - from + 1 }, (_, nth) => from + nth);
    });
  }

  #changes(url: string): Response {
    const since = Number(new URL(url).searchParams.get('since') ?? 0);
    const last = Math.min(this.last, since + 3);
    return last > since ? json({ from: since + 1, last }) : new Response(null, { status: 204 });
  }
}

const ETAG = { ETag: '"1"' };

const step = fc.oneof(
  fc.record({ kind: fc.constant('hang' as const), transactions: fc.nat(6) }),
  fc.record({ kind: fc.constant('news' as const), changes: fc.integer({ min: 1, max: 5 }) }),
  fc.constant({ kind: 'call' as const }),
);

test('whatever transactions hang, calls are answered in time and no entry of a feed is lost', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 10 }), async (steps) => {
      const worker = new Worker();
      const { tab, world, indexedDB } = worker;
      void tab.greet();
      await settle();
      await tab.declare({
        loop: 1,
        pace: { kind: 'poll', interval: 1_000, hidden: 'slow' },
        cursor: cursor(),
        invocation: submission(0, { template: '/changes' }).invocation,
      });
      for (const each of steps) {
        const { begun } = indexedDB;
        if (each.kind === 'hang') indexedDB.hangs = (nth) => nth <= begun + each.transactions;
        if (each.kind === 'news') worker.last += each.changes;
        expect(each.kind === 'call' ? await worker.call() : 0).toBe(0);
      }
      indexedDB.hangs = () => false;
      await world.clock.advance(180_000);
      await settle();
      expect(worker.told).toEqual(Array.from({ length: worker.last }, (_, nth) => nth + 1));
    }),
    { numRuns: 10 },
  );
});
