import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../shared/limits.ts';
import { json, unreachable } from '../../worker/platform/system.fixture.ts';
import { settle } from '../../worker/platform/virtual-clock.fixture.ts';
import { declaration, submission } from './invocation.fixture.ts';
import { HeardCall, HeardLoop } from './stage.fixture.ts';
import { World } from './world.fixture.ts';

/** How long until the page and the worker have said what they have to say now. */
const AT_ONCE = 1_000;

const MINUTELY = { kind: 'poll', interval: 60_000, hidden: 'continue' } as const;

describe('what a page says between two greetings of a worker that lives', () => {
  test('a loop that it stops asks no more', async () => {
    const world = new World();
    const session = world.session();
    session.declare(declaration({ loop: 1, pace: { ...MINUTELY, interval: 1_000 } }), new HeardLoop());
    expect(await world.asked(3_500)).toHaveLength(4);
    session.presence.show();
    session.stop(1);
    await world.pass(AT_ONCE);
    expect(await world.asked(4_000)).toEqual([]);
  });

  test('so it is where the greeting is out, and where it is answered late', async () => {
    const world = new World();
    const session = world.session();
    session.declare(declaration({ loop: 1, pace: { ...MINUTELY, interval: 1_000 } }), new HeardLoop());
    await world.pass(AT_ONCE);
    session.presence.show();
    // Some promises later the greeting is posted, and not answered yet.
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    session.stop(1);
    await world.pass(AT_ONCE);
    expect(await world.asked(4_000)).toEqual([]);
  });

  test('another pace counts', async () => {
    const world = new World();
    const session = world.session();
    session.declare(declaration({ loop: 1, pace: MINUTELY }), new HeardLoop());
    await world.pass(AT_ONCE);
    session.presence.show();
    session.setInterval(1, 1_000);
    await world.pass(AT_ONCE);
    expect(await world.asked(4_000)).toHaveLength(4);
  });

  test('a call that it aborts has no request out any more', async () => {
    const world = new World();
    const session = world.session();
    const signals: (AbortSignal | null | undefined)[] = [];
    world.system.serve = ({ init }) => {
      signals.push(init.signal);
      return new Promise(() => {});
    };
    const heard = new HeardCall();
    session.call(submission(1, { method: 'POST' }), heard);
    await world.pass(AT_ONCE);
    expect(signals).toHaveLength(1);
    session.presence.show();
    session.abort([1]);
    await world.pass(AT_ONCE);
    expect(heard.ends).toEqual(['aborted']);
    expect(signals[0]?.aborted).toBe(true);
  });

  test('a connection that is closed holds nothing', async () => {
    const world = new World();
    const session = world.session();
    session.declare(declaration({ loop: 1, pace: { ...MINUTELY, interval: 1_000 } }), new HeardLoop());
    await world.pass(AT_ONCE);
    session.presence.show();
    session.close();
    await world.pass(AT_ONCE);
    expect(await world.asked(4_000)).toEqual([]);
  });

  test('that it is hidden counts', async () => {
    const world = new World();
    const session = world.session();
    const pace = { kind: 'poll', interval: 1_000, hidden: 'pause' } as const;
    session.declare(declaration({ loop: 1, pace }), new HeardLoop());
    await world.pass(AT_ONCE);
    session.presence.show();
    session.presence.setHidden(true);
    await world.pass(AT_ONCE);
    expect(await world.asked(4_000)).toEqual([]);
  });
});

test('connections that are closed before their worker has answered do not count', async () => {
  const world = new World();
  for (let nth = 1; nth <= LIMITS.sessions + 1; nth += 1) {
    const early = world.session(`session ${nth}`);
    early.connect();
    // Closed before the greeting is posted, while it is out, and long after.
    for (let turn = 0; turn < nth; turn += 1) await Promise.resolve();
    early.close();
  }
  await world.pass(AT_ONCE);
  const heard = new HeardCall();
  world.system.serve = () => json('served');
  world.session('one more').call(submission(1), heard);
  await world.pass(AT_ONCE);
  expect(heard.ends).toEqual(['served']);
});

/** Has the network fail until a poll of a minute waits for minutes. */
async function fail(world: World): Promise<void> {
  world.system.serve = () => unreachable();
  const enough = world.system.requests.length + 7;
  while (world.system.requests.length < enough) await world.pass(AT_ONCE);
  world.system.serve = () => json('back');
}

/** A poll of a minute that waits for minutes, since the network was gone. */
async function cutOff(world: World): Promise<ReturnType<World['session']>> {
  const session = world.session();
  session.declare(declaration({ loop: 1, pace: MINUTELY }), new HeardLoop());
  await fail(world);
  expect(await world.asked(31_000)).toEqual([]);
  return session;
}

describe('that the network is back counts', () => {
  test('where it is said while the page greets', async () => {
    const world = new World();
    const session = await cutOff(world);
    session.presence.show();
    session.presence.online();
    expect(await world.asked(31_000)).toEqual(['/photo']);
  });

  test('where it is said to a worker that is dead already', async () => {
    const world = new World();
    const session = await cutOff(world);
    const dying = world.kill();
    session.presence.online();
    await dying;
    expect(await world.asked(31_000)).toEqual(['/photo']);
  });

  test('where the worker that was told dies before it has asked', async () => {
    const world = new World();
    const session = await cutOff(world);
    session.presence.online();
    await world.pass(AT_ONCE);
    await world.kill();
    session.connect();
    expect(await world.asked(31_000)).toEqual(['/photo']);
  });

  test('but it does not cut short what fails after that', async () => {
    const world = new World();
    const session = await cutOff(world);
    session.presence.online();
    await fail(world);
    await world.kill();
    session.connect();
    expect(await world.asked(31_000)).toEqual([]);
  });
});

test('a page that is back from the page cache asks what is overdue at once, though its worker has died of rest', async () => {
  const world = new World();
  const session = world.session();
  const heard = new HeardLoop();
  world.system.serve = () => json('one');
  session.declare(declaration({ loop: 1, pace: MINUTELY }), heard);
  await world.pass(AT_ONCE);
  expect(heard.gists).toEqual(['one']);
  await world.kill();
  session.presence.leave();
  world.setAway(true);
  await world.system.clock.advance(62_000);
  world.setAway(false);
  session.presence.show();
  expect(await world.asked(30_000)).toEqual(['/photo']);
  await settle();
});
