import { expect, test } from 'vitest';
import { unreachable } from '../../worker/platform/system.fixture.ts';
import { declaration } from './invocation.fixture.ts';
import { HeardLoop } from './stage.fixture.ts';
import { World } from './world.fixture.ts';

test.each([
  ['(control) all was well', false],
  ['one tab had heard a failure an hour before, and nothing since', true],
])(
  'every tab of a quiet long-poll hears that the network is gone when a machine wakes up without it and its worker: %s',
  async (_, hadFailed) => {
    const world = new World();
    const { system } = world;
    const [anna, bert] = [world.session('anna', 'page of anna'), world.session('bert', 'page of bert')];
    const [heardByAnna, heardByBert] = [new HeardLoop(), new HeardLoop()];
    const quiet = async (): Promise<Response> => {
      await system.clock.sleep(20_000);
      return new Response(null, { status: 204 });
    };
    system.serve = hadFailed ? () => unreachable() : quiet;
    anna.declare(declaration({ pace: { kind: 'long-poll' } }), heardByAnna);
    await world.pass(500);
    system.serve = quiet;
    await world.pass(3_600_000 / 20);
    expect(heardByAnna.gists).toEqual(hadFailed ? ['network'] : []);
    bert.declare(declaration({ pace: { kind: 'long-poll' } }), heardByBert);
    await world.pass(60_000);
    expect(heardByBert.gists).toEqual([]);
    system.serve = () => unreachable();
    await world.kill();
    await world.pass(120_000);
    expect(heardByBert.gists).toEqual(['network']);
    anna.close();
    bert.close();
  },
);
