import { expect, test } from 'vitest';
import { json } from '../platform/system.fixture.ts';
import { HangingFactory } from '../storage/hanging-database.fixture.ts';
import { IDBFactory } from '../storage/indexeddb.fixture.ts';
import { bodyOf, goOn, OutboxStage, rounds } from './outbox-stage.fixture.ts';
import { Spare } from './spare.fixture.ts';

test('what is queued once nobody waits for the copy does not overtake what waits for it still', async () => {
  const factory = new HangingFactory();
  const stage = new OutboxStage(new IDBFactory(), new Spare(factory));
  stage.answer = (seen) => (bodyOf(seen) === 'other' ? json({}, { 'Retry-After': '3600' }, 503) : null);
  const tab = stage.open();
  const { clock } = stage.world;
  await tab.queue(1, 'other', {}, { lane: 'b' });
  await goOn(stage, 5);
  factory.hangs = (_, stores, mode) => mode === 'readwrite' && stores.includes('copies');
  void tab.queue(2, 'first');
  await rounds(5);
  await clock.advance(1_000);
  void tab.queue(3, 'second');
  await rounds(5);
  await clock.advance(1_500);
  await rounds(5);
  void tab.queue(4, 'third');
  await rounds(20);
  await goOn(stage, 30);
  expect(tab.queued).toEqual([1, 2, 3, 4]);
  expect(stage.performed).toEqual(['first', 'second', 'third']);
});
