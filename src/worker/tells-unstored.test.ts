import { describe, expect, test } from 'vitest';
import { houseOf } from './house.fixture.ts';
import { every } from './loops/stage.fixture.ts';
import { FakeSystem, json, until } from './platform/system.fixture.ts';
import { Tab } from './tab.fixture.ts';
import { bodyOf, gists, ticks } from './ticks.fixture.ts';

const INTERVAL = 1_000;

/** Far more than is worth comparing at all. */
const ROWS = 100;

/** A worker whose server has a list that is not to be stored. */
class Worker {
  readonly world: FakeSystem = new FakeSystem();
  state = 1;
  headers: Readonly<Record<string, string>> = { 'Cache-Control': 'no-store' };
  readonly #house = houseOf(this.world);

  constructor() {
    this.world.serve = () => json(this.rows, this.headers);
    this.world.grant();
  }

  get rows(): unknown[] {
    const stateOf = (id: number): number => (id === 7 ? this.state : 0);
    return Array.from({ length: ROWS }, (_, id) => ({ id, title: `Photo ${id}`, state: stateOf(id) }));
  }

  /** A page that follows the list. */
  async open(session = 'session 1'): Promise<Tab> {
    const tab = new Tab((source, envelope) => this.#house.receive(source, envelope), 'client 1', session);
    void tab.greet();
    await tab.declare({ pace: every(INTERVAL) });
    await until(() => ticks(tab).length > 0);
    return tab;
  }

  /** Goes on until the next tick, with the server in that state. */
  async change(state: number, ...tabs: readonly Tab[]): Promise<void> {
    this.state = state;
    const told = tabs.map((tab) => ticks(tab).length);
    await this.world.clock.advance(INTERVAL);
    await until(() => tabs.every((tab, index) => ticks(tab).length > (told[index] ?? 0)));
  }
}

describe('a page that follows a state that is not to be stored', () => {
  test('is told the whole, then what has changed, then that nothing has', async () => {
    const worker = new Worker();
    const tab = await worker.open();
    for (const state of [2, 3, 3]) await worker.change(state, tab);
    expect(gists(tab)).toEqual(['json', [2], [3], []]);
    for (const { outcome } of ticks(tab)) expect(outcome).toMatchObject({ revision: null, changed: true });
  });

  test('is told by names that its last answer went by', async () => {
    const worker = new Worker();
    const tab = await worker.open();
    await worker.change(2, tab);
    const [whole, patch] = ticks(tab).map(bodyOf);
    const name = whole?.kind === 'json' ? whole.as : undefined;
    expect(name).toBeDefined();
    expect(patch).toMatchObject({ from: name, as: { lineage: name?.lineage, number: 2 } });
  });

  test('is told for itself: one that joins the whole, the other what has changed', async () => {
    const worker = new Worker();
    const one = await worker.open();
    await worker.change(2, one);
    const other = await worker.open('session 2');
    await worker.change(3, one, other);
    expect([gists(one), gists(other)]).toEqual([
      ['json', [2], [3]],
      ['json', [3]],
    ]);
  });

  test('is told what has changed, too, where the answer before is stored, or the next may be', async () => {
    const worker = new Worker();
    const tab = await worker.open();
    const { headers } = worker;
    worker.headers = {};
    await worker.change(2, tab);
    await worker.change(3, tab);
    worker.headers = headers;
    await worker.change(4, tab);
    await worker.change(5, tab);
    expect(gists(tab)).toEqual(['json', [2], [3], [4], [5]]);
    const stored = ticks(tab).map(({ outcome }) => outcome.kind === 'answered' && outcome.revision !== null);
    expect(stored).toEqual([false, true, true, false, false]);
  });

  test('is told what has changed since its own answer, where that of a call was stored meanwhile', async () => {
    const worker = new Worker();
    const tab = await worker.open();
    const { headers } = worker;
    worker.state = 2;
    worker.headers = {};
    await tab.submit(1);
    await until(() => tab.settled.length === 1);
    worker.headers = headers;
    await worker.change(2, tab);
    // It is what is stored, of which the page knows nothing.
    expect(gists(tab)).toEqual(['json', 'json']);
  });

  test('is told the whole where the loop has begun anew: nothing is kept beyond its end', async () => {
    const worker = new Worker();
    const tab = await worker.open();
    await worker.change(2, tab);
    await tab.remote.control({ kind: 'stop', loop: 1 });
    await tab.declare({ pace: every(INTERVAL) });
    await worker.change(3, tab);
    expect(gists(tab).slice(0, 3)).toEqual(['json', [2], 'json']);
  });
});
