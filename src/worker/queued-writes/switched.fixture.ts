import { houseOf } from '../house.fixture.ts';
import { FakeSystem } from '../platform/system.fixture.ts';
import type { Seen } from '../platform/system.fixture.ts';
import { OutboxTab } from './outbox-stage.fixture.ts';
import type { OutboxStage } from './outbox-stage.fixture.ts';

interface Life {
  readonly world: FakeSystem;
  readonly tab: OutboxTab;
}

/**
 * Begins one life of the worker after the other over the same disk and server, each ten minutes after the one before. `encrypts`: as the
 * app of that life has it. `sees`: called with each request.
 */
export function livesOn(
  indexedDB: IDBFactory,
  server: OutboxStage,
  sees: (seen: Seen) => void = () => {},
): (encrypts: boolean) => Life {
  let lives = 0;
  return (encrypts) => {
    const world = Object.assign(new FakeSystem(), { indexedDB });
    lives += 1;
    world.clock.set(lives * 600_000);
    const [life, { uuid }] = [lives, world];
    Object.assign(world, { uuid: () => `life ${life} ${uuid()}` });
    world.serve = async (seen) => {
      sees(seen);
      return (await server.answer(seen)) ?? server.perform(seen);
    };
    world.grant();
    const house = houseOf(world, { encrypts });
    return { world, tab: new OutboxTab((...message) => house.receive(...message), `client ${life}`) };
  };
}
