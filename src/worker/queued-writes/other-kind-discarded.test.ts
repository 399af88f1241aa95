import { expect, test } from 'vitest';
import { unreachable } from '../platform/system.fixture.ts';
import { LateDisk } from './late-disk.fixture.ts';
import { goOn, OutboxStage, rounds } from './outbox-stage.fixture.ts';
import { livesOn } from './switched.fixture.ts';

test('what a sign-out discards does not come back from the other kind, though that was late', async () => {
  const server = new OutboxStage(null);
  server.answer = unreachable;
  const indexedDB = new LateDisk('offstage:outbox');
  const engine = livesOn(indexedDB, server);
  const before = engine(false);
  await before.tab.sign('ada');
  await before.tab.queue(1, 'Dusk');
  await rounds();
  before.world.serve = () => new Promise(() => {});
  indexedDB.isLate = true;
  const after = engine(true);
  await Promise.all([after.tab.sign('ada'), goOn(after, 5)]);
  await rounds(60);
  // For ten seconds at most.
  const listed = await Promise.race([
    after.tab
      .list()
      .then((all) => all.map(({ entry }) => entry))
      .catch(String),
    goOn(after, 3).then(() => 'late'),
  ]);
  await goOn(after, 30);
  let said = 'nothing';
  const command = { kind: 'sign-out', pendingWrites: 'discard', epoch: after.tab.epoch ?? 0 } as const;
  void after.tab.remote.control(command).then(
    ({ kind }) => (said = kind),
    () => (said = 'refused'),
  );
  await goOn(after, 60);
  await rounds(60);
  indexedDB.isLate = false;
  server.answer = () => null;
  const last = engine(true);
  await Promise.all([last.tab.sign('ada'), goOn(last, 120)]);
  await rounds(60);
  await goOn(last, 60);
  expect(listed).not.toEqual([]);
  expect(said === 'identity' ? server.performed : []).toEqual([]);
});
