import { expect, test } from 'vitest';
import { houseOf } from './house.fixture.ts';
import { every } from './loops/stage.fixture.ts';
import { FakeSystem, until } from './platform/system.fixture.ts';
import { settle } from './platform/virtual-clock.fixture.ts';
import { Tab } from './tab.fixture.ts';

/** All that lies in all databases, as text. */
async function onDisk({ indexedDB }: FakeSystem): Promise<string> {
  const all: unknown[] = [];
  for (const { name = '' } of (await indexedDB?.databases()) ?? []) {
    const database = await asked<IDBDatabase>(indexedDB?.open(name));
    for (const store of database.objectStoreNames)
      all.push(store, await asked(database.transaction(store).objectStore(store).getAll()));
    database.close();
  }
  return JSON.stringify(all);
}

function asked<T>(request: IDBRequest<T> | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    if (!request) return reject(new Error());
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error));
  });
}

test('what stood in an answer that is not to be stored is not stored with the failure of its loop', async () => {
  const system = new FakeSystem();
  system.grant();
  system.serve = () =>
    new Response('hunter2 is it', {
      headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
    });
  const house = houseOf(system);
  const tab = new Tab((source, envelope) => house.receive(source, envelope));
  await tab.declare({ pace: every(60_000) });
  await until(() => tab.deliveries.some(({ kind }) => kind === 'tick'));
  for (let turn = 0; turn < 30; turn += 1) await settle();
  const text = await onDisk(system);
  expect(text).toContain('parse');
  expect(text).not.toContain('hunter2');
});
