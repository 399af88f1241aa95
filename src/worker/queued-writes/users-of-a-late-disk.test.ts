import { expect, test } from 'vitest';
import { unreachable } from '../platform/system.fixture.ts';
import { stateOf } from '../platform/virtual-clock.fixture.ts';
import { LateDisk } from './late-disk.fixture.ts';
import { goOn, OutboxStage, rounds } from './outbox-stage.fixture.ts';
import type { OutboxTab } from './outbox-stage.fixture.ts';

/** A worker that starts while the disk is late. A write of ada's waits, who was signed in before. */
class Stage extends OutboxStage {
  readonly disk: LateDisk;

  constructor() {
    const disk = new LateDisk();
    super(disk);
    this.disk = disk;
    this.answer = unreachable;
  }

  async startLate(): Promise<OutboxTab> {
    const before = this.open();
    await before.sign('ada');
    await before.queue(1, 'of ada');
    await rounds();
    this.disk.isLate = true;
    this.restart();
    const tab = this.open();
    void tab.greet();
    await goOn(this, 10);
    return tab;
  }

  async sign(tab: OutboxTab, name: string | null): Promise<void> {
    await Promise.all([tab.sign(name), goOn(this, 10)]);
  }

  async recover(): Promise<void> {
    this.disk.isLate = false;
    await goOn(this, 60);
  }

  /** All cookies are the next user's. The browser wakes a worker for what waits, without a page. */
  async wakeNext(): Promise<void> {
    this.restart();
    this.answer = () => null;
    void this.wake();
    await goOn(this, 60);
  }
}

test.each(['bob', null])(
  'what waits for a user is not sent once the disk is well and that user has signed out; %s is there then',
  async (next) => {
    const stage = new Stage();
    const tab = await stage.startLate();
    await stage.sign(tab, 'ada');
    await stage.recover();
    await stage.sign(tab, next);
    await tab.queue(2, 'of the next');
    await stage.wakeNext();
    expect([tab.queued, stage.performed]).toEqual([[2], ['of the next']]);
  },
);

test.each(['bob', null])(
  'the same where that is said while the disk is late; %s is there then',
  async (next) => {
    const stage = new Stage();
    const tab = await stage.startLate();
    await stage.sign(tab, next);
    await stage.recover();
    await tab.queue(2, 'of the next');
    await stage.wakeNext();
    expect([tab.queued, stage.performed]).toEqual([[2], ['of the next']]);
  },
);

test('who is signed in is told once the disk says so, where no page has said anything', async () => {
  const stage = new Stage();
  const tab = await stage.startLate();
  await stage.recover();
  const told = tab.deliveries.flatMap((each) => (each.kind === 'identity' ? [each.identity] : []));
  expect(told).toMatchObject([{ name: null, isSignedIn: true }]);
  await stage.sign(tab, 'ada');
  expect(await tab.list()).toHaveLength(1);
});

test('a sign-out that is to discard says that it has not while the disk is late', async () => {
  const stage = new Stage();
  const tab = await stage.startLate();
  const out = tab.discard();
  out.catch(() => {});
  await goOn(stage, 8);
  expect(await stateOf(out)).toBe('rejected');
  await stage.recover();
  await stage.sign(tab, 'ada');
  expect(await tab.list()).toHaveLength(1);
});
