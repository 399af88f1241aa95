import { expect, test } from 'vitest';
import type { Delivered, Delivery } from '../../shared/delivery.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { Hub, StorageReports } from './hub.ts';

const OPENED = { kind: 'opened', name: '/#default', madeAt: 1 } as const;

class Stage {
  readonly hub: Hub = new Hub('life 1', () => new Promise(() => {}));
  readonly reports: StorageReports = new StorageReports(this.hub);

  /** A page, as compose introduces it; returns what it is told. */
  open(page: string): Delivery[] {
    const told: Delivery[] = [];
    const deliver = async (batch: readonly Delivered[]): Promise<void> =>
      void told.push(...batch.map(({ place: _place, ...delivery }) => delivery));
    this.hub.open(page, { deliver, tell: null });
    this.hub.introduce(page);
    this.reports.introduce(page);
    return told;
  }
}

test('every page is told when the database was made, those that come later too', async () => {
  const stage = new Stage();
  const early = stage.open('early');
  stage.reports.take(OPENED);
  const late = stage.open('late');
  await settle();
  expect([early, late]).toEqual([[OPENED], [OPENED]]);
});

test('that there is only memory is told for good, that there is no more room only now', async () => {
  const stage = new Stage();
  const early = stage.open('early');
  stage.reports.take({ kind: 'full' });
  stage.reports.take({ kind: 'memory', reason: 'broken disk' });
  const late = stage.open('late');
  await settle();
  const memory = { kind: 'storage', mode: 'memory', reason: 'broken disk' };
  expect(early).toEqual([expect.objectContaining({ kind: 'storage', mode: 'indexeddb' }), memory]);
  expect(late).toEqual([memory]);
});
