import { expect, test } from 'vitest';
import type { Delivery } from '../shared/delivery.ts';
import type { Wish } from './cache/invocation.fixture.ts';
import { houseOf } from './house.fixture.ts';
import { every } from './loops/stage.fixture.ts';
import { FakeSystem, json, until } from './platform/system.fixture.ts';
import { submission, Tab } from './tab.fixture.ts';
import { ticks } from './ticks.fixture.ts';
import { settle } from './platform/virtual-clock.fixture.ts';

const INTERVAL = 60_000;

/** A worker whose server has a list that is large, and new each time that its state changes. */
class Worker {
  readonly world: FakeSystem = new FakeSystem();
  readonly #house = houseOf(this.world);
  #state = 1;

  constructor(headers: Readonly<Record<string, string>>) {
    this.world.grant();
    this.world.serve = ({ init }) =>
      init.method === 'PUT' ? json([{ state: 'put' }]) : json(this.#rows, headers);
  }

  get #rows(): unknown[] {
    const text = String(this.#state).repeat(800);
    return Array.from({ length: 400 }, (_, id) => ({ state: this.#state, id, text }));
  }

  /** A page that follows the list. */
  async open(session: string): Promise<Tab> {
    const tab = new Tab((source, envelope) => this.#house.receive(source, envelope), session, session);
    void tab.greet();
    await tab.declare({ pace: every(INTERVAL) });
    await until(() => ticks(tab).length > 0);
    return tab;
  }

  /** The list changes, its loop asks, and the page that takes nothing has its turn. */
  async tick(): Promise<void> {
    const asked = this.world.requests.length;
    this.#state += 1;
    await this.world.clock.advance(INTERVAL);
    await until(() => this.world.requests.length > asked);
    for (let turn = 0; turn < 50; turn += 1) await settle();
  }

  /** The list changes, and a page calls. */
  async call(tab: Tab, wish: Wish = {}): Promise<void> {
    this.#state += 1;
    void tab.submitAll([submission(1, wish)]);
    await until(() => tab.settled.length === 1);
  }

  /** The other page's turn is over. */
  async wait(): Promise<void> {
    await this.world.clock.advance(3_000);
    for (let turn = 0; turn < 50; turn += 1) await settle();
  }
}

/** Which states a page was told, in order, and by what. */
function told({ deliveries }: Tab): string[] {
  return deliveries.flatMap((delivery, index) => {
    if (delivery.kind !== 'tick' && delivery.kind !== 'settled') return [];
    const isItsFirst = (each: Delivery): boolean =>
      isFirstChunk(each) && isToCall(each) === isToCall(delivery);
    const text = textOf(delivery) ?? textOf(deliveries.slice(0, index).findLast(isItsFirst));
    return `${delivery.kind} ${text?.match(/"state":"?(\w+)/)?.[1]}`;
  });
}

function isFirstChunk(delivery: Delivery): boolean {
  return delivery.kind === 'chunk' && delivery.index === 0;
}

/** There is one call, and one loop. */
function isToCall(delivery: Delivery): boolean {
  return delivery.kind === 'chunk' ? 'id' in delivery.to : delivery.kind === 'settled';
}

function textOf(delivery: Delivery | undefined): string | null {
  if (delivery?.kind === 'chunk') return delivery.text;
  if (delivery?.kind !== 'tick' && delivery?.kind !== 'settled') return null;
  if (delivery.outcome.kind === 'failed') return null;
  const { body } = delivery.outcome.answer;
  if (body.kind === 'json') return body.text;
  return body.kind === 'value' ? JSON.stringify(body.value) : null;
}

test.each<[string, string, Wish, string, Readonly<Record<string, string>>]>([
  ['a newer answer', 'is not stored', {}, '3', { 'Cache-Control': 'no-store' }],
  ['a newer answer', 'is stored', {}, '3', {}],
  ['a write', 'is not stored', { method: 'PUT' }, 'put', { 'Cache-Control': 'no-store' }],
  ['a write', 'is stored', { method: 'PUT' }, 'put', {}],
])(
  'a tick that waits for its turn is told before %s, where it %s',
  async (_call, _kept, wish, state, headers) => {
    const worker = new Worker(headers);
    const [frozen, quick] = [await worker.open('a'), await worker.open('b')];
    frozen.reachable = false;
    await worker.tick();
    expect(told(quick)).toEqual(['tick 1']);
    await worker.call(quick, wish);
    await worker.wait();
    expect(told(quick)).toEqual(['tick 1', 'tick 2', `settled ${state}`]);
  },
);

test('a tick that waits for its turn does not have a call to another URL wait, nor goes before it', async () => {
  const worker = new Worker({});
  const [frozen, quick] = [await worker.open('a'), await worker.open('b')];
  frozen.reachable = false;
  await worker.tick();
  await worker.call(quick, { template: '/other' });
  expect(told(quick)).toEqual(['tick 1', 'settled 3']);
  await worker.wait();
  expect(told(quick)).toEqual(['tick 1', 'settled 3', 'tick 2']);
});
