import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../shared/outcome.ts';
import type { OutboxStore, WaitingWrite } from '../contracts/outbox-store.ts';
import { answered } from '../contracts/outcome.fixture.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { Deferred } from '../platform/waiting.ts';
import { diskOf, drainerOn } from './drainer.fixture.ts';
import type { Draining } from './drainer.fixture.ts';
import { write } from './write.fixture.ts';

/** Two writes to one URL, in two lanes. The first is under way; then the disk fails, and the second may begin. */
class FailingDisk {
  /** What was sent: places, the versions that they change, and their states on the disk at that moment. */
  readonly sent: unknown[] = [];
  readonly first: Deferred = new Deferred();
  readonly #draining: Draining;
  isFull = false;

  constructor() {
    const put = { ...write(1).invocation, method: 'PUT' };
    const disk = diskOf([
      write(1, { lane: 'a', matches: '"v1"', invocation: { ...put } }),
      write(2, { lane: 'b', matches: '"v1"', invocation: { ...put }, attempts: 1, failures: 1 }),
    ]);
    const change: OutboxStore['change'] = async (writes) => {
      if (this.isFull) throw new DOMException('full', 'QuotaExceededError');
      return disk.store.change(writes);
    };
    const send = async ({ place, matches }: WaitingWrite): Promise<Outcome> => {
      this.sent.push([place, matches, disk.writes.get(place)?.state]);
      if (place === 1) await this.first.promise;
      return answered({
        answer: { status: 200, headers: [['etag', '"v2"']], body: { kind: 'value', value: null } },
      });
    };
    this.#draining = drainerOn({ ...disk.store, change }, send, {
      urlOf: () => 'https://example.com/photos/7',
    });
  }

  async begin(): Promise<void> {
    const free = this.#draining.drainer.hold('b');
    await rounds();
    this.isFull = true;
    free();
    await rounds();
  }

  async goOn(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      await this.#draining.clock.advance(1_000);
      await rounds();
    }
  }
}

async function rounds(): Promise<void> {
  for (let round = 0; round < 20; round += 1) await settle();
}

describe('an attempt that the disk does not store', () => {
  test.each([false, true])(
    'is not sent; another write to the same is done meanwhile: %s',
    async (isFirstDone) => {
      const stage = new FailingDisk();
      await stage.begin();
      if (isFirstDone) stage.first.resolve();
      await stage.goOn(5);
      expect(stage.sent).toEqual([[1, '"v1"', 'sending']]);
    },
  );

  test('goes to the version that was made meanwhile, once it is stored', async () => {
    const stage = new FailingDisk();
    await stage.begin();
    stage.first.resolve();
    await stage.goOn(2);
    stage.isFull = false;
    await stage.goOn(10);
    expect(stage.sent).toEqual([
      [1, '"v1"', 'sending'],
      [2, '"v2"', 'sending'],
    ]);
  });
});
