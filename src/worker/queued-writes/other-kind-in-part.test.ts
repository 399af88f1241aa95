import { expect, test } from 'vitest';
import { unreachable } from '../platform/system.fixture.ts';
import { RefusingFactory } from './refusing-disk.fixture.ts';
import { bodyOf, goOn, OutboxStage, rounds } from './outbox-stage.fixture.ts';
import { livesOn } from './switched.fixture.ts';

test.each(['discarded', 'done'])(
  'what was carried over, and is %s, does not come back where another write could not be carried over',
  async (how) => {
    const server = new OutboxStage(null);
    server.answer = unreachable;
    const indexedDB = new RefusingFactory('outbox', 'offstage:outbox');
    const sent: string[] = [];
    const engine = livesOn(indexedDB, server, (seen) => {
      if (seen.init.method === 'POST') sent.push(bodyOf(seen));
    });
    const before = engine(true);
    await before.tab.sign('ada');
    await before.tab.queue(1, 'Dusk');
    await before.tab.queue(2, 'Dawn', {}, { lane: 'b' });
    await rounds(60);
    before.world.serve = () => new Promise(() => {});
    indexedDB.refuses = 'entry-2';
    const after = engine(false);
    if (how === 'done') server.answer = () => null;
    await Promise.all([after.tab.sign('ada'), goOn(after, 30)]);
    await rounds(60);
    await goOn(after, 30);
    if (how === 'discarded') {
      const epoch = after.tab.epoch ?? 0;
      await after.tab.remote.control({
        kind: 'decide',
        entry: 'entry-1',
        decision: { kind: 'discard' },
        epoch,
      });
    } else await after.tab.heard('entry-1 done');
    await Promise.all([after.tab.sign(null), goOn(after, 30)]);
    sent.length = 0;
    server.answer = () => null;
    await Promise.all([after.tab.sign('ada'), goOn(after, 60)]);
    await rounds(60);
    await goOn(after, 60);
    expect(sent).toEqual([]);
  },
);
