import { expect, test } from 'vitest';
import { json } from '../platform/system.fixture.ts';
import { OutboxStage, goOn } from './outbox-stage.fixture.ts';

test.each([60_000, 1_800_000, 86_400_000])(
  'a clock that is set back by %s ms puts off no attempt for longer than a pause',
  async (back) => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = () => json({}, {}, 503);
    await tab.queue(1, 'Dusk');
    await stage.failed(tab, 1);
    stage.world.clock.set(-back);
    stage.restart();
    stage.answer = () => null;
    await stage.open().greet();
    await goOn(stage, 25);
    expect(stage.performed).toEqual(['Dusk']);
  },
);

test('a clock that is set back makes no attempt earlier than the server wants it', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = () => json({}, { 'Retry-After': '600' }, 503);
  await tab.queue(1, 'Dusk');
  await stage.failed(tab, 1);
  stage.world.clock.set(-60_000);
  await goOn(stage, 590);
  const before = stage.world.requests.length;
  await goOn(stage, 80);
  expect([before, stage.world.requests.length]).toEqual([1, 2]);
});
