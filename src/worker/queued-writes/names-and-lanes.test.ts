import { describe, expect, test } from 'vitest';
import { houseOf } from '../house.fixture.ts';
import { PlayedLocks } from '../platform/locks.fixture.ts';
import { FakeSystem, json, until } from '../platform/system.fixture.ts';
import { Deferred } from '../platform/waiting.ts';
import { IDBFactory } from '../storage/indexeddb.fixture.ts';
import { CREATES, CREATES_OTHER, FORM, made, OTHER, TEMPORARY, USER } from './named-writes.fixture.ts';
import { bodyOf, OutboxStage, OutboxTab, rounds, waitFor } from './outbox-stage.fixture.ts';

describe('a lane that is named by a temporary id', () => {
  test('is the one that is named by the id, once there is one', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = ({ init }) => (init.method === 'POST' ? made(7) : json({}, {}, 503));
    await tab.queue(1, 'Dusk', {}, { ...CREATES, lane: '/photos' });
    await tab.queue(2, 'Dawn', USER, { lane: `photo ${TEMPORARY}` });
    await tab.heard('entry-1 done');
    await rounds();
    const saved: string[] = [];
    stage.answer = (seen) => {
      saved.push(bodyOf(seen));
      return json({});
    };
    await tab.queue(3, 'Noon', { ...USER, params: [['id', '7']] }, { lane: 'photo 7' });
    await waitFor(stage, 60_000);
    expect(saved).toEqual(['Dawn', 'Noon']);
  });

  test('is so in later lives, too, before anything of it is sent', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = ({ init }) => (init.method === 'POST' ? made(7) : json({}, {}, 503));
    await tab.queue(1, 'Dusk', {}, { ...CREATES, lane: '/photos' });
    await tab.queue(2, 'Dawn', USER, { lane: `photo ${TEMPORARY}` });
    await tab.heard('entry-1 done');
    await tab.queue(3, 'Noon', { ...USER, params: [['id', '7']] }, { lane: 'photo 7' });
    await rounds();
    stage.restart();
    const saved: string[] = [];
    stage.answer = (seen) => {
      saved.push(bodyOf(seen));
      return json({});
    };
    await stage.open().greet();
    await waitFor(stage, 60_000);
    expect(saved).toEqual(['Dawn', 'Noon']);
  });
});

/**
 * Two tabs, each with an engine of its own. The one that acts sends a maker; the other one queues what it does. The maker is
 * answered so many turns later. Resolves with what was sent after the maker.
 */
async function sentOf(
  turns: number,
  queue: (tab: OutboxTab) => readonly Promise<unknown>[],
): Promise<string[]> {
  const sent: string[] = [];
  const answered = new Deferred();
  const shared = { locks: new PlayedLocks(), indexedDB: new IDBFactory(), uuid: () => crypto.randomUUID() };
  const [one, other] = [0, 1].map((index) => {
    const world = Object.assign(new FakeSystem(), shared);
    world.serve = async (seen) => {
      const text = bodyOf(seen);
      if (text === 'maker') await answered.promise;
      else sent.push(text);
      return made(text === 'maker' ? 7 : 8);
    };
    const house = houseOf(world, { host: 'page' });
    return { world, tab: new OutboxTab((...message) => house.receive(...message), `client ${index}`) };
  });
  if (!one || !other) throw new Error('There are two');
  await one.tab.queue(1, 'maker', {}, CREATES);
  await until(() => one.world.requests.length === 1);
  await other.tab.greet();
  await rounds(3);
  const queueing = queue(other.tab);
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  answered.resolve();
  await Promise.all(queueing);
  await rounds(5);
  for (const { world } of [one, other]) await world.clock.advance(60_000);
  await rounds(3);
  return sent;
}

/** Some turns, more of them where most happens. */
const TURNS = [0, 4, 8, 10, 12, 13, 14, 15, 16, 17, 18, 19, 20, 22, 24, 28, 32, 40];

describe('what another tab queues while a maker ends', () => {
  test('is sent in the order of its lane', async () => {
    const wrong: unknown[] = [];
    for (const turns of TURNS) {
      const text = `album=${TEMPORARY}`;
      const sent = await sentOf(turns, (tab) => [
        tab.queue(2, 'first', {}, { lane: 'b' }),
        tab.queue(3, '', { ...FORM, body: { kind: 'text', text } }, { lane: 'b' }),
      ]);
      if (sent.join() !== 'first,album=7') wrong.push([turns, sent]);
    }
    expect(wrong).toEqual([]);
  });

  test('waits for all that it names', async () => {
    const wrong: unknown[] = [];
    for (const turns of TURNS) {
      const text = `album=${TEMPORARY}&cover=${OTHER}`;
      const sent = await sentOf(turns, (tab) => [
        tab.queue(2, 'second maker', {}, { lane: 'b', ...CREATES_OTHER }),
        tab.queue(3, '', { ...FORM, body: { kind: 'text', text } }, { lane: 'c' }),
      ]);
      if (sent.join() !== 'second maker,album=7&cover=8') wrong.push([turns, sent]);
    }
    expect(wrong).toEqual([]);
  });
});
