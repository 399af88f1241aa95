import { expect, test } from 'vitest';
import { OutboxStage, rounds } from './outbox-stage.fixture.ts';
import { SlowDisk } from './slow-disk.fixture.ts';

test('the worker keeps no more for a frozen tab than limits.md says, however much other tabs queue meanwhile', async () => {
  const disk = new SlowDisk(1_000_000);
  const stage = new OutboxStage(disk);
  const [tab, frozen] = [stage.open(), stage.open()];
  await frozen.greet();
  await tab.greet();
  // It takes nothing, nor says that it is away.
  frozen.reachable = false;
  for (let id = 1; id <= 300; id += 1) await tab.queue(id, 'x'.repeat(10_000), {}, { lane: `lane ${id}` });
  for (let n = 0; n < 300 && tab.told.length < 300; n += 1) await stage.world.clock.advance(50);
  expect(tab.told.length).toBe(300);
  frozen.reachable = true;
  // What it has missed is read for it later.
  [disk.clock, disk.latency] = [stage.world.clock, 1];
  let kept = 0;
  const post = frozen.postMessage.bind(frozen);
  frozen.postMessage = (data, transfer) => {
    kept += JSON.stringify(data).length;
    post(data, transfer);
  };
  await frozen.greet();
  await rounds(10);
  // All that was queued is done, and told: 3 MB of bodies are no news to anybody.
  expect(kept).toBeLessThan(1_000_000);
  await stage.world.clock.advance(1);
});
