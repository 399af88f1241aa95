import { expect, test } from 'vitest';
import type { Delivery } from '../shared/delivery.ts';
import { houseOf } from './house.fixture.ts';
import { FakeSystem, json, until } from './platform/system.fixture.ts';
import { settle } from './platform/virtual-clock.fixture.ts';
import { submission, Tab } from './tab.fixture.ts';

const STORED_FIRST = { policy: { storedFirst: true } };

/** A worker whose server has a list in some state, and answers when it is let. */
class Worker {
  readonly world: FakeSystem = new FakeSystem();
  readonly #house = houseOf(this.world, { chunk: 50_000 });
  state = 1;
  /** Lets the server answer. */
  answer: () => void = () => {};

  constructor() {
    this.world.grant();
    this.world.serve = () => json(this.#rows, { 'Cache-Control': 'max-age=0' });
  }

  get #rows(): unknown[] {
    return Array.from({ length: 400 }, (_, id) => ({ state: this.state, id, text: 'x'.repeat(400) }));
  }

  /** A tab that has had the list. */
  async open(): Promise<Tab> {
    const tab = new Tab((source, envelope) => this.#house.receive(source, envelope));
    await tab.greet();
    await tab.submit(1);
    await until(() => tab.settled.length === 1);
    tab.deliveries.length = 0;
    return tab;
  }

  holdServer(): void {
    this.state += 1;
    const { serve } = this.world;
    this.world.serve = (seen) =>
      new Promise((resolve) => {
        this.answer = () => resolve(serve(seen));
      });
  }
}

/** What a tab was told of its call, with the state that each whole answer is about. */
function told({ deliveries }: Tab): string[] {
  return deliveries.flatMap((delivery, index) => {
    if (delivery.kind === 'chunk') return [];
    if (!('outcome' in delivery)) return [delivery.kind];
    return `${delivery.kind} ${stateIn(deliveries.slice(0, index).findLast(isFirstChunk)) ?? 'failed'}`;
  });
}

function isFirstChunk(delivery: Delivery): boolean {
  return delivery.kind === 'chunk' && delivery.index === 0;
}

function stateIn(delivery: Delivery | undefined): string | undefined {
  return delivery?.kind === 'chunk' ? /"state":(\d+)/.exec(delivery.text)?.[1] : undefined;
}

test('a page is told the stored answer, in chunks, and then the server’s, in chunks of its own', async () => {
  const worker = new Worker();
  const tab = await worker.open();
  worker.holdServer();
  void tab.submitAll([submission(2, STORED_FIRST)]);
  await until(() => told(tab).length === 1);
  expect(told(tab)).toEqual(['preliminary 1']);
  worker.answer();
  await until(() => tab.settled.length === 1);
  expect(told(tab)).toEqual(['preliminary 1', 'settled 2']);
  for (const state of ['1', '2']) {
    const rows = tab.deliveries.flatMap((each): unknown[] =>
      each.kind === 'chunk' && each.text.includes(`"state":${state}`) ? JSON.parse(each.text) : [],
    );
    expect(rows).toHaveLength(400);
  }
});

test('a page that takes nothing meanwhile is told the server’s answer alone', async () => {
  const worker = new Worker();
  const tab = await worker.open();
  worker.holdServer();
  tab.reachable = false;
  // Its answer is on its way, so that what comes next waits.
  void tab.submitAll([submission(2, { policy: { cache: 'cache-first', revalidate: false } })]);
  for (let turn = 0; turn < 20; turn += 1) await settle();
  void tab.submitAll([submission(3, STORED_FIRST)]);
  await until(() => worker.world.requests.length === 2);
  for (let turn = 0; turn < 20; turn += 1) await settle();
  worker.answer();
  for (let turn = 0; turn < 20; turn += 1) await settle();
  tab.reachable = true;
  await tab.greet();
  await until(() => tab.settled.length === 2);
  expect(told(tab)).toEqual(['settled 1', 'settled 2']);
});

test('a call that its page has aborted is told nothing', async () => {
  const worker = new Worker();
  const tab = await worker.open();
  worker.holdServer();
  void tab.submitAll([submission(2, STORED_FIRST)]);
  void tab.remote.control({ kind: 'abort', ids: [2] });
  await until(() => tab.settled.length === 1);
  expect(told(tab)).toEqual(['settled failed']);
});
