import { expect, test } from 'vitest';
import type { Wish } from './cache/invocation.fixture.ts';
import { houseOf } from './house.fixture.ts';
import { hold } from './storage/held-database.fixture.ts';
import { FakeSystem, json, unreachable, until } from './system.fixture.ts';
import { submission, Tab } from './tab.fixture.ts';
import { settle } from './virtual-clock.fixture.ts';

/** A worker with one page, whose server has a version to tell and says something else of it each time. */
class Worker {
  readonly world: FakeSystem;
  readonly tab: Tab;
  version = 1;
  #requests = 0;
  #calls = 0;

  constructor(world: FakeSystem = new FakeSystem()) {
    this.world = world;
    world.grant();
    world.serve = ({ headers }) => this.#answer(headers);
    const house = houseOf(world);
    this.tab = new Tab((source, envelope) => house.receive(source, envelope));
    void this.tab.greet();
  }

  /** What a call is told, or what it fails with. */
  async get(wish: Wish): Promise<unknown> {
    const id = (this.#calls += 1);
    await this.tab.submitAll([submission(id, wish)]);
    for (let turn = 0; turn < 30 && !this.tab.settled.includes(id); turn += 1) {
      await settle();
      await this.world.clock.advance(100);
    }
    const last = this.tab.deliveries.findLast((each) => each.kind === 'settled' && each.id === id);
    if (last?.kind !== 'settled') return null;
    const { outcome } = last;
    if (outcome.kind === 'failed') return outcome.failure.code;
    const { body } = outcome.answer;
    return body.kind === 'json' ? JSON.parse(body.text) : body.kind === 'value' ? body.value : body.kind;
  }

  async pass(): Promise<void> {
    await settle();
    await this.world.clock.advance(60_000);
    await until(() => this.tab.held === 0);
    await this.world.clock.advance(60_000);
  }

  #answer(headers: Headers): Response {
    const said = { ETag: `"v${this.version}"`, 'X-Request-Id': `${(this.#requests += 1)}` };
    const isKnown = headers.get('If-None-Match') === said.ETag;
    return isKnown
      ? new Response(null, { status: 304, headers: said })
      : json({ version: this.version }, said);
  }
}

/** What the next worker tells that finds these databases, without a network. */
async function toldNext({ indexedDB }: FakeSystem, wish: Wish): Promise<unknown> {
  const next = new Worker(Object.assign(new FakeSystem(), { indexedDB }));
  next.world.serve = () => unreachable();
  return next.get(wish);
}

test.each([1, 2])(
  'an answer that was told to %s calls while its storage was late is stored',
  async (times) => {
    const wish = { policy: { revalidate: true } };
    const worker = new Worker();
    await worker.get(wish);
    await worker.pass();
    worker.version = 2;
    const release = await hold(worker.world);
    for (let nth = 0; nth < times; nth += 1) expect(await worker.get(wish)).toEqual({ version: 2 });
    await worker.world.clock.advance(2_500);
    release();
    await worker.pass();
    expect(await toldNext(worker.world, wish)).toEqual({ version: 2 });
  },
);
