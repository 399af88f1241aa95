import { expect, test } from 'vitest';
import type { Delivery } from '../shared/delivery.ts';
import type { WorkerEngine } from './compose.ts';
import { houseOf } from './house.fixture.ts';
import { FakeSystem, unreachable, until } from './platform/system.fixture.ts';
import { Tab } from './tab.fixture.ts';

const BYTES = new Uint8Array([1, 2, 3, 4]);

/** What goes to the page instead of a copy. */
class Watched extends Tab {
  readonly transferred: object[] = [];

  override postMessage(data: unknown, transfer: readonly object[] = []): void {
    this.transferred.push(...transfer);
    super.postMessage(data, transfer);
  }
}

function bytesIn(delivery: Delivery | undefined): number[] | null {
  if (delivery?.kind !== 'settled' || delivery.outcome.kind === 'failed') return null;
  const { body } = delivery.outcome.answer;
  return body.kind === 'bytes' ? [...new Uint8Array(body.bytes)] : null;
}

/** A worker whose server answers with bytes. */
function houseIn(system: FakeSystem): WorkerEngine {
  system.grant();
  system.serve = () => new Response(BYTES, { headers: { 'Content-Type': 'application/octet-stream' } });
  return houseOf(system);
}

test.each([true, false])(
  'the bytes that a call is answered with go to the page, and stay stored (in a database: %s)',
  async (hasDatabase) => {
    const system = new FakeSystem();
    if (!hasDatabase) Object.assign(system, { indexedDB: null });
    const house = houseIn(system);
    const tab = new Watched((source, envelope) => house.receive(source, envelope));
    await tab.submit(1);
    await until(() => tab.settled.length === 1);
    expect(tab.transferred).toHaveLength(1);
    expect(tab.transferred[0]).toMatchObject({ byteLength: 0 });
    system.serve = () => unreachable();
    for (const id of [2, 3]) await tab.submit(id);
    await until(() => tab.settled.length === 3);
    const answers = tab.deliveries.filter(({ kind }) => kind === 'settled').map(bytesIn);
    expect(answers).toEqual([[...BYTES], [...BYTES], [...BYTES]]);
    expect(tab.transferred).toHaveLength(3);
  },
);

test('a call whose bytes did not reach the page is not taken by the time that it is greeted again', async () => {
  const house = houseIn(new FakeSystem());
  const tab = new Watched((source, envelope) => house.receive(source, envelope));
  await tab.greet();
  tab.reachable = false;
  void tab.submit(1);
  await until(() => tab.transferred.length === 1);
  tab.reachable = true;
  expect(await tab.greet()).toMatchObject({ taken: [] });
  await tab.submit(1);
  await until(() => tab.settled.length === 1);
  expect(bytesIn(tab.deliveries.at(-1))).toEqual([...BYTES]);
});

test('those of a loop are copied: they are for other pages too', async () => {
  const house = houseIn(new FakeSystem());
  const tabs = ['client 1', 'client 2'].map(
    (client) => new Watched((source, envelope) => house.receive(source, envelope), client),
  );
  for (const tab of tabs) {
    void tab.greet();
    await tab.declare();
  }
  await until(() => tabs.every(({ deliveries }) => deliveries.some(({ kind }) => kind === 'tick')));
  expect(tabs.flatMap(({ transferred }) => transferred)).toEqual([]);
});
