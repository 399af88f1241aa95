import { expect, test } from 'vitest';
import { json } from '../platform/system.fixture.ts';
import { OutboxStage } from './outbox-stage.fixture.ts';
import { SlowReads } from './slow-reads.fixture.ts';
import { resultOf } from './spare.fixture.ts';

async function endedOn(disk: SlowReads): Promise<number> {
  const name = (await disk.databases()).find((each) => each.name?.includes('outbox'))?.name ?? '';
  const database = await resultOf(disk.open(name));
  const count = await resultOf(database.transaction('ended').objectStore('ended').count());
  database.close();
  return count;
}

test('a worker deletes old answers soon after its start, though the disk is late even with a few at once', async () => {
  // To read eight of them takes it 2.4 s.
  const disk = new SlowReads(200);
  const stage = new OutboxStage(disk);
  const tab = stage.open();
  stage.answer = () => json({ why: 'x'.repeat(60_000) }, {}, 201);
  for (let n = 1; n <= 40; n += 1) {
    await tab.queue(n, `${n}`);
    await stage.world.clock.advance(100);
    await tab.heard(`entry-${n} done`);
  }
  stage.restart();
  stage.world.clock.set(400_000);
  [disk.clock, disk.isSlow, disk.writes] = [stage.world.clock, true, true];
  stage.open().meet();
  for (let step = 0; step < 600; step += 1) await stage.world.clock.advance(50);
  disk.isSlow = false;
  expect(await endedOn(disk)).toBe(0);
});
