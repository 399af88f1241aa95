import { describe, expect, test } from 'vitest';
import type { Submission } from '../../shared/protocol.ts';
import { houseOf } from '../house.fixture.ts';
import { PlayedLocks } from '../platform/locks.fixture.ts';
import { FakeSystem, unreachable, until } from '../platform/system.fixture.ts';
import { submission } from '../tab.fixture.ts';
import { goOn, OutboxStage, OutboxTab, rounds } from './outbox-stage.fixture.ts';
import { TroubledDisk } from './troubled-disk.fixture.ts';

/** One on which a new version of the worker asks for the outbox: its connections close, and none opens for a while. */
class UpgradedDisk extends TroubledDisk {
  isUpgraded = false;

  override open(name: string, version?: number): IDBOpenDBRequest {
    const request = super.open(name, version);
    const unheard = (event: Event): void => {
      event.stopImmediatePropagation();
      request.result.close();
    };
    if (this.isUpgraded && name.includes('outbox'))
      request.addEventListener('success', unheard, { once: true });
    return request;
  }

  async upgrade(): Promise<void> {
    this.isUpgraded = true;
    for (const { name, version } of await this.databases()) {
      const request = this.open(String(name), Number(version) + 1);
      // It asks in vain.
      request.addEventListener('upgradeneeded', () => request.transaction?.abort());
    }
  }
}

function callOf(id: number, text: string): Submission {
  const body = { kind: 'text', text } as const;
  const ticket = { entry: `entry-${id}`, key: `key-${id}`, resource: 'photos', action: 'add', lane: `${id}` };
  return { ...submission(id, { method: 'POST', template: '/photos', body }), ticket };
}

/** Without a network, on a disk that is late and then broken: the call fails, and its write is stored. Returns once that is told. */
async function fails(tab: OutboxTab, world: FakeSystem, disk: TroubledDisk): Promise<void> {
  const queued = tab.queue(2, 'Dusk');
  await world.clock.advance(1_500);
  disk.isBroken = true;
  await goOn({ world }, 25);
  await queued;
  expect(tab.deliveries.find((each) => each.kind === 'settled')).toMatchObject({
    id: 2,
    outcome: { kind: 'failed' },
  });
}

describe('a call that is told as failed is not sent once the disk is well,', () => {
  test('though the queue was still being read as it failed', async () => {
    const disk = new TroubledDisk();
    const stage = new OutboxStage(disk);
    const first = stage.open();
    await first.queue(1, 'first');
    await first.heard('entry-1 done');
    await rounds();
    disk.isLate = true;
    stage.restart();
    stage.answer = unreachable;
    const tab = stage.open();
    await tab.greet();
    await rounds();
    await fails(tab, stage.world, disk);
    [disk.isLate, disk.isBroken] = [false, false];
    stage.answer = () => null;
    await goOn(stage, 60);
    expect(stage.performed).toEqual(['first']);
  });

  test('though another tab queues something before its end is stored', async () => {
    const [server, disk, locks] = [new OutboxStage(null), new TroubledDisk(), new PlayedLocks()];
    const { clock } = server.world;
    const open = (name: string): { world: FakeSystem; tab: OutboxTab } => {
      const shared = { locks, indexedDB: disk, clock, uuid: () => crypto.randomUUID() };
      const world = Object.assign(new FakeSystem(), shared);
      world.serve = async (seen) => (await server.answer(seen)) ?? server.perform(seen);
      const house = houseOf(world, { host: 'page' });
      return { world, tab: new OutboxTab((...message) => house.receive(...message), name) };
    };
    const [one, other] = [open('one'), open('other')];
    await one.tab.queue(1, 'first');
    await one.tab.heard('entry-1 done');
    await other.tab.greet();
    await rounds();
    disk.isLate = true;
    server.answer = unreachable;
    await fails(one.tab, one.world, disk);
    [disk.isLate, disk.isBroken] = [false, false];
    server.answer = () => null;
    void other.tab.queue(3, 'of another', {}, { lane: 'b' });
    for (let step = 0; step < 600; step += 1) await clock.advance(100);
    expect(server.performed).toEqual(['first', 'of another']);
  });

  test.each([1, 2])(
    'though the outbox was closed for an update while it was being added (calls: %i)',
    async (count) => {
      const disk = new UpgradedDisk();
      const stage = new OutboxStage(disk);
      const tab = stage.open();
      tab.meet();
      stage.answer = unreachable;
      // What comes while the first is being added is added together.
      const texts = ['first', 'Dusk', 'Dawn'].slice(0, 1 + count);
      void tab.submitAll(texts.map((text, index) => callOf(index + 1, text)));
      await until(() => disk.writing > 0);
      disk.isLate = true;
      await stage.world.clock.advance(1_500);
      await disk.upgrade();
      await goOn(stage, 15);
      expect([tab.queued, tab.settled]).toEqual([[1], [2, 3].slice(0, count)]);
      [disk.isLate, disk.isUpgraded] = [false, false];
      stage.answer = () => null;
      await goOn(stage, 60);
      stage.restart();
      await stage.open().greet();
      await goOn(stage, 60);
      expect(stage.performed).toEqual(['first']);
    },
  );
});
