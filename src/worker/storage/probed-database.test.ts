import { expect, test } from 'vitest';
import { until } from '../platform/system.fixture.ts';
import { settle, VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { Database } from './database.ts';
import { hold } from './held-database.fixture.ts';
import { forceCloseDatabase, IDBFactory } from './indexeddb.fixture.ts';

/** Milliseconds after which a database is used again that works. */
const SOON = 5_000;

/** Databases whose connections are listed. */
class Listing extends IDBFactory {
  readonly connections: IDBDatabase[] = [];

  override open(name: string, version?: number): IDBOpenDBRequest {
    const request = super.open(name, version);
    request.addEventListener('success', () => this.connections.push(request.result));
    return request;
  }
}

/** A database that another transaction has held for 20 s, so that it is late and probed. */
class Stage {
  readonly clock: VirtualClock = new VirtualClock();
  readonly indexedDB: Listing = new Listing();
  readonly database: Database = new Database(this, '/#default', () => {});
  release: () => void = () => {};

  static async late(): Promise<Stage> {
    const stage = new Stage();
    await stage.write();
    stage.release = await hold(stage);
    stage.write().catch(() => {});
    await stage.clock.advance(20_000);
    return stage;
  }

  write(): Promise<unknown> {
    return this.database.transact(['meta'], 'readwrite', (transaction) =>
      transaction.objectStore('meta').put('y', 'x'),
    );
  }

  /** Milliseconds until it is written to again; null where it is not soon. */
  async writesAfter(): Promise<number | null> {
    for (let passed = 0; passed <= SOON; passed += 250) {
      const write = this.write().then(
        () => true,
        () => false,
      );
      await settle();
      await this.clock.advance(250);
      if (await write) return passed;
    }
    return null;
  }
}

test('a late database that is deleted is made anew', async () => {
  const stage = await Stage.late();
  let isDeleted = false;
  stage.indexedDB.deleteDatabase('offstage:/#default').addEventListener('success', () => (isDeleted = true));
  await stage.clock.advance(1_000);
  stage.release();
  await until(() => isDeleted);
  expect([await stage.writesAfter(), stage.database.mode]).toEqual([expect.any(Number), 'indexeddb']);
});

test('a late database whose connection the browser closes gets another', async () => {
  const stage = await Stage.late();
  const [own] = stage.indexedDB.connections;
  if (own) forceCloseDatabase(Object(own));
  await stage.clock.advance(500);
  stage.release();
  expect([await stage.writesAfter(), stage.database.mode]).toEqual([expect.any(Number), 'indexeddb']);
});

test('a late database that a newer release upgrades is used again after that', async () => {
  const stage = await Stage.late();
  let isUpgraded = false;
  stage.indexedDB.open('offstage:/#default', 99).addEventListener('success', () => (isUpgraded = true));
  await settle();
  stage.release();
  await until(() => isUpgraded);
  expect([await stage.writesAfter(), stage.database.mode]).toEqual([expect.any(Number), 'indexeddb']);
});

test('a late database that is retired is probed no more', async () => {
  const stage = await Stage.late();
  stage.database.retire();
  await stage.clock.advance(30_000);
  expect(stage.clock.asleep).toBe(0);
});
