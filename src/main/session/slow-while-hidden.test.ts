import { expect, test } from 'vitest';
import { declaration } from './invocation.fixture.ts';
import type { Session } from './session.ts';
import { HeardLoop } from './stage.fixture.ts';
import { World } from './world.fixture.ts';

/** A poll of 5 s that goes slowly while its page is hidden, half a minute after its request, as its worker dies. */
async function died(): Promise<{ readonly world: World; readonly session: Session }> {
  const world = new World();
  const session = world.session();
  session.declare(declaration(), new HeardLoop());
  expect(await world.asked(1_000)).toHaveLength(1);
  session.presence.setHidden(true);
  expect(await world.asked(29_000)).toEqual([]);
  await world.kill();
  session.connect();
  return { world, session };
}

test('a hidden page’s slow poll waits out its minute though its worker dies', async () => {
  const { world } = await died();
  expect(await world.asked(29_000)).toEqual([]);
  expect(await world.asked(2_000)).toEqual(['/photo']);
});

test('and asks at once when its page is shown', async () => {
  const { world, session } = await died();
  expect(await world.asked(10_000)).toEqual([]);
  session.presence.setHidden(false);
  expect(await world.asked(3_000)).toEqual(['/photo']);
});
