import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { settle } from '../../worker/platform/virtual-clock.fixture.ts';
import { declaration } from './invocation.fixture.ts';
import { HeardLoop } from './stage.fixture.ts';
import { World } from './world.fixture.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

afterEach(() => {
  vi.useRealTimers();
});

const SLOW = { kind: 'poll', interval: 300_000, hidden: 'slow' } as const;

/** Time passes for the page and the worker alike. */
async function pass(world: World, milliseconds: number): Promise<void> {
  for (let left = milliseconds; left > 0; left -= 5_000) {
    const step = Math.min(left, 5_000);
    await vi.advanceTimersByTimeAsync(step);
    await world.system.clock.advance(step);
    await settle();
  }
}

/** How often the server is asked in an hour in which the worker dies each 45 s. */
async function askedInAnHour(world: World): Promise<number> {
  const before = world.system.requests.length;
  for (let life = 0; life < 80; life += 1) {
    await pass(world, 45_000);
    await world.kill();
  }
  return world.system.requests.length - before;
}

test.each([0, -7_200_000])(
  'a poll of five minutes goes on though its worker dies between the ticks, once the clock was set by %i ms',
  async (by) => {
    const world = new World();
    const session = world.session();
    session.declare(declaration({ pace: SLOW }), new HeardLoop());
    await pass(world, 45_000);
    await world.kill();
    world.system.clock.set(by);
    const asked = await askedInAnHour(world);
    session.close();
    expect(asked).toBeGreaterThanOrEqual(11);
  },
);

test.each([0, -7_200_000])(
  'a hidden page’s poll of 5 s asks about once a minute though its worker dies, once the clock was set by %i ms',
  async (by) => {
    const world = new World();
    const session = world.session();
    session.declare(declaration(), new HeardLoop());
    await pass(world, 5_000);
    session.presence.setHidden(true);
    await pass(world, 45_000);
    await world.kill();
    world.system.clock.set(by);
    const asked = await askedInAnHour(world);
    session.close();
    expect(asked).toBeGreaterThanOrEqual(35);
  },
);

describe('where a page does not see that its worker dies', () => {
  const WORLDS = [
    ['without locks', (world: World) => void Object.assign(world.system, { locks: null })],
    ['once the site’s data was cleared', (world: World) => void (world.isCleared = true)],
  ] as const;

  test.each(WORLDS)('%s, a poll of five minutes goes on', async (_, blind) => {
    const world = new World();
    blind(world);
    const session = world.session();
    session.declare(declaration({ pace: SLOW }), new HeardLoop());
    await pass(world, 45_000);
    const asked = await askedInAnHour(world);
    session.close();
    expect(asked).toBeGreaterThanOrEqual(10);
  });

  test.each(WORLDS)('%s, a hidden page’s poll of 5 s asks about once a minute', async (_, blind) => {
    const world = new World();
    blind(world);
    const session = world.session();
    session.declare(declaration(), new HeardLoop());
    await pass(world, 5_000);
    session.presence.setHidden(true);
    const asked = await askedInAnHour(world);
    session.close();
    expect(asked).toBeGreaterThanOrEqual(35);
  });
});
