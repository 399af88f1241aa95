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

async function signed(identities: Identities, name: string): Promise<Identity> {
  const identity = await identities.sign(name);
  if ('code' in identity) throw new Error(identity.message);
  return identity;
}

describe('a change that cannot be stored at once', () => {
  test('is stored later, though what it leaves is deleted by then', async () => {
    const [root, clock] = [new Root(), new VirtualClock()];
    const { identities, places } = await engineOn(root, clock);
    await identities.sign('anna');
    root.failing = 3;
    expect(await identities.sign(null)).toMatchObject({ code: 'quota' });
    expect(root.stored).toMatchObject({ digest: expect.any(String) });
    for (let second = 0; second < 5; second += 1) await clock.advance(1_000);
    await settle();
    const { epoch } = identities.present ?? {};
    expect(root.stored).toMatchObject({ digest: null, epoch, doomed: [] });
    expect(places).toHaveLength(2);
    expect(await identities.sign(null)).toMatchObject({ epoch });
  });

  test('is stored at once where what it leaves gives room', async () => {
    const [root, clock] = [new Root(), new VirtualClock()];
    const { identities } = await engineOn(root, clock, async () => {
      root.failing = 0;
      return true;
    });
    await identities.sign('anna');
    root.failing = Infinity;
    const { epoch } = await signed(identities, 'bob');
    expect(root.stored?.epoch).toBe(epoch);
  });

  test('is not said to be done where it is asked for again and fails again', async () => {
    const [root, clock] = [new Root(), new VirtualClock()];
    const { identities } = await engineOn(root, clock);
    root.failing = Infinity;
    for (let time = 0; time < 2; time += 1)
      expect(await identities.sign('anna')).toMatchObject({ code: 'quota' });
  });
});

test('a deletion that the browser refuses with an error keeps nobody from being served', async () => {
  const [root, clock] = [new Root(), new VirtualClock()];
  const { identities, told, places } = await engineOn(root, clock, () => Promise.reject(new Error('denied')));
  await identities.sign('anna');
  expect(told).toMatchObject([{ name: 'anna' }]);
  await settle();
  expect(places).toHaveLength(1);
  expect(root.stored?.doomed).toEqual(['default', 'outbox:']);
});

test('what has ended of a user’s writes is deleted by the next engine where this one could not', async () => {
  const [root, clock] = [new Root(), new VirtualClock()];
  const { identities } = await engineOn(root, clock, async () => false);
  await identities.sign('anna');
  const outbox = `outbox:${root.stored?.digest}`;
  await identities.sign(null);
  const { erased } = await engineOn(root, clock);
  expect(erased).toContain(outbox);
  expect(root.stored?.doomed).toEqual([]);
});

test('the epoch that is stored is the one that pages are told', async () => {
  const [root, clock] = [new Root(), new VirtualClock()];
  const { identities } = await engineOn(root, clock);
  const other = await engineOn(root, clock);
  await identities.sign('anna');
  // In the same millisecond.
  const { epoch } = await signed(other.identities, 'bob');
  expect(root.stored?.epoch).toBe(epoch);
  expect(other.told.at(-1)?.epoch).toBe(epoch);
});

test('a page that says that nobody is signed in, while the disk is late, ends nothing', async () => {
  class Late extends Root {
    override async read(): ReturnType<RootStore['read']> {
      return { kind: 'memory', reason: 'The disk is late', isLate: true };
    }
  }
  const { identities, places, told } = await engineOn(new Late(), new VirtualClock());
  expect(await identities.sign(null)).toMatchObject({ name: null, isSignedIn: false });
  expect([places, told]).toMatchObject([[], [{ name: null }]]);
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
