import { expect, test } from 'vitest';
import { unreachable } from '../platform/system.fixture.ts';
import { goOn, OutboxStage, rounds } from './outbox-stage.fixture.ts';
import { livesOn } from './switched.fixture.ts';
import { UnreadableDisk } from './unreadable-disk.fixture.ts';

/** Three writes wait in an encrypted outbox, of which one cannot be read in that store. Then encryption is turned off. */
async function turnedOff(store: string): Promise<ReturnType<typeof livesOn>> {
  const server = new OutboxStage(null);
  server.answer = unreachable;
  const disk = new UnreadableDisk(store, 'offstage:encrypted:outbox');
  const engine = livesOn(disk, server);
  const { tab, world } = engine(true);
  for (let n = 1; n <= 3; n += 1) await tab.queue(n, `${n}`, {}, { lane: `lane ${n}` });
  await rounds(60);
  world.serve = () => new Promise(() => {});
  disk.unreadable = 2;
  return engine;
}

test.each([
  ['payloads', ['entry-1', 'entry-2', 'entry-3']],
  ['outbox', ['entry-1', 'entry-3']],
])(
  'what waited before encryption was turned off is there, though one value cannot be read: of %s',
  async (store, there) => {
    const engine = await turnedOff(store);
    const { tab, world } = engine(false);
    void tab.greet();
    await goOn({ world }, 10);
    expect((await tab.list()).map(({ entry }) => entry)).toEqual(there);
  },
);

test('a later life after encryption was turned off queues calls at once, though the data of one write could not be read', async () => {
  const engine = await turnedOff('payloads');
  const first = engine(false);
  void first.tab.greet();
  await goOn(first, 60);
  first.world.serve = () => new Promise(() => {});
  const { tab, world } = engine(false);
  void tab.greet();
  void tab.queue(9, '9', {}, { lane: 'lane 9' });
  await goOn({ world }, 1);
  expect([tab.queued, tab.settled]).toEqual([[9], []]);
});
