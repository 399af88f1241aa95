import { afterEach, expect, test, vi } from 'vitest';
import { unreachable } from '../platform/system.fixture.ts';
import { StoredOutbox } from '../storage/outbox.ts';
import { goOn, OutboxStage, rounds } from './outbox-stage.fixture.ts';

afterEach(() => vi.restoreAllMocks());

test('what waits is read once as a worker starts, however many pages come', async () => {
  const stage = new OutboxStage();
  stage.answer = unreachable;
  await stage.open().queue(1, 'first');
  await rounds();
  stage.restart();
  const all = vi.spyOn(StoredOutbox.prototype, 'all');
  const tabs = Array.from({ length: 3 }, () => stage.open());
  for (const tab of tabs) tab.meet();
  await goOn(stage, 1);
  expect(await Promise.all(tabs.map((tab) => tab.list()))).toMatchObject([[{}], [{}], [{}]]);
  expect(all).toHaveBeenCalledTimes(1);
});
