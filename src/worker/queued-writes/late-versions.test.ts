import { expect, test } from 'vitest';
import { json } from '../platform/system.fixture.ts';
import type { Clock } from '../platform/system.ts';
import { IDBFactory } from '../storage/indexeddb.fixture.ts';
import { submission } from '../tab.fixture.ts';
import { FaultyDisk } from './faulty-disk.fixture.ts';
import type { Begin } from './faulty-disk.fixture.ts';
import { goOn, OutboxStage } from './outbox-stage.fixture.ts';
import type { OutboxTab } from './outbox-stage.fixture.ts';

/** A disk on which stored answers lie that is busy until a time, or fails for a moment. */
class BusyDisk extends FaultyDisk {
  clock: Pick<Clock, 'now'> = { now: () => 0 };
  until = 0;
  /** How many transactions still fail. */
  fails = 0;

  protected override isMeant(database: string): boolean {
    return database.includes('#') && !database.includes('outbox');
  }

  protected override begin(begin: Begin, ...[names, mode, options]: Parameters<Begin>): IDBTransaction {
    this.fails -= 1;
    if (this.fails >= 0) throw new DOMException('Internal error', 'UnknownError');
    const transaction = begin(names, mode, options);
    const hold = (): void => {
      if (this.clock.now() >= this.until || transaction.error) return;
      try {
        const [first = ''] = typeof names === 'string' ? [names] : [...names];
        transaction.objectStore(first).count().addEventListener('success', hold);
      } catch {
        // It was aborted.
      }
    };
    hold();
    return transaction;
  }
}

/** A disk on which a version of a photo is stored, and an app that begins there, while somebody else changes it. */
async function seen(disk: BusyDisk, headers: Record<string, string> = {}): Promise<OutboxStage> {
  const stage = new OutboxStage(disk);
  disk.clock = stage.world.clock;
  const tab = stage.open();
  stage.answer = () => json({ id: 7 }, { ETag: '"a"', 'Cache-Control': 'no-cache', ...headers });
  tab.meet();
  await tab.call(50);
  await goOn(stage, 5);
  stage.restart();
  stage.answer = ({ headers: said }) =>
    said.get('If-Match') === '"a"' ? json({}, { ETag: '"b"' }, 412) : null;
  return stage;
}

async function writes(stage: OutboxStage, tab: OutboxTab): Promise<readonly string[]> {
  void tab.queue(1, 'mine', { method: 'PUT', template: '/photo/7' });
  for (let step = 0; step < 70; step += 1) await stage.world.clock.advance(100);
  return tab.told;
}

test.each([0, 1_000, 2_500, 4_000])(
  'a write says which version it changes, though the disk is busy for %i ms as the worker starts',
  async (milliseconds) => {
    const disk = new BusyDisk();
    const stage = await seen(disk);
    disk.until = stage.world.clock.now() + milliseconds;
    expect(await writes(stage, stage.open())).toEqual(['entry-1 conflict']);
  },
);

test.each([1, 2, 3])(
  'a write says which version it changes, though the disk fails for a moment: %i times',
  async (fails) => {
    for (const headers of [{}, { Vary: 'Accept-Language' }]) {
      const disk = new BusyDisk();
      const stage = await seen(disk, headers);
      const tab = stage.open();
      await tab.greet();
      await goOn(stage, 1);
      disk.fails = fails;
      expect(await writes(stage, tab)).toEqual(['entry-1 conflict']);
    }
  },
);

test('a write says which version it changes, though the disk was late with something else just before', async () => {
  const disk = new BusyDisk();
  const stage = await seen(disk);
  const tab = stage.open();
  await tab.greet();
  await goOn(stage, 1);
  disk.until = stage.world.clock.now() + 2_300;
  void tab.submitAll([submission(60, { template: '/photo/8' })]);
  await stage.world.clock.advance(2_200);
  expect(await writes(stage, tab)).toEqual(['entry-1 conflict']);
});

test('a write waits no longer than 5 s for the disk, and says then what this worker has seen', async () => {
  const disk = new BusyDisk();
  const stage = await seen(disk);
  const tab = stage.open();
  const { answer } = stage;
  stage.answer = () => json({ id: 7 }, { ETag: '"a"', 'Cache-Control': 'no-cache' });
  tab.meet();
  await tab.call(50);
  await goOn(stage, 5);
  stage.answer = answer;
  disk.until = Infinity;
  expect(await writes(stage, tab)).toEqual(['entry-1 conflict']);
});

test('a write of what this worker has not seen goes without a version if the disk does not answer for 5 s', async () => {
  const disk = new BusyDisk();
  const stage = await seen(disk);
  disk.until = Infinity;
  const tab = stage.open();
  expect(await writes(stage, tab)).toEqual(['entry-1 done']);
  expect(stage.world.requests.at(-1)?.headers.get('If-Match')).toBeNull();
});

/** To open the database of stored answers takes a while. */
class LateDatabase extends IDBFactory {
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

test('a write says which version it changes, though its database opens late', async () => {
  const disk = new LateDatabase();
  const stage = new OutboxStage(disk);
  const tab = stage.open();
  stage.answer = () => json({ id: 7 }, { ETag: '"a"', 'Cache-Control': 'no-cache' });
  tab.meet();
  await tab.call(50);
  await goOn(stage, 3);

  Object.assign(disk, { clock: stage.world.clock, milliseconds: 1_000 });
  stage.restart();
  // Somebody else has changed it meanwhile.
  stage.answer = ({ headers }) => (headers.get('If-Match') === '"a"' ? json({}, { ETag: '"b"' }, 412) : null);
  const next = stage.open();
  void next.queue(1, 'mine', { method: 'PUT', template: '/photo/7' });
  await goOn(stage, 10);
  expect(next.told).toEqual(['entry-1 conflict']);
});
