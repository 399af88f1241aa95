import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { json, unreachable } from '../../worker/platform/system.fixture.ts';
import { settle } from '../../worker/platform/virtual-clock.fixture.ts';
import { declaration } from './invocation.fixture.ts';
import type { Session } from './session.ts';
import { HeardLoop } from './stage.fixture.ts';
import { World } from './world.fixture.ts';

const INTERVAL = 600_000;
const PACE = { kind: 'poll', interval: INTERVAL, hidden: 'continue' } as const;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** Time passes for the page and the worker alike. */
async function pass(world: World, milliseconds: number, step = 1_000): Promise<void> {
  for (let left = milliseconds; left > 0; left -= step) {
    await vi.advanceTimersByTimeAsync(Math.min(left, step));
    await world.system.clock.advance(Math.min(left, step));
    await settle();
  }
}

/** A poll of ten minutes that was cut off for long, and waits for the end of its back-off; the network is back by now. */
async function cutOff(): Promise<{ world: World; session: Session }> {
  const world = new World();
  const session = world.session();
  world.system.serve = () => unreachable();
  session.declare(declaration({ loop: 1, pace: PACE }), new HeardLoop());
  while (world.system.requests.length < 6) await pass(world, 30_000, 30_000);
  world.system.serve = () => json('back');
  await pass(world, 30_000);
  return { world, session };
}

async function askedWithin(world: World, milliseconds: number): Promise<number> {
  const before = world.system.requests.length;
  await pass(world, milliseconds, 5_000);
  return world.system.requests.length - before;
}

describe('a poll of ten minutes asks within half of that when the network is back', () => {
  test('where its worker lives on', async () => {
    const { world, session } = await cutOff();
    session.presence.online();
    expect(await askedWithin(world, INTERVAL / 2 + 5_000)).toBe(1);
  });

  test('where its worker, which has asked before, ends 30 s later', async () => {
    const { world, session } = await cutOff();
    session.presence.online();
    expect(await askedWithin(world, 30_000)).toBe(0);
    await world.kill();
    expect(await askedWithin(world, INTERVAL / 2 - 25_000)).toBe(1);
  });

  test('where the worker that hears of it has not asked yet, since it waits out the failure of the one before, and ends 30 s later', async () => {
    const { world, session } = await cutOff();
    await world.kill();
    session.presence.online();
    expect(await askedWithin(world, 30_000)).toBe(0);
    await world.kill();
    expect(await askedWithin(world, INTERVAL / 2 - 25_000)).toBe(1);
  });

  test('where that worker ends 2 s later', async () => {
    const { world, session } = await cutOff();
    await world.kill();
    session.presence.online();
    await pass(world, 2_000);
    await world.kill();
    session.connect();
    expect(await askedWithin(world, INTERVAL / 2 + 5_000)).toBe(1);
  });

  test('where it failed for another reason before, and its worker ends before it has asked', async () => {
    const world = new World();
    const session = world.session();
    world.system.serve = () => json('busy', {}, 503);
    session.declare(declaration({ loop: 1, pace: PACE }), new HeardLoop());
    while (world.system.requests.length < 4) await pass(world, 30_000, 30_000);
    world.system.serve = () => unreachable();
    while (world.system.requests.length < 5) await pass(world, 30_000, 30_000);
    world.system.serve = () => json('back');
    session.presence.online();
    await pass(world, 2_000);
    await world.kill();
    expect(await askedWithin(world, INTERVAL / 2 + 5_000)).toBe(1);
  });
});
