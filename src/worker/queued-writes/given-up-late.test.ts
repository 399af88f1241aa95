import { expect, test } from 'vitest';
import { json } from '../platform/system.fixture.ts';
import type { Begin } from './faulty-disk.fixture.ts';
import { GIVEN_UP, goOn, OutboxStage, rounds } from './outbox-stage.fixture.ts';
import { SlowReads } from './slow-reads.fixture.ts';

const PUT = { method: 'PUT', template: '/photo/7' };

/** It reads stored answers slowly, so that the version which a write changes is known late. */
class SlowAnswers extends SlowReads {
  /** True where the outbox is to fail once it has a write. */
  isToFail = false;
  #hasWrite = false;

  protected override isMeant(): boolean {
    return true;
  }

  protected override begin(begin: Begin, ...[names, mode, options]: Parameters<Begin>): IDBTransaction {
    if (![names].flat().includes('outbox')) return super.begin(begin, names, mode, options);
    if (this.isToFail && this.#hasWrite) throw new DOMException('It fails', 'UnknownError');
    const transaction = begin(names, mode, options);
    const store = transaction.objectStore('outbox');
    const put = store.put.bind(store);
    store.put = (...given) => {
      this.#hasWrite = true;
      return put(...given);
    };
    return transaction;
  }
}

test.each([
  ['', false, 'fulfilled'],
  [', though the disk fails once it has that', true, 'rejected'],
] as const)(
  'a call that is given up while its write is on its way to the disk is sent in no life%s',
  async (_case, isToFail, status) => {
    const disk = new SlowAnswers(1_000);
    const stage = new OutboxStage(disk);
    stage.answer = ({ init }) => (init.method === 'GET' ? json({}, { ETag: '"1"' }) : null);
    const before = stage.open();
    before.meet();
    await before.call(50);
    await goOn(stage, 5);
    stage.restart();
    const tab = stage.open();
    await tab.greet();
    await goOn(stage, 1);
    Object.assign(disk, { clock: stage.world.clock, isSlow: true, latency: 1_500, isToFail });
    // Soon its page does not want it any more, and is told nothing of it.
    tab.queue(1, 'given up', PUT).catch(() => {});
    await rounds(2);
    tab.wish = { calls: [] };
    void tab.greet();
    const answered: string[] = [];
    const giving = tab.remote.control(GIVEN_UP);
    void Promise.allSettled([giving]).then(([end]) => answered.push(end.status));
    await rounds();
    // Where the worker dies now, the page asks the next one.
    expect(answered).toEqual([]);
    await goOn(stage, 10);
    expect(answered).toEqual([status]);
    Object.assign(disk, { isSlow: false, isToFail: false });
    await goOn(stage, 20);
    stage.restart();
    await stage.open().greet();
    await goOn(stage, 60);
    expect(stage.performed).toEqual([]);
  },
);
