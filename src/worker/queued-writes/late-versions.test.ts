import { expect, test } from 'vitest';
import { json, until } from '../platform/system.fixture.ts';
import type { Clock } from '../platform/system.ts';
import { IDBFactory } from '../storage/indexeddb.fixture.ts';
import { submission } from '../tab.fixture.ts';
import { goOn, OutboxStage } from './outbox-stage.fixture.ts';

/** A disk that is busy: to open the database of stored answers takes a while. */
class BusyDisk extends IDBFactory {
  clock: Pick<Clock, 'sleep'> | null = null;
  milliseconds = 0;

  override open(name: string, version?: number): IDBOpenDBRequest {
    const request = super.open(name, version);
    const { clock, milliseconds } = this;
    if (name.includes('outbox') || clock === null || milliseconds === 0) return request;
    const listen = request.addEventListener.bind(request);
    return Object.assign(request, {
      addEventListener: (type: string, listener: (event: Event) => void) =>
        listen(type, async (event) => {
          if (type === 'success') await clock.sleep(milliseconds);
          listener(event);
        }),
    });
  }
}

test('a write says which version it changes, though the disk is busy as the worker starts', async () => {
  const disk = new BusyDisk();
  const stage = new OutboxStage(disk);
  const tab = stage.open();
  stage.answer = () => json({ id: 7 }, { ETag: '"a"', 'Cache-Control': 'no-cache' });
  tab.meet();
  await tab.submitAll([submission(50, { template: '/photo/7' })]);
  await until(() => tab.settled.includes(50));
  await goOn(stage, 3);

  Object.assign(disk, { clock: stage.world.clock, milliseconds: 1_000 });
  stage.restart();
  // Somebody else has changed it meanwhile.
  stage.answer = ({ headers }) => (headers.get('If-Match') === '"a"' ? json({}, { ETag: '"b"' }, 412) : null);
  const next = stage.open();
  void next.queue(1, 'mine', { method: 'PUT', template: '/photo/7' });
  await goOn(stage, 10);
  expect([next.told, stage.performed]).toEqual([['entry-1 conflict'], []]);
});
