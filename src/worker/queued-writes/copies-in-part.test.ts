import { expect, test } from 'vitest';
import { unreachable } from '../platform/system.fixture.ts';
import { IDBFactory } from '../storage/indexeddb.fixture.ts';
import { goOn, OutboxStage } from './outbox-stage.fixture.ts';
import { RefusingFactory } from './refusing-disk.fixture.ts';
import { Spare, waitingFor } from './spare.fixture.ts';

test('what came back from a former copy and is done does not come back again where another copy had no room', async () => {
  const factory = new RefusingFactory('copies');
  const spare = new Spare(factory);
  const stage = new OutboxStage(new IDBFactory(), spare);
  await waitingFor(stage, ['Dusk', 'Dawn'], 'ada');
  await goOn(stage, 2);
  stage.loseDatabases();
  // The other place is late, so that the user gets another salt.
  spare.isBroken = true;
  stage.answer = unreachable;
  const tab = stage.open();
  await tab.sign('ada');
  await goOn(stage, 5);
  spare.isBroken = false;
  factory.refuses = 'entry-2';
  stage.answer = () => null;
  await goOn(stage, 180);
  expect(stage.performed).toEqual(['Dusk']);
  await Promise.all([tab.sign(null), goOn(stage, 60)]);
  const before = stage.world.requests.length;
  await Promise.all([tab.sign('ada'), goOn(stage, 180)]);
  expect(stage.world.requests.slice(before).map(({ init }) => init.body)).toEqual([]);
});
