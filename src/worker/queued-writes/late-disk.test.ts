import { describe, expect, test } from 'vitest';
import { unreachable } from '../platform/system.fixture.ts';
import { IDBFactory } from '../storage/indexeddb.fixture.ts';
import { OutboxStage, rounds } from './outbox-stage.fixture.ts';

/** A disk that opens no database for a while: after a kill, the browser puts what it has stored in order first. */
class LateDisk extends IDBFactory {
  isLate = false;

  override open(name: string, version?: number): IDBOpenDBRequest {
    const request = super.open(name, version);
    if (!this.isLate) return request;
    const unheard = (event: Event): void => {
      event.stopImmediatePropagation();
      request.result.close();
    };
    request.addEventListener('success', unheard, { once: true });
    return request;
  }
}

/** A worker that starts while the disk opens nothing, with a write that an earlier one has left. */
async function late(): Promise<{ stage: OutboxStage; disk: LateDisk }> {
  const disk = new LateDisk();
  const stage = new OutboxStage(disk);
  stage.answer = unreachable;
  await stage.open().queue(1, 'first', WISH);
  await rounds();
  disk.isLate = true;
  stage.restart();
  stage.answer = () => null;
  return { stage, disk };
}

async function pass({ world }: OutboxStage, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) await world.clock.advance(1_000);
}

const WISH = { method: 'PUT', template: '/photo/7' };

describe('where the whole disk is late as a worker starts,', () => {
  test('what waits is sent in that very life, and what is queued then after it', async () => {
    const { stage, disk } = await late();
    const next = stage.open();
    void next.greet();
    await pass(stage, 10);
    disk.isLate = false;
    await pass(stage, 60);
    await next.queue(2, 'second', WISH);
    await pass(stage, 5);
    await next.heard('entry-2 done');
    expect(stage.performed).toEqual(['first', 'second']);
  });

  test('a write that cannot be stored overtakes nothing that may wait', async () => {
    const { stage } = await late();
    const next = stage.open();
    void next.greet();
    await pass(stage, 10);
    void next.queue(2, 'second', WISH);
    await pass(stage, 60);
    const [told] = next.deliveries.filter((each) => each.kind === 'settled');
    expect(told).toMatchObject({ id: 2, outcome: { kind: 'failed', failure: { code: 'storage' } } });
    expect(stage.performed).toEqual([]);
  });

  test('nobody’s writes are not sent for somebody who is signed in as far as the disk knows', async () => {
    const { stage, disk } = await late();
    disk.isLate = false;
    stage.answer = unreachable;
    stage.restart();
    await stage.open().sign('anna');
    disk.isLate = true;
    stage.restart();
    stage.answer = () => null;
    void stage.open().greet();
    await pass(stage, 10);
    disk.isLate = false;
    await pass(stage, 60);
    expect(stage.performed).toEqual([]);
  });
});
