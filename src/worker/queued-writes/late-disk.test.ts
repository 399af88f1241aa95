import { describe, expect, test } from 'vitest';
import { unreachable } from '../platform/system.fixture.ts';
import { LateDisk, startLate, WISH } from './late-disk.fixture.ts';
import { GIVEN_UP, goOn, OutboxStage } from './outbox-stage.fixture.ts';

/** The same where the disk opens nothing. */
async function late(): Promise<{ stage: OutboxStage; disk: LateDisk }> {
  const disk = new LateDisk();
  return { stage: await startLate(disk), disk };
}

describe('where the whole disk is late as a worker starts,', () => {
  test('what waits is sent in that very life, and what is queued then after it', async () => {
    const { stage, disk } = await late();
    const next = stage.open();
    void next.greet();
    await goOn(stage, 10);
    disk.isLate = false;
    await goOn(stage, 60);
    await next.queue(2, 'second', WISH);
    await goOn(stage, 5);
    await next.heard('entry-2 done');
    expect(stage.performed).toEqual(['first', 'second']);
  });

  test('a write whose call is given up then is not sent, in no life', async () => {
    const { stage, disk } = await late();
    const next = stage.open();
    next.meet();
    const giving = Promise.allSettled([next.remote.control(GIVEN_UP)]);
    await goOn(stage, 10);
    expect(await giving).toMatchObject([{ status: 'rejected' }]);
    disk.isLate = false;
    await goOn(stage, 60);
    stage.restart();
    await stage.open().greet();
    await goOn(stage, 60);
    expect(stage.performed).toEqual([]);
  });

  test('a write that cannot be stored overtakes nothing that may wait', async () => {
    const { stage } = await late();
    const next = stage.open();
    void next.greet();
    await goOn(stage, 10);
    void next.queue(2, 'second', WISH);
    await goOn(stage, 60);
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
    await goOn(stage, 10);
    disk.isLate = false;
    await goOn(stage, 60);
    expect(stage.performed).toEqual([]);
  });
});
