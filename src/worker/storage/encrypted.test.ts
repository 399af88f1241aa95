import { describe, expect, test } from 'vitest';
import { FakeSystem, until } from '../platform/system.fixture.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { describeAmendments } from './amendments.contract.fixture.ts';
import { Database } from './database.ts';
import { HangingFactory } from './hanging-database.fixture.ts';
import { IdbLoops } from './idb-loops.ts';
import { IdbResponses } from './idb-responses.ts';
import { describeLoops } from './loops.contract.fixture.ts';
import { record, replaceBy } from './record.fixture.ts';
import { Partitions } from './partitions.ts';
import { describeResponses } from './responses.contract.fixture.ts';
import type { StoreName } from './transaction.ts';
import { UrlNames } from './responses.ts';

const NAME = 'offstage:encrypted:default';

/** Bytes of a body that does not lie in its record. */
const LARGE = 3_000;

function encrypted(system: FakeSystem = new FakeSystem()): Database {
  return new Database(system, 'default', () => {}, { isEncrypted: true });
}

describeResponses('an encrypted database', (capacity) => {
  const system = new FakeSystem();
  return new IdbResponses(system, encrypted(system), capacity);
});

describeAmendments('an encrypted database', (capacity) => {
  const system = new FakeSystem();
  return new IdbResponses(system, encrypted(system), capacity);
});

describeLoops('an encrypted database', (clock) => new IdbLoops(clock, encrypted()));

/** All values of a store, as they are on the disk. */
async function raw(system: FakeSystem, store: StoreName): Promise<unknown[]> {
  const connection = await new Promise<IDBDatabase>((resolve) => {
    const opening = system.indexedDB?.open(NAME);
    opening?.addEventListener('success', () => resolve(opening.result));
  });
  const values = await new Promise<unknown[]>((resolve) => {
    const reading = connection.transaction(store).objectStore(store).getAll();
    reading.addEventListener('success', () => resolve(reading.result));
  });
  connection.close();
  return values;
}

describe('an encrypted database', () => {
  test('shows keys, sizes and times of use, and nothing else of answers', async () => {
    const system = new FakeSystem();
    const answers = new IdbResponses(system, encrypted(system));
    await answers.update('digest', replaceBy(record('digest', LARGE)));
    const [stored] = await raw(system, 'responses');
    expect(Object.keys(Object(stored)).toSorted()).toEqual(['iv', 'key', 'sealed', 'size', 'usedAt']);
    const [body] = await raw(system, 'bodies');
    expect(Object(body)).toEqual({ iv: expect.any(Uint8Array), sealed: expect.any(ArrayBuffer) });
    // GCM adds 16 bytes.
    expect(Object(body).sealed.byteLength).toBe(LARGE + 16);
  });

  test('has no two values with one IV', async () => {
    const system = new FakeSystem();
    const answers = new IdbResponses(system, encrypted(system));
    for (const key of ['a', 'b', 'a']) await answers.update(key, replaceBy(record(key, LARGE)));
    const values = [...(await raw(system, 'responses')), ...(await raw(system, 'bodies'))];
    expect(new Set(values.map((value) => String(Object(value).iv))).size).toBe(4);
  });

  test('has keys that no script can read', async () => {
    const system = new FakeSystem();
    await encrypted(system).connect();
    const keys = (await raw(system, 'meta')).find((value) => Object(value).values !== undefined);
    const { values, names } = Object(keys);
    expect([values.extractable, names.extractable]).toEqual([false, false]);
    await expect(crypto.subtle.exportKey('raw', values)).rejects.toThrow('not extractable');
  });

  test('is read by a later worker, and its names are the same', async () => {
    const system = new FakeSystem();
    const earlier = new IdbResponses(system, encrypted(system));
    await earlier.update('a', replaceBy(record('a')));
    const later = new IdbResponses(system, encrypted(system));
    expect(await later.find('a')).toEqual(record('a'));
    expect(await (await encrypted(system).connect())?.cipher?.nameOf('url')).toEqual(
      await (await encrypted(system).connect())?.cipher?.nameOf('url'),
    );
  });

  test.each<[StoreName, unknown]>([
    ['responses', { ...record('a'), usedAt: 1 }],
    ['responses', { key: 'a', usedAt: 1, size: 3, iv: new Uint8Array(12), sealed: new ArrayBuffer(40) }],
    ['bodies', new Uint8Array(LARGE).buffer],
    ['bodies', { iv: new Uint8Array(12), sealed: new ArrayBuffer(LARGE + 16) }],
  ])('takes what is not its own for damaged, in %s: %j', async (store, value) => {
    const system = new FakeSystem();
    const database = encrypted(system);
    const answers = new IdbResponses(system, database);
    for (const key of ['a', 'b']) await answers.update(key, replaceBy(record(key, LARGE)));
    const connection = (await database.connect())?.connection;
    await (store === 'bodies' ? connection?.put(store, value, 'a') : connection?.put(store, value));
    const found = await answers.find('a');
    expect(found && (await answers.body(found))).toBeNull();
    expect((await answers.usage()).entries).toBe(1);
    expect(await answers.body(record('b', LARGE))).toEqual(new Uint8Array(LARGE).fill(1).buffer);
  });

  test('takes the value of another key for damaged', async () => {
    const system = new FakeSystem();
    const database = encrypted(system);
    const answers = new IdbResponses(system, database);
    for (const key of ['a', 'b']) await answers.update(key, replaceBy(record(key)));
    const connection = (await database.connect())?.connection;
    const other: unknown = await connection?.get('responses', 'b');
    await connection?.put('responses', { ...Object(other), key: 'a' });
    expect(await answers.find('a')).toBeNull();
  });

  test('begins anew where its keys are damaged', async () => {
    const system = new FakeSystem();
    const database = encrypted(system);
    await new IdbResponses(system, database).update('a', replaceBy(record('a')));
    await (await database.connect())?.connection.put('meta', 'no keys', 'keys');
    (await database.connect())?.connection.close();
    const answers = new IdbResponses(system, encrypted(system));
    expect(await answers.find('a')).toBeNull();
    await answers.update('a', replaceBy(record('a')));
    expect(await answers.find('a')).toEqual(record('a'));
  });

  test('can be deleted where its keys were not read in time', async () => {
    const indexedDB = new HangingFactory();
    const system = Object.assign(new FakeSystem(), { indexedDB });
    const before = encrypted(system);
    await before.connect();
    before.retire();
    indexedDB.hangs = () => true;
    const late = encrypted(system);
    const connecting = late.connect();
    await until(() => indexedDB.begun > 0);
    for (let second = 0; second < 3; second += 1) await system.clock.advance(1_000);
    expect(await connecting).toBeNull();
    late.retire();
    const deleting = indexedDB.deleteDatabase(NAME);
    await until(() => deleting.readyState === 'done');
    expect(await indexedDB.databases()).toEqual([]);
  });

  test('is not there without WebCrypto: nothing is stored in the clear instead', async () => {
    const system = Object.assign(new FakeSystem(), { crypto: null });
    const reasons: string[] = [];
    const database = new Database(
      system,
      'default',
      (news) => void (news.kind === 'memory' && reasons.push(news.reason)),
      { isEncrypted: true },
    );
    expect(await database.connect()).toBeNull();
    expect(reasons).toEqual([expect.stringContaining('https')]);
    expect(await system.indexedDB?.databases()).toEqual([]);
  });
});

async function namesIn(system: FakeSystem): Promise<string[]> {
  await settle();
  return ((await system.indexedDB?.databases()) ?? []).map(({ name = '' }) => name).toSorted();
}

describe('databases of the other kind', () => {
  test.each([
    [true, ['offstage:/other#default', 'offstage:encrypted:/#default']],
    [false, ['offstage:/#default', 'offstage:/other#default']],
  ])('are deleted, those of other scopes stay (encrypted: %s)', async (isEncrypted, left) => {
    const system = new FakeSystem();
    await new Partitions(system, '/', () => {}, !isEncrypted).open('default').connect();
    await new Partitions(system, '/', () => {}, !isEncrypted).open('second').connect();
    await new Partitions(system, '/other', () => {}).open('default').connect();
    await new Partitions(system, '/', () => {}, isEncrypted).open('default').connect();
    await settle();
    expect(await namesIn(system)).toEqual(left);
  });

  test('are erased with their partition', async () => {
    const system = new FakeSystem();
    for (const isEncrypted of [true, false]) {
      const database = new Partitions(system, '/', () => {}, isEncrypted).open('default');
      await database.connect();
      database.retire();
      expect(await new Partitions(system, '/', () => {}, !isEncrypted).erase('default', () => true)).toBe(
        true,
      );
      expect(await namesIn(system)).toEqual([]);
    }
  });

  test('each has keys of its own', async () => {
    const system = new FakeSystem();
    const partitions = new Partitions(system, '/', () => {}, true);
    const [one, other] = ['one', 'other'].map((each) => new UrlNames(system, partitions.open(each)));
    expect(await one?.of('/photo')).not.toBe(await other?.of('/photo'));
  });
});
