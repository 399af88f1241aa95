import { expect, test } from 'vitest';
import { houseOf } from './house.fixture.ts';
import { FakeSystem, json, until } from './platform/system.fixture.ts';
import { settle } from './platform/virtual-clock.fixture.ts';
import { HangingFactory } from './storage/hanging-database.fixture.ts';
import { submission, Tab } from './tab.fixture.ts';

const FRESH = { 'Cache-Control': 'max-age=100000' };

/** A worker over that database, whose pages ask for what is stored. */
function start(indexedDB: HangingFactory, encrypts: boolean) {
  const world = Object.assign(new FakeSystem(), { indexedDB });
  world.grant();
  world.serve = ({ init }) => json([init.method, world.requests.length], FRESH);
  const house = houseOf(world, { encrypts });
  const tab = new Tab((source, envelope) => house.receive(source, envelope));
  const pass = async (seconds: number): Promise<void> => {
    for (let tenth = 0; tenth < seconds * 10; tenth += 1) await world.clock.advance(100);
  };
  const asked = (): unknown => world.requests.map(({ init }) => init.method);
  return { world, tab, pass, asked };
}

/** A worker has stored an answer; the next one learns where it is only after it has done a call. */
async function lateStage(encrypts: boolean, wish: Parameters<typeof submission>[1]) {
  const indexedDB = new HangingFactory();
  const before = start(indexedDB, encrypts);
  await before.tab.submit(1);
  await until(() => before.tab.settled.length === 1);
  for (let turn = 0; turn < 30; turn += 1) await settle();
  indexedDB.hangs = () => true;
  const next = start(indexedDB, encrypts);
  next.tab.meet();
  await next.tab.submitAll([submission(1, { template: '/other' })]);
  await next.pass(6);
  await next.tab.submitAll([submission(2, wish)]);
  await next.pass(6);
  await until(() => next.tab.settled.length === 2);
  indexedDB.hangs = () => false;
  await next.pass(60);
  return next;
}

const STORED = { policy: { revalidate: false } };

test.each([false, true])(
  'an answer from before a write is not served, though it was not known then where it is stored (encrypted: %s)',
  async (encrypts) => {
    const { tab, asked } = await lateStage(encrypts, { method: 'PUT' });
    await tab.submitAll([submission(3, STORED)]);
    await until(() => tab.settled.length === 3);
    expect(asked()).toEqual(['GET', 'PUT', 'GET']);
  },
);

test.each([false, true])(
  'an answer that no write is about is served then (encrypted: %s)',
  async (encrypts) => {
    const { tab, asked, pass } = await lateStage(encrypts, { method: 'PUT', template: '/third' });
    // The first look has the sweep go on.
    await tab.submitAll([submission(3, { template: '/other', ...STORED })]);
    await pass(1);
    await tab.submitAll([submission(4, STORED)]);
    await until(() => tab.settled.length === 4);
    expect(asked()).not.toHaveLength(4);
  },
);
