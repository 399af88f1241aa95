import { describe, expect, test } from 'vitest';
import { settle, VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { KeepaliveLeader } from './keepalive-leader.ts';

/** Pages that ask the worker to stay, again whenever they are answered. */
class Stage {
  readonly clock: VirtualClock = new VirtualClock();
  readonly leader: KeepaliveLeader = new KeepaliveLeader((milliseconds, signal) =>
    this.clock.sleep(milliseconds, signal),
  );
  /** Every message, by the page that sent it. */
  readonly messages: string[] = [];
  /** Pages that do not ask again. */
  readonly silent = new Set<string>();
  /** The pages that were answered and did not ask again. */
  readonly letGo: string[] = [];
  /** How many events are held. */
  held = 0;

  async page(name: string, hidden = false): Promise<void> {
    while (!this.silent.has(name)) {
      this.messages.push(name);
      const { answered, held } = this.leader.ask(name, hidden);
      void this.hold(held);
      await answered;
    }
    this.letGo.push(name);
  }

  async hold(held: Promise<void>): Promise<void> {
    this.held += 1;
    await held;
    this.held -= 1;
  }

  /** Starts pages, one after the other. */
  async start(...names: readonly string[]): Promise<void> {
    for (const name of names) void this.page(name, name.startsWith('hidden'));
    await settle();
  }

  /** The pages heard of in the next so many milliseconds. */
  async heardIn(milliseconds: number): Promise<string[]> {
    this.messages.length = 0;
    await this.clock.advance(milliseconds);
    return [...this.messages];
  }
}

test('of fifty pages one keeps the worker, with a message every twenty seconds', async () => {
  const stage = new Stage();
  const pages = Array.from({ length: 50 }, (_, number) => `page ${number}`);
  await stage.start(...pages);
  expect(await stage.heardIn(200_000)).toEqual(Array.from({ length: 10 }, () => 'page 0'));
});

test('an event is held at any time, and one only', async () => {
  const stage = new Stage();
  await stage.start('a', 'b', 'c');
  for (let second = 0; second < 100; second += 1) {
    expect(stage.held).toBe(1);
    await stage.clock.advance(1_000);
  }
});

describe('the leader', () => {
  test('is a visible page before a hidden one', async () => {
    const stage = new Stage();
    await stage.start('hidden', 'visible');
    expect(await stage.heardIn(60_000)).toEqual(['visible', 'visible', 'visible']);
  });

  test('is another one when it is hidden', async () => {
    const stage = new Stage();
    await stage.start('a', 'b');
    stage.leader.setHidden('a', true);
    expect(await stage.heardIn(20_000)).toEqual(['b']);
  });

  test('that falls silent is followed within two seconds', async () => {
    const stage = new Stage();
    await stage.start('a', 'b');
    stage.silent.add('a');
    expect(await stage.heardIn(21_900)).toEqual([]);
    expect(await stage.heardIn(200)).toEqual(['b']);
    expect(await stage.heardIn(40_000)).toEqual(['b', 'b']);
  });

  test('that is gone is followed at once', async () => {
    const stage = new Stage();
    await stage.start('a', 'b');
    stage.leader.forget('a');
    expect(await stage.heardIn(0)).toEqual(['b']);
  });

  test('is nobody where nobody asks, and then whoever asks', async () => {
    const stage = new Stage();
    await stage.start('a');
    stage.silent.add('a');
    await stage.clock.advance(60_000);
    expect(stage.held).toBe(0);
    await stage.start('b');
    expect(stage.held).toBe(1);
    expect(await stage.heardIn(40_000)).toEqual(['b', 'b']);
  });
});

test('a page that waits and is gone is never asked', async () => {
  const stage = new Stage();
  await stage.start('a', 'b', 'c');
  stage.leader.forget('b');
  stage.silent.add('a');
  expect(await stage.heardIn(25_000)).toEqual(['c']);
});

test('a page that asks anew has its earlier question answered', async () => {
  const stage = new Stage();
  await stage.start('a');
  const first = stage.leader.ask('b', false);
  stage.leader.ask('b', false);
  await expect(first.answered).resolves.toBeUndefined();
});

describe('retired', () => {
  test('it lets every page go that waits, and every event', async () => {
    const stage = new Stage();
    await stage.start('a', 'hidden', 'b');
    for (const name of ['a', 'hidden', 'b']) stage.silent.add(name);
    expect(stage.held).toBe(1);
    stage.leader.retire();
    await settle();
    expect([stage.letGo, stage.held]).toEqual([['a', 'hidden', 'b'], 0]);
    expect(await stage.heardIn(60_000)).toEqual([]);
  });

  test('it lets them go who wait for a leader that has just been answered', async () => {
    const stage = new Stage();
    await stage.start('a', 'b');
    stage.silent.add('a');
    await stage.clock.advance(20_000);
    stage.silent.add('b');
    expect([stage.letGo, stage.held]).toEqual([['a'], 0]);
    stage.leader.retire();
    await settle();
    expect(stage.letGo).toEqual(['a', 'b']);
    expect(await stage.heardIn(60_000)).toEqual([]);
  });

  test('it is not kept by a page that is forgotten afterwards', async () => {
    const stage = new Stage();
    await stage.start('a', 'b');
    for (const name of ['a', 'b']) stage.silent.add(name);
    stage.leader.retire();
    for (const name of ['a', 'b']) stage.leader.forget(name);
    await settle();
    expect(stage.held).toBe(0);
  });
});
