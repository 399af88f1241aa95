import { expect, test } from 'vitest';
import { json } from '../platform/system.fixture.ts';
import { goOn, OutboxStage } from './outbox-stage.fixture.ts';
import { SlowReads } from './slow-reads.fixture.ts';
import { UnreadableDisk } from './unreadable-disk.fixture.ts';

test('a page that comes hears of what was refused, though what one was to send cannot be read', async () => {
  const disk = new UnreadableDisk();
  const stage = new OutboxStage(disk);
  stage.answer = () => json({}, {}, 422);
  const tab = stage.open();
  for (let n = 1; n <= 8; n += 1) await tab.queue(n, `${n}`, {}, { lane: `lane ${n}` });
  await goOn(stage, 5);
  expect(tab.told).toContain('entry-8 review');
  disk.unreadable = 2;
  const other = stage.open();
  other.meet();
  await goOn(stage, 300);
  expect(other.told).toContain('entry-8 review');
});

test('a page that comes hears of what was refused, though a slow disk cannot read a large one in time', async () => {
  const disk = new SlowReads(1_000);
  const stage = new OutboxStage(disk);
  stage.answer = () => json({}, {}, 422);
  const tab = stage.open();
  await tab.queue(1, 'x'.repeat(3_000_000), {}, { lane: 'large' });
  for (let n = 2; n <= 8; n += 1) await tab.queue(n, `${n}`, {}, { lane: `lane ${n}` });
  await goOn(stage, 5);
  expect(tab.told).toContain('entry-8 review');
  [disk.clock, disk.isSlow] = [stage.world.clock, true];
  const other = stage.open();
  other.meet();
  for (let step = 0; step < 1_200; step += 1) await stage.world.clock.advance(100);
  expect(other.told).toContain('entry-8 review');
  const bodies = other.writes.slice(0, 3).map(({ body }) => body);
  expect(bodies).toMatchObject([null, { text: '2' }, { text: '3' }]);
});
