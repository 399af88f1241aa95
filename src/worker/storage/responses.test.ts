import { expect, test } from 'vitest';
import { foundIn } from '../contracts/response-store.ts';
import { FakeSystem } from '../platform/system.fixture.ts';
import { IDBFactory } from './indexeddb.fixture.ts';
import { Partitions } from './partitions.ts';
import { orderOf, record, removalOf } from './record.fixture.ts';
import { Responses } from './responses.ts';

function make(indexedDB: IDBFactory | null, reasons: string[] = [], partition = 'default'): Responses {
  const { clock, digest, pause, uuid } = new FakeSystem();
  const partitions = new Partitions({ clock, indexedDB }, '/', (news) => {
    if (news.kind === 'memory') reasons.push(news.reason);
  });
  return new Responses({ clock, digest, pause, uuid }, partitions.open(partition));
}

test('answers lie in the database', async () => {
  const responses = make(new IDBFactory());
  await responses.write(orderOf(record('a')));
  expect(await responses.find('a')).toEqual({ kind: 'found', value: record('a') });
  expect(await responses.inspect()).toEqual({ mode: 'indexeddb', entries: 1, bytes: 3 });
});

test('partitions know nothing of each other', async () => {
  const indexedDB = new IDBFactory();
  const [alice, bob] = [make(indexedDB, [], 'alice'), make(indexedDB, [], 'bob')];
  await alice.write(orderOf(record('a')));
  expect(await bob.find('a')).toEqual({ kind: 'absent' });
  expect(await bob.body(record('a'))).toEqual({ kind: 'absent' });
  await bob.clear();
  expect(await alice.find('a')).toEqual({ kind: 'found', value: record('a') });
});

test('looking does not open', async () => {
  const indexedDB = new IDBFactory();
  expect(await make(indexedDB).inspect()).toEqual({ mode: 'closed', entries: 0, bytes: 0 });
  expect(await indexedDB.databases()).toEqual([]);
});

test('without a database answers lie in memory, and that is told once', async () => {
  const reasons: string[] = [];
  const responses = make(null, reasons);
  await responses.write(orderOf(record('a')));
  expect(await responses.find('a')).toEqual({ kind: 'found', value: record('a') });
  expect(foundIn(await responses.body(record('a')))?.byteLength).toBe(3);
  expect(await responses.salt('grain')).toBe('grain');
  expect(await responses.inspect()).toEqual({ mode: 'memory', entries: 1, bytes: 3 });
  await responses.write(removalOf('a'));
  expect(await responses.find('a')).toEqual({ kind: 'absent' });
  expect(reasons).toEqual(['IndexedDB is missing here']);
});
