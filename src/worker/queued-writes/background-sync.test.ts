import { afterEach, describe, expect, test, vi } from 'vitest';
import type { WorkerEngine } from '../compose.ts';
import { houseOf } from '../house.fixture.ts';
import { install } from '../index.ts';
import type { WorkerMessage, WorkerWake } from '../index.ts';
import { FakeSystem, json, until } from '../platform/system.fixture.ts';
import type { Serve } from '../platform/system.fixture.ts';
import { IDBFactory } from '../storage/indexeddb.fixture.ts';
import { goOn, OutboxStage, OutboxTab, rounds } from './outbox-stage.fixture.ts';
import { Spare, waitingFor } from './spare.fixture.ts';

afterEach(() => vi.unstubAllGlobals());

/** A worker, and how often it has asked the browser to wake it. */
function workerOn(
  serve: Serve,
  spare: Spare | null = null,
): { world: FakeSystem; house: WorkerEngine; asked: () => number } {
  const world = Object.assign(new FakeSystem(), { indexedDB: new IDBFactory(), spare });
  world.grant();
  world.serve = serve;
  let asked = 0;
  const house = houseOf(world, { askForSync: () => (asked += 1) });
  return { world, house, asked: () => asked };
}

describe('a worker that the browser has woken for what waits', () => {
  test('says whether any of it waits for its server still', async () => {
    let isAway = true;
    const { world, house } = workerOn(() => (isAway ? json({}, { 'Retry-After': '600' }, 503) : json({})));
    const tab = new OutboxTab((...message) => house.receive(...message));
    await tab.queue(1, 'Dusk');
    await rounds(5);
    expect(await house.wake()).toBe(false);
    isAway = false;
    await world.clock.advance(700_000);
    await tab.heard('entry-1 done');
    expect(await house.wake()).toBe(true);
  });

  test('does not ask for the next time meanwhile: with a page the browser would wake it at once, again and again', async () => {
    const { world, house, asked } = workerOn(() => json({}, {}, 503));
    const tab = new OutboxTab((...message) => house.receive(...message));
    await tab.queue(1, 'Dusk');
    await rounds(5);
    const [before, sent] = [asked(), world.requests.length];
    const wishes: number[] = [];
    void house.wake().then(() => wishes.push(asked() - before));
    for (let second = 0; second < 60 && wishes.length === 0; second += 1) await world.clock.advance(1_000);
    expect([wishes, world.requests.length - sent > 2]).toEqual([[0], true]);
  });

  test('does not say that all is sent while what was lost may still come back', async () => {
    const spare = new Spare();
    const stage = new OutboxStage(new IDBFactory(), spare);
    await waitingFor(stage, ['Dusk']);
    await goOn(stage, 5);
    spare.isBroken = true;
    const { world, house } = workerOn(() => json({}), spare);
    world.clock.set(600_000);
    const woken = house.wake();
    await goOn({ world }, 180);
    expect(await woken).toBe(false);
  });

  test('is woken for nothing where nothing was ever queued', async () => {
    const { house } = workerOn(() => json({}));
    expect(await house.wake()).toBe(true);
  });
});

test.each([
  ['fails, so that another follows', false, 0],
  ['that is the last chance has another begin', true, 1],
])('an event of the browser that was in vain %s', async (_what, lastChance, wishes) => {
  const indexedDB = new IDBFactory();
  const locks = { request: (_name: string, held: (lock: null) => Promise<unknown>) => held(null) };
  vi.stubGlobal('indexedDB', indexedDB);
  vi.stubGlobal('navigator', { onLine: true, locks });
  vi.stubGlobal('fetch', async () => json({}, { 'Retry-After': '600' }, 503));
  const listeners = new Map<string, (event: WorkerMessage & WorkerWake) => void>();
  const register = vi.fn<(tag: string) => Promise<void>>(async () => {});
  install({
    location: { origin: 'https://page.example' },
    registration: { scope: 'https://page.example/', sync: { register } },
    clients: { get: async (id) => ({ id }) },
    addEventListener: (type: string, listener: (event: WorkerMessage & WorkerWake) => void) =>
      void listeners.set(type, listener),
    skipWaiting: async () => {},
  });
  const dispatch = async (type: string, event: Partial<WorkerMessage & WorkerWake>): Promise<void> => {
    const held: Promise<unknown>[] = [];
    const whole = { data: null, origin: 'https://page.example', source: null, tag: '', ...event };
    listeners.get(type)?.({ ...whole, waitUntil: (work) => held.push(work) });
    await Promise.all(held);
  };
  const tab = new OutboxTab((source, data) => dispatch('message', { data, source }));
  await tab.queue(1, 'Dusk');
  await until(() => register.mock.calls.length === 2);
  register.mockClear();
  await expect(dispatch('sync', { tag: 'offstage', lastChance })).rejects.toThrow('wait');
  expect(register).toHaveBeenCalledTimes(wishes);
});
