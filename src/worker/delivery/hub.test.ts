import { expect, test } from 'vitest';
import type { Delivered, Delivery } from '../../shared/delivery.ts';
import { answered } from '../contracts/outcome.fixture.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { Hub } from './hub.ts';
import { LARGE } from './turns.ts';

const [ANNA, BERT] = ['page anna', 'page bert'];
const STORAGE: Delivery = { kind: 'storage', mode: 'memory', reason: 'no room' };
/** Of a loop that is told in few words. */
const TICK = { kind: 'tick', name: 'state', loop: 1, url: null, size: () => 0 } as const;
const FAILING: Delivery = { kind: 'origin', origin: 'https://a.example', status: 'failing' };

function progress(to: { readonly id: number } | { readonly loop: number }, loaded: number): Delivery {
  return { kind: 'progress', to, progress: { loaded, total: null } };
}

function withoutPlace({ place: _place, ...delivery }: Delivered): Delivery {
  return delivery;
}

/** Nobody here is told what is large. */
const never = (): Promise<void> => new Promise(() => {});

class House {
  readonly hub: Hub = new Hub('life 1', never);
  readonly #taken = new Map<string, Delivery[]>();

  open(page: string): void {
    this.#taken.set(page, []);
    const deliver = async (batch: readonly Delivered[]): Promise<void> =>
      void this.#taken.get(page)?.push(...batch.map(withoutPlace));
    this.hub.open(page, { deliver, tell: null });
  }

  async taken(page: string): Promise<readonly Delivery[]> {
    await settle();
    return this.#taken.get(page) ?? [];
  }
}

test('a page is told what is for it', async () => {
  const house = new House();
  house.open(ANNA);
  house.open(BERT);
  house.hub.tell(ANNA, { kind: 'ticking', loop: 1 });
  expect(await house.taken(ANNA)).toEqual([{ kind: 'ticking', loop: 1 }]);
  expect(await house.taken(BERT)).toEqual([]);
});

test('all pages are told what is for all', async () => {
  const house = new House();
  house.open(ANNA);
  house.open(BERT);
  house.hub.tellAll(STORAGE);
  expect(await house.taken(ANNA)).toEqual([STORAGE]);
  expect(await house.taken(BERT)).toEqual([STORAGE]);
});

test('of what is known of an origin only the newest is told, of each its own', async () => {
  const house = new House();
  house.open(ANNA);
  const other: Delivery = { ...FAILING, origin: 'https://b.example' };
  const newest: Delivery = { ...FAILING, status: 'reachable' };
  for (const delivery of [FAILING, other, newest]) house.hub.tell(ANNA, delivery);
  expect(await house.taken(ANNA)).toEqual([other, newest]);
});

test('of the progress of one request only the newest is told, of each request its own', async () => {
  const house = new House();
  house.open(ANNA);
  const deliveries = [progress({ id: 1 }, 1), progress({ loop: 1 }, 5), progress({ id: 1 }, 2)];
  for (const delivery of deliveries) house.hub.tell(ANNA, delivery);
  expect(await house.taken(ANNA)).toEqual([progress({ loop: 1 }, 5), progress({ id: 1 }, 2)]);
});

test('every answer is told, however many there are', async () => {
  const house = new House();
  house.open(ANNA);
  const waits = [1, 2, 3].map((wait): Delivery => ({ kind: 'waiting', to: { id: 1 }, wait }));
  for (const each of waits) house.hub.tell(ANNA, each);
  expect(await house.taken(ANNA)).toEqual(waits);
});

test('of the steps of a loop the newest are told to a page that takes nothing for a while', async () => {
  const house = new House();
  house.open(ANNA);
  for (let status = 200; status < 800; status += 1) {
    for (const loop of [1, 2]) {
      house.hub.tell(ANNA, { kind: 'ticking', loop });
      house.hub.tell(ANNA, { kind: 'sent', to: { loop }, status, headers: [] });
    }
  }
  house.hub.tell(ANNA, { kind: 'sent', to: { id: 1 }, status: 201, headers: [] });
  expect(await house.taken(ANNA)).toEqual([
    ...[1, 2].flatMap((loop): Delivery[] => [
      { kind: 'ticking', loop },
      { kind: 'sent', to: { loop }, status: 799, headers: [] },
    ]),
    { kind: 'sent', to: { id: 1 }, status: 201, headers: [] },
  ]);
});

test('a page that is gone, or was never there, is told nothing', async () => {
  const house = new House();
  house.open(ANNA);
  house.hub.tell(ANNA, STORAGE);
  house.hub.close(ANNA);
  house.hub.tell(ANNA, STORAGE);
  house.hub.tellAll(STORAGE);
  house.hub.tell(BERT, STORAGE);
  house.hub.resend(BERT);
  expect(await house.taken(ANNA)).toEqual([]);
});

test('a page that comes back is told again what it has not taken', async () => {
  const hub = new Hub('life 1', never);
  const batches: (readonly Delivery[])[] = [];
  const deliver = (batch: readonly Delivered[]): Promise<void> => {
    batches.push(batch.map(withoutPlace));
    return new Promise(() => {});
  };
  hub.open(ANNA, { deliver, tell: null });
  hub.tell(ANNA, STORAGE);
  await settle();
  hub.resend(ANNA);
  expect(batches).toEqual([[STORAGE], [STORAGE]]);
});

test('each mailbox names a sequence of its own, that of a page which comes again too', async () => {
  const hub = new Hub('life 1', never);
  const sequences: string[] = [];
  const deliver = async (batch: readonly Delivered[]): Promise<void> =>
    void sequences.push(...batch.map(({ place }) => place.sequence));
  const open = (page: string): void => hub.open(page, { deliver, tell: null });
  open(ANNA);
  open(BERT);
  hub.tellAll(STORAGE);
  await settle();
  hub.close(ANNA);
  open(ANNA);
  hub.tell(ANNA, STORAGE);
  await settle();
  expect(new Set(sequences).size).toBe(3);
  const other = new Hub('life 2', never);
  other.open(ANNA, { deliver, tell: null });
  other.tell(ANNA, STORAGE);
  await settle();
  expect(new Set(sequences).size).toBe(4);
});

test('flushed for a page, it tells that page what waits for an acknowledgement, and says when it has it', async () => {
  const hub = new Hub('life 1', never);
  const told: string[] = [];
  const taken: (() => void)[] = [];
  for (const page of [ANNA, BERT]) {
    const deliver = (batch: readonly Delivered[]): Promise<void> => {
      told.push(...batch.map(({ kind }) => `${page}: ${kind}`));
      return new Promise((resolve) => taken.push(resolve));
    };
    hub.open(page, { deliver, tell: null });
  }
  hub.tellAll(STORAGE);
  await settle();
  hub.tellAll({ kind: 'draining' });
  let done = false;
  void hub.flush(ANNA).then(() => (done = true));
  expect(told.slice(2)).toEqual([`${ANNA}: draining`]);
  await settle();
  expect(done).toBe(false);
  taken[2]?.();
  await settle();
  expect(done).toBe(true);
  await expect(hub.flush('nobody')).resolves.toBeUndefined();
});

test('what is large goes to one page after the other, those that are seen first; what is not goes at once', async () => {
  const hub = new Hub('life 1', never);
  const told: string[] = [];
  const takings: (() => void)[] = [];
  for (const page of [ANNA, BERT]) {
    const deliver = (batch: readonly Delivered[]): Promise<void> => {
      told.push(...batch.map(({ kind }) => `${page}: ${kind}`));
      return new Promise((resolve) => takings.push(resolve));
    };
    hub.open(page, { deliver, tell: null });
  }
  hub.setHidden(ANNA, true);
  const tick: Delivery = { kind: 'tick', loop: 1, outcome: answered(), nextIn: 0 };
  for (const page of [ANNA, BERT]) hub.publish(page, () => tick, { ...TICK, size: () => LARGE });
  hub.tell(ANNA, { kind: 'ticking', loop: 1 });
  await settle();
  expect(told).toEqual([`${BERT}: tick`]);
  hub.publish(ANNA, () => STORAGE, { ...TICK, name: null, loop: 2 });
  await settle();
  expect(told.splice(0)).toEqual([`${BERT}: tick`, `${ANNA}: storage`]);
  for (const taken of takings) taken();
  await settle();
  expect(told).toEqual([`${ANNA}: tick`, `${ANNA}: ticking`]);
});

test('what is large waits for nobody once its page is flushed, nor for a page that is gone', async () => {
  const house = new House();
  const made: string[] = [];
  const publish = (page: string): void => {
    const make = (): Delivery => {
      made.push(page);
      return STORAGE;
    };
    house.hub.publish(page, make, { ...TICK, size: () => LARGE });
  };
  house.hub.open('frozen', { deliver: () => new Promise(() => {}), tell: null });
  house.open(ANNA);
  house.open(BERT);
  for (const page of ['frozen', ANNA, BERT]) publish(page);
  await settle();
  expect(made).toEqual(['frozen']);
  await house.hub.flush(ANNA);
  expect(made).toEqual(['frozen', ANNA]);
  house.hub.close('frozen');
  await settle();
  expect(made).toEqual(['frozen', ANNA, BERT]);
});

test('what was large ends its turn as soon as its page has it, however few words it takes', async () => {
  const hub = new Hub('life 1', never);
  const told: string[] = [];
  for (const page of [ANNA, BERT]) {
    const hear = (): void => void told.push(page);
    hub.open(page, { deliver: async () => hear(), tell: hear });
  }
  const tick: Delivery = { kind: 'tick', loop: 1, outcome: answered(), nextIn: 0 };
  for (const page of [ANNA, BERT]) hub.publish(page, () => tick, { ...TICK, name: null, size: () => LARGE });
  await settle();
  expect(told).toEqual([ANNA, BERT]);
});
