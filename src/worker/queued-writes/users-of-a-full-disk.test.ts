import { expect, test } from 'vitest';
import { unreachable } from '../platform/system.fixture.ts';
import { FaultyDisk } from './faulty-disk.fixture.ts';
import type { Begin } from './faulty-disk.fixture.ts';
import { goOn, OutboxStage, rounds } from './outbox-stage.fixture.ts';

/** A browser that has no room to store who is signed in, until a database is deleted. */
class FullDisk extends FaultyDisk {
  isFull = false;
  /** True where other sites take the room at once. */
  staysFull = false;

  protected override isMeant(database: string): boolean {
    return !database.includes('#');
  }

  protected override begin(begin: Begin, ...[names, mode, options]: Parameters<Begin>): IDBTransaction {
    if (this.isFull && mode === 'readwrite') throw new DOMException('full', 'QuotaExceededError');
    return begin(names, mode, options);
  }

  override deleteDatabase(name: string): IDBOpenDBRequest {
    this.isFull &&= this.staysFull;
    return super.deleteDatabase(name);
  }
}

/** Ada's write waits, and the disk is full. What a worker says that signs bob in then. */
async function changed(disk: FullDisk, stage: OutboxStage): Promise<unknown> {
  stage.answer = unreachable;
  const tab = stage.open();
  await tab.sign('ada');
  await tab.queue(1, 'of ada');
  await rounds();
  disk.isFull = true;
  const signing = tab.remote.control({ kind: 'sign-in', name: 'bob' });
  await rounds();
  return signing;
}

/** All cookies are bob's. The browser wakes the next worker, without a page, and that sends these. */
async function sentNext(stage: OutboxStage): Promise<readonly string[]> {
  stage.restart();
  stage.answer = () => null;
  void stage.wake();
  await goOn(stage, 60);
  return stage.performed;
}

test('answers give way to who is signed in, so that nothing of the user before is sent', async () => {
  const disk = new FullDisk();
  const stage = new OutboxStage(disk);
  expect(await changed(disk, stage)).toMatchObject({ kind: 'identity', identity: { name: 'bob' } });
  expect(await sentNext(stage)).toEqual([]);
});

test('a change of users that cannot be stored is said to have failed, and is stored once there is room', async () => {
  const disk = new FullDisk();
  disk.staysFull = true;
  const stage = new OutboxStage(disk);
  expect(await changed(disk, stage)).toMatchObject({ kind: 'failed', failure: { code: 'quota' } });
  disk.isFull = false;
  await goOn(stage, 5);
  expect(await sentNext(stage)).toEqual([]);
});
