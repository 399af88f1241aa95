import { expect, test } from 'vitest';
import { OutboxStage } from './outbox-stage.fixture.ts';
import { until } from '../platform/system.fixture.ts';

test('a tab that greets before its app has signed in the present user hears of writes once it has', async () => {
  const stage = new OutboxStage();
  stage.answer = () => Response.error();
  const [one, later] = [stage.open(), stage.open()];
  await one.sign('anna');
  await one.queue(1, 'Dusk');
  await later.greet();
  expect(later.waiting).toBeNull();
  await later.sign('anna');
  await stage.world.clock.advance(1);
  await until(() => later.waiting !== null);
  expect(later.waiting).toBe(1);

  await one.queue(2, 'Dawn');
  await until(() => later.waiting === 2);
  stage.answer = () => null;
  await stage.world.clock.advance(60_000);
  await later.heard('entry-1 done');
});
