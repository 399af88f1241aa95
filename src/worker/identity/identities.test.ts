import { describe, expect, test } from 'vitest';
import type { Identity } from '../../shared/identity.ts';
import type { Place, RootRecord, RootStore } from '../contracts/root-store.ts';
import { settle, VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { Identities } from './identities.ts';

/** Where it is stored who is signed in. Other engines have it too. */
class Root implements RootStore {
  stored: RootRecord | null = null;
  /** How many of the next writes fail, for want of room. */
  failing = 0;

  async read(blank: RootRecord): ReturnType<RootStore['read']> {
    this.stored ??= blank;
    return { kind: 'found', value: this.stored };
  }

  async update(change: Parameters<RootStore['update']>[0]): Promise<RootRecord> {
    if (this.failing > 0) {
      this.failing -= 1;
      throw new DOMException('The disk is full', 'QuotaExceededError');
    }
    this.stored = change(this.stored);
    return this.stored;
  }
}

interface Engine {
  readonly identities: Identities;
  readonly places: Place[];
  readonly told: Identity[];
  readonly erased: string[];
  /** How often the browser was asked what is stored. */
  readonly listed: () => number;
}

/** An engine that has learned who is signed in. */
async function engineOn(
  root: RootStore,
  clock: VirtualClock,
  erase: (partition: string) => Promise<boolean> = async () => true,
): Promise<Engine> {
  const engine = { places: [] as Place[], told: [] as Identity[], erased: [] as string[] };
  let listed = 0;
  const heed = (place: Promise<Place>): void => void place.then((each) => engine.places.push(each));
  const identities = new Identities({
    clock,
    store: root,
    digest: async (salt, name) => `${salt} ${name}`,
    uuid: () => crypto.randomUUID(),
    retire: () => {},
    begin: (place) => heed(place),
    tell: (identity) => engine.told.push(identity),
    stored: async () => {
      listed += 1;
      return [];
    },
    erase: (partition) => {
      engine.erased.push(partition);
      return erase(partition);
    },
  });
  await settle();
  return { ...engine, identities, listed: () => listed };
}

describe('a change that cannot be stored at once', () => {
  test('is stored later, though what it leaves is deleted by then', async () => {
    const [root, clock] = [new Root(), new VirtualClock()];
    const { identities, places } = await engineOn(root, clock);
    await identities.sign('anna');
    root.failing = 1;
    const { epoch } = await identities.sign(null);
    for (let second = 0; second < 5; second += 1) await clock.advance(1_000);
    await settle();
    expect(root.stored).toMatchObject({ digest: null, epoch, doomed: [] });
    expect(places).toHaveLength(2);
  });
});

test('a deletion that the browser refuses with an error keeps nobody from being served', async () => {
  const [root, clock] = [new Root(), new VirtualClock()];
  const { identities, told, places } = await engineOn(root, clock, () => Promise.reject(new Error('denied')));
  await identities.sign('anna');
  expect(told).toMatchObject([{ name: 'anna' }]);
  await settle();
  expect(places).toHaveLength(1);
  expect(root.stored?.doomed).toEqual(['default']);
});

test('the epoch that is stored is the one that pages are told', async () => {
  const [root, clock] = [new Root(), new VirtualClock()];
  const { identities } = await engineOn(root, clock);
  const other = await engineOn(root, clock);
  await identities.sign('anna');
  // In the same millisecond.
  const { epoch } = await other.identities.sign('bob');
  expect(root.stored?.epoch).toBe(epoch);
  expect(other.told.at(-1)?.epoch).toBe(epoch);
});

test('the browser is asked what is stored only where there is a database', async () => {
  class Nowhere extends Root {
    override async read(): ReturnType<RootStore['read']> {
      return { kind: 'memory', reason: 'A sandboxed page has none' };
    }
  }
  const nowhere = await engineOn(new Nowhere(), new VirtualClock());
  const there = await engineOn(new Root(), new VirtualClock());
  expect([nowhere.listed(), there.listed()]).toEqual([0, 1]);
});
