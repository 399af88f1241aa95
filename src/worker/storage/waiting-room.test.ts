import { LIMITS } from '../../shared/limits.ts';
import { expect, test } from 'vitest';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { DatabaseLate } from '../platform/database-deadline.ts';
import { nth, Stage } from './write-stage.fixture.ts';

test('the answer told last is not lost for those told before it', async () => {
  const stage = new Stage();
  stage.isOpen = false;
  void stage.order(nth('busy', 1));
  await settle();
  for (let n = 0; n < 5_000; n += 1) void stage.order(nth(`${n}`, 1, 2_000));
  expect(stage.lost).toEqual([]);
  void stage.order(nth('photo', 1, 12 * 1_048_576));
  expect(stage.lost).not.toContain('photo');
  expect(stage.behind.find('photo')).toEqual({ kind: 'found', value: nth('photo', 1, 12 * 1_048_576) });
});

test('what a late database did not write was told longest ago still', async () => {
  const stage = new Stage();
  stage.isOpen = false;
  const size = LIMITS.waitingSize / 4;
  void stage.order(nth('a', 1, size));
  await settle();
  for (const key of ['b', 'c']) void stage.order(nth(key, 1, size));
  stage.fails = () => new DatabaseLate('late');
  stage.open();
  await settle();
  for (const key of ['d', 'e']) void stage.order(nth(key, 1, size));
  expect(stage.lost).toEqual(['a', 'b']);
});
