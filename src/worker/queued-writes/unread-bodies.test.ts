import { expect, test } from 'vitest';
import { HangingFactory } from '../storage/hanging-database.fixture.ts';
import { OutboxStage, rounds, waitFor } from './outbox-stage.fixture.ts';

test('a write whose data cannot be read for a while is told as waiting, and pages can tell that this is later', async () => {
  const disk = new HangingFactory();
  const stage = new OutboxStage(disk);
  const tab = stage.open();
  disk.hangs = (_nth, stores, mode) => mode === 'readonly' && stores.length === 1 && stores[0] === 'payloads';
  await tab.queue(1, 'Dusk', {}, { isShown: true });
  for (let n = 0; n < 8; n += 1) {
    await waitFor(stage, 500);
    await rounds();
  }
  const attempts = tab.writes.map((each) => each.attempts);
  expect(attempts.length).toBeGreaterThan(2);
  expect(attempts).toEqual(attempts.toSorted((one, other) => one - other));
});
