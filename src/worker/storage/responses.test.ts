import { expect, test } from 'vitest';
import { foundIn } from '../contracts/lookup.ts';
import { FakeSystem } from '../platform/system.fixture.ts';
import { IDBFactory } from './indexeddb.fixture.ts';
import { Partitions } from './partitions.ts';
import { orderOf, record, removalOf } from './record.fixture.ts';
import { Responses } from './responses.ts';

function make(indexedDB: IDBFactory | null, reasons: string[] = []): Responses {
  const { clock, digest, pause } = new FakeSystem();
  const partitions = new Partitions({ clock, indexedDB }, '/', (_mode, reason) => void reasons.push(reason));
  return new Responses({ clock, digest, pause }, partitions);
}

test('answers lie in the database', async () => {
  const responses = make(new IDBFactory());
  await responses.write('default', orderOf(record('a')));
  expect(await responses.find('default', 'a')).toEqual({ kind: 'found', value: record('a') });
  expect(await responses.inspect('default')).toEqual({ mode: 'indexeddb', entries: 1, bytes: 3 });
});

test('partitions know nothing of each other', async () => {
  const responses = make(new IDBFactory());
  await responses.write('alice', orderOf(record('a')));
  expect(await responses.find('bob', 'a')).toEqual({ kind: 'absent' });
  expect(await responses.body('bob', record('a'))).toEqual({ kind: 'absent' });
  await responses.clear('bob');
  expect(await responses.find('alice', 'a')).toEqual({ kind: 'found', value: record('a') });
});

test('looking does not open', async () => {
  const indexedDB = new IDBFactory();
  expect(await make(indexedDB).inspect('default')).toEqual({ mode: 'closed', entries: 0, bytes: 0 });
  expect(await indexedDB.databases()).toEqual([]);
});

test('without a database answers lie in memory, and that is told once', async () => {
  const reasons: string[] = [];
  const responses = make(null, reasons);
  await responses.write('default', orderOf(record('a')));
  expect(await responses.find('default', 'a')).toEqual({ kind: 'found', value: record('a') });
  expect(foundIn(await responses.body('default', record('a')))?.byteLength).toBe(3);
  expect(await responses.salt('default', 'grain')).toBe('grain');
  expect(await responses.inspect('default')).toEqual({ mode: 'memory', entries: 1, bytes: 3 });
  await responses.write('default', removalOf('a'));
  expect(await responses.find('default', 'a')).toEqual({ kind: 'absent' });
  expect(reasons).toEqual(['IndexedDB is missing here']);
});
