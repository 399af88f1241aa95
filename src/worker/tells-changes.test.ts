import { describe, expect, test } from 'vitest';
import type { Cursor } from '../shared/cursor.ts';
import type { Revision } from '../shared/outcome.ts';
import type { Ticked } from '../shared/delivery.ts';
import type { LoopDeclaration } from '../shared/protocol.ts';
import { invocation } from './cache/invocation.fixture.ts';
import type { WorkerEngine } from './compose.ts';
import { houseOf } from './house.fixture.ts';
import { every } from './loops/stage.fixture.ts';
import { FakeSystem, json, until } from './platform/system.fixture.ts';
import { submission, Tab } from './tab.fixture.ts';
import { gists, ticks } from './ticks.fixture.ts';
import { settle } from './platform/virtual-clock.fixture.ts';

const INTERVAL = 1_000;

/** Far more than is worth comparing at all. */
const ROWS = 100;

/** A worker whose server has a list, and counts its states. */
class Worker {
  readonly world: FakeSystem = new FakeSystem();
  state = 1;
  #house = this.#compose();

  constructor() {
    this.world.serve = () => json(this.rows);
    this.world.grant();
  }

  get rows(): unknown[] {
    return Array.from({ length: ROWS }, (_, id) => ({
      id,
      title: `Photo ${id}`,
      state: id === 7 ? this.state : 0,
    }));
  }

  open(session = 'session 1'): Tab {
    return new Tab((source, envelope) => this.#house.receive(source, envelope), 'client 1', session);
  }

  /** The next life of the worker, over what this one has stored. */
  die(): void {
    this.#house = this.#compose();
  }

  /** Goes on until the next tick, with the server in its next state. */
  async change(...tabs: readonly Tab[]): Promise<void> {
    this.state += 1;
    const told = tabs.map((tab) => ticks(tab).length);
    await this.world.clock.advance(INTERVAL);
    await until(() => tabs.every((tab, index) => ticks(tab).length > (told[index] ?? 0)));
  }

  #compose(): WorkerEngine {
    return houseOf(this.world);
  }
}

async function follow(tab: Tab, wish: Partial<LoopDeclaration> = {}): Promise<void> {
  void tab.greet();
  await tab.declare({ pace: every(INTERVAL), ...wish });
  await until(() => ticks(tab).length > 0);
}

function revisionOf(tick: Ticked | undefined): Revision | null {
  return tick?.outcome.kind === 'answered' ? tick.outcome.revision : null;
}

describe('a page that follows a state', () => {
  test('is told the whole, then what has changed, then that nothing has', async () => {
    const worker = new Worker();
    const tab = worker.open();
    await follow(tab);
    await worker.change(tab);
    worker.state -= 1;
    await worker.change(tab);
    expect(gists(tab)).toEqual(['json', [2], []]);
  });

  test('is told what has changed since its answer of an earlier life of the worker', async () => {
    const worker = new Worker();
    const tab = worker.open();
    await follow(tab);
    const revision = revisionOf(ticks(tab)[0]);
    worker.die();
    worker.state = 2;
    const again = { revision, overdueBy: 0 };
    const later = worker.open('session 2');
    await follow(later, { again });
    expect(gists(later)).toEqual([[2]]);
  });

  test('is told for itself: one that joins the whole, the other what has changed', async () => {
    const worker = new Worker();
    const [one, other] = [worker.open(), worker.open('session 2')];
    await follow(one);
    await worker.change(one);
    await follow(other);
    await worker.change(one, other);
    expect([gists(one), gists(other)]).toEqual([
      ['json', [2], [3]],
      ['json', [3]],
    ]);
  });

  test('is told the newest alone when it could not keep up, and all that led to it', async () => {
    const worker = new Worker();
    const tab = worker.open();
    await follow(tab);
    tab.reachable = false;
    // As long as it is light, so much goes before the page is asked whether it keeps up.
    for (let state = 2; state <= 20; state += 1) {
      worker.state = state;
      await worker.world.clock.advance(INTERVAL);
      await until(() => worker.world.requests.length === state);
      await settle();
    }
    tab.reachable = true;
    await tab.greet();
    await until(() => ticks(tab).length >= 16);
    // One of the messages under way says which database is open.
    const each = Array.from({ length: 14 }, (_, index) => [index + 2]);
    expect(gists(tab)).toEqual(['json', ...each, [16, 17, 18, 19, 20]]);
  });
});

describe('an answer that is told parsed', () => {
  const cursor: Cursor = {
    kind: 'state',
    from: { kind: 'body', pointer: '/0/title' },
    plus: 0,
    to: { kind: 'query', name: 'since' },
    initial: null,
    catchUp: null,
  };

  test('is that of a loop whose place lies in it', async () => {
    const worker = new Worker();
    const tab = worker.open();
    await follow(tab, { cursor });
    await worker.change(tab);
    expect(gists(tab)).toEqual(['value', 'value']);
    expect(worker.world.requests[1]?.url).toContain('since=Photo%200');
  });

  test('is that of a request to catch up, which later changes are not told of', async () => {
    const worker = new Worker();
    const tab = worker.open();
    const catchUp = invocation({ template: '/state' });
    const from = { kind: 'header', name: 'X-Index' } as const;
    worker.world.serve = () => json(worker.rows, { 'X-Index': String(worker.state) });
    await follow(tab, { cursor: { ...cursor, from, catchUp } });
    expect(ticks(tab)).toMatchObject([{ isCatchUp: true }]);
    await worker.change(tab);
    await worker.change(tab);
    expect(gists(tab)).toEqual(['value', 'json', [3]]);
  });
});

describe('the answer to a call', () => {
  const large = { ...submission(1), id: 2 };

  test('is text where it is large', async () => {
    const worker = new Worker();
    worker.world.serve = () => json(Array.from({ length: 20 }, () => worker.rows));
    const tab = worker.open();
    void tab.greet();
    await tab.submitAll([large]);
    await until(() => tab.settled.length === 1);
    expect(tab.deliveries).toMatchObject([{ outcome: { answer: { body: { kind: 'json' } } } }]);
  });

  test('comes in chunks where it is a long list', async () => {
    const worker = new Worker();
    const long = Array.from({ length: 3_000 }, (_, id) => ({ id, text: 'x'.repeat(200) }));
    worker.world.serve = () => json({ rows: long });
    const tab = worker.open();
    void tab.greet();
    await tab.remote.submit([large]);
    await until(() => tab.settled.length === 1);
    const to = { id: 2 };
    const body = { kind: 'chunked', path: ['rows'], envelope: '{"rows":null}', chunks: 3 };
    expect(tab.deliveries).toMatchObject([
      { kind: 'chunk', to, index: 0 },
      { kind: 'chunk', to, index: 1 },
      { kind: 'chunk', to, index: 2 },
      { kind: 'settled', outcome: { answer: { body } } },
    ]);
    expect(tab.deliveries.flatMap((each) => (each.kind === 'chunk' ? JSON.parse(each.text) : []))).toEqual(
      long,
    );
  });
});
