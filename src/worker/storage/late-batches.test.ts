import { LIMITS } from '../../shared/limits.ts';
import { expect, test } from 'vitest';
import { DatabaseLate } from '../platform/database-deadline.ts';
import { BatchSize } from './waiting.ts';
import { nth, Stage } from './write-stage.fixture.ts';

/** Milliseconds that an answer takes on a slow device. */
const SLOW = 10;

test('a database that writes 100 answers a second goes on storing while twice as many come', async () => {
  const stage = new Stage();
  const carryOut = stage.place.carryOut.bind(stage.place);
  const written: number[] = [];
  stage.place.carryOut = async (batch) => {
    const took = batch.length * SLOW;
    await stage.clock.sleep(Math.min(took, LIMITS.transaction));
    if (took > LIMITS.transaction) throw new DatabaseLate('late');
    written.push(batch.length);
    await carryOut(batch);
  };
  for (let part = 0; part < 600; part += 1) {
    for (let n = 0; n < 20; n += 1) void stage.order(nth(`${part} ${n}`, 1, 0));
    await stage.clock.advance(100);
  }
  expect(written.reduce((sum, each) => sum + each)).toBeGreaterThan(5_500);
});

test('a transaction that was late is followed by a smaller one, though many answers wait', () => {
  const size = new BatchSize();
  for (let n = 0; n < 1_000; n += 1) size.count();
  size.heed({ written: 64, left: 900, took: 400 });
  for (let n = 0; n < 1_000; n += 1) size.count();
  const { most } = size;
  size.heed({ written: most, left: 1_000, took: Infinity });
  expect(size.most).toBeLessThan(most);
});
