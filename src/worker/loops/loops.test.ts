import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../shared/limits.ts';
import type { Answered } from '../../shared/outcome.ts';
import type { Delivery } from '../../shared/delivery.ts';
import type { LoopDeclaration } from '../../shared/protocol.ts';
import { invocation as asked } from '../cache/invocation.fixture.ts';
import { answered, failed, refused } from '../contracts/outcome.fixture.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { Loops } from './loops.ts';
import { declaration, every, SILENT, Stage, quietPorts, toldBy } from './stage.fixture.ts';

const [ANNA, BERT] = ['page anna', 'page bert'];

/** A declaration of what no other loop asks for. */
function apart(loop: number, wish: Partial<LoopDeclaration> = {}): LoopDeclaration {
  return declaration({ loop, invocation: asked({ template: `/photo/${(lastUrl += 1)}` }), ...wish });
}

let lastUrl = 0;

const LATER = { firstIn: 60_000 };

class House extends Stage {
  /** What is stored. */
  newest: Answered | null = null;
  origin: string | null = null;
  readonly told: { readonly page: string; readonly delivery: Delivery }[] = [];
  readonly loops: Loops = new Loops(
    { clock: this.clock, random: () => this.random },
    {
      invoke: ({ interest, say, signal }) => {
        if (interest.progress) say((to) => ({ kind: 'progress', to, progress: { loaded: 1, total: null } }));
        return this.ask(interest, signal);
      },
      ...quietPorts(this.clock),
      newest: async () => this.newest,
      forget: () => {},
      urlOf: () => this.origin,
      ...toldBy((page, delivery) => this.told.push({ page, delivery })),
      keyOf: ({ invocation, pace }) => `${pace.kind} ${invocation.template}`,
    },
  );

  toldTo(page: string): Delivery[] {
    return this.told.filter((each) => each.page === page).map(({ delivery }) => delivery);
  }
}

test('a tick is told to the page that declared the loop, with its number and the wait for the next', async () => {
  const house = new House();
  house.loops.declare(ANNA, declaration({ loop: 7 }));
  await house.clock.advance(900);
  expect(house.told).toEqual([
    {
      page: ANNA,
      delivery: { kind: 'tick', loop: 7, outcome: answered(), nextIn: 1_000, at: expect.any(Number) },
    },
  ]);
});

test('steps on the way name their loop and are told only where they are listened for', async () => {
  const house = new House();
  house.loops.declare(ANNA, declaration({ loop: 7, interest: { ...SILENT, started: true, progress: true } }));
  await settle();
  expect(house.toldTo(ANNA)).toEqual([
    { kind: 'ticking', loop: 7 },
    { kind: 'progress', to: { loop: 7 }, progress: { loaded: 1, total: null } },
    expect.objectContaining({ kind: 'tick', loop: 7 }),
  ]);
});

test('loops of the same number are apart where their pages are', async () => {
  const house = new House();
  house.loops.declare(ANNA, declaration());
  house.loops.declare(BERT, declaration({ pace: every(500) }));
  house.loops.stop(ANNA, 1);
  await house.clock.advance(1_200);
  expect(house.toldTo(ANNA)).toEqual([]);
  expect(house.toldTo(BERT)).toHaveLength(3);
});

test('a loop that is declared again takes the place of the first, and its request', async () => {
  const house = new House();
  house.reply = () => ({ after: 600, outcome: answered() });
  house.loops.declare(ANNA, declaration());
  await house.clock.advance(100);
  house.loops.declare(ANNA, declaration({ firstIn: 400, pace: every(5_000) }));
  await house.clock.advance(1_500);
  expect(house.asked.map(({ at, signal }) => [at, signal.aborted])).toEqual([
    [0, true],
    [500, false],
  ]);
  expect(house.toldTo(ANNA)).toHaveLength(1);
  expect(house.loops.inspect()).toMatchObject([{ interval: 5_000, requests: 1 }]);
});

test('a loop is found by its page and its number until it is stopped', () => {
  const house = new House();
  house.loops.declare(ANNA, declaration({ loop: 7 }));
  expect(house.loops.find(ANNA, 7)).toBeDefined();
  expect(house.loops.find(ANNA, 8)).toBeUndefined();
  expect(house.loops.find(BERT, 7)).toBeUndefined();
  house.loops.stop(ANNA, 7);
  expect(house.loops.find(ANNA, 7)).toBeUndefined();
  expect(() => house.loops.stop(BERT, 1)).not.toThrow();
});

test('all loops of a page end with it, and no other', async () => {
  const house = new House();
  house.reply = () => ({ after: 300, outcome: answered() });
  house.loops.declare(ANNA, apart(1));
  house.loops.declare(ANNA, apart(2));
  house.loops.declare(BERT, apart(1));
  await house.clock.advance(100);
  house.loops.stopAll(ANNA);
  await house.clock.advance(2_000);
  expect(house.asked.slice(0, 3).map(({ signal }) => signal.aborted)).toEqual([true, true, false]);
  expect(house.toldTo(ANNA)).toEqual([]);
  expect(house.toldTo(BERT)).toHaveLength(2);
  expect(house.loops.inspect()).toHaveLength(1);
});

test('the return of the network wakes every loop that was cut off', async () => {
  const house = new House();
  house.reply = () => ({ after: 0, outcome: failed('network') });
  house.loops.declare(ANNA, apart(1));
  house.loops.declare(BERT, apart(1));
  await house.clock.advance(100);
  house.random = 0;
  void house.loops.wakeUp();
  await settle();
  expect(house.times).toEqual([0, 0, 100, 100]);
});

function full(house: House = new House()): House {
  for (let loop = 0; loop < LIMITS.loops; loop += 1) {
    house.loops.declare(loop % 2 === 0 ? ANNA : BERT, apart(loop, { firstIn: 60_000 }));
  }
  return house;
}

describe(`the limit of ${LIMITS.loops} loops an origin`, () => {
  test('refuses one more, whose page hears that it is not kept', () => {
    const house = full();
    house.loops.declare(ANNA, apart(1_000));
    expect(house.told).toMatchObject([
      {
        page: ANNA,
        delivery: {
          kind: 'tick',
          loop: 1_000,
          outcome: { kind: 'failed', failure: { code: 'limit', limit: 'loops', value: 200 } },
          nextIn: null,
        },
      },
    ]);
    expect(house.loops.find(ANNA, 1_000)).toBeUndefined();
    expect(house.loops.inspect()).toHaveLength(LIMITS.loops);
  });

  test('lets one be declared again, and another once one is stopped', () => {
    const house = full();
    house.loops.declare(ANNA, apart(0, { firstIn: 60_000 }));
    house.loops.stop(ANNA, 0);
    house.loops.declare(ANNA, apart(1_000, { firstIn: 60_000 }));
    expect(house.told).toEqual([]);
    expect(house.loops.inspect()).toHaveLength(LIMITS.loops);
  });
});

test.each([
  ['of an origin', (house: House) => full(house), 'loops'],
  [
    'of a session',
    (house: House) => {
      for (let loop = 0; loop < LIMITS.sessionLoops; loop += 1) house.loops.declare(ANNA, apart(loop, LATER));
    },
    'sessionLoops',
  ],
] as const)(
  'at the limit %s a loop may take the place of another, but not of one that stays',
  (_, fill, limit) => {
    const house = new House();
    fill(house);
    house.loops.declare(ANNA, apart(1_000, { ...LATER, replaces: 0 }));
    house.loops.stop(ANNA, 0);
    expect(house.told).toEqual([]);
    expect(house.loops.find(ANNA, 1_000)).toBeDefined();
    house.loops.declare(ANNA, apart(1_001, { ...LATER, replaces: 0 }));
    expect(house.told).toMatchObject([{ delivery: { loop: 1_001, outcome: { failure: { limit } } } }]);
  },
);

test(`a session has at most ${LIMITS.sessionLoops} loops, whatever the others have`, () => {
  const house = new House();
  for (let loop = 0; loop <= LIMITS.sessionLoops; loop += 1) {
    house.loops.declare(ANNA, apart(loop, { firstIn: 60_000 }));
  }
  house.loops.declare(BERT, apart(1, { firstIn: 60_000 }));
  expect(house.told).toMatchObject([
    {
      page: ANNA,
      delivery: { loop: LIMITS.sessionLoops, outcome: { failure: { limit: 'sessionLoops', value: 100 } } },
    },
  ]);
  expect(house.loops.inspect()).toHaveLength(LIMITS.sessionLoops + 1);
});

describe('loops of an origin that fails', () => {
  const ORIGIN = 'https://page.example';

  /** So many polls of 1 s that have failed three times, until 2 s, and what has been asked since. */
  async function failing(count: number, wish: Partial<LoopDeclaration> = {}): Promise<House> {
    const house = new House();
    house.origin = ORIGIN;
    house.reply = () => ({ after: 0, outcome: failed('network') });
    for (let loop = 1; loop <= count; loop += 1) house.loops.declare(ANNA, apart(loop, wish));
    await house.clock.advance(2_000);
    expect(house.times).toHaveLength(3 * count);
    house.asked.length = 0;
    return house;
  }

  test('have their quick tries each, and are then asked by one of them, at its own pace', async () => {
    const house = new House();
    house.origin = ORIGIN;
    house.reply = () => ({ after: 0, outcome: failed('network') });
    for (let loop = 1; loop <= 5; loop += 1) house.loops.declare(ANNA, apart(loop));
    await house.clock.advance(6_000);
    const quick = [0, 800, 1_800].flatMap((at) => Array.from({ length: 5 }, () => at));
    expect(house.times).toEqual([...quick, 2_800, 3_800, 4_800, 5_800]);
    expect(house.toldTo(ANNA).map((each) => each.kind === 'tick' && each.loop)).toEqual([1, 2, 3, 4, 5]);
    const states = house.loops.inspect().map(({ state }) => state);
    expect(states).toEqual(['queued', 'queued', 'waiting', 'waiting', 'queued']);
  });

  test('are asked by all together no more often than by one, as soon as all have failed often', async () => {
    const house = await failing(5);
    await house.clock.advance(20_000);
    house.asked.length = 0;
    await house.clock.advance(40_000);
    expect(house.times).toHaveLength(40 / 2.5);
  });

  test('ask again, spread, once one is answered', async () => {
    const house = await failing(3);
    await house.clock.advance(2_000);
    house.reply = () => ({ after: 0, outcome: answered() });
    await house.clock.advance(1_300);
    expect(house.times.slice(0, 4)).toEqual([2_800, 3_800, 4_800, 5_050]);
    expect(house.loops.inspect().map(({ failures }) => failures)).toEqual([0, 0, 0]);
  });

  test('are asked by the next one where the probe is stopped', async () => {
    const house = await failing(3);
    await house.clock.advance(1_000);
    house.loops.stop(ANNA, 1);
    await settle();
    expect(house.times).toEqual([2_800, 3_000]);
    house.loops.stopAll(ANNA);
    await house.clock.advance(60_000);
    expect(house.times).toHaveLength(2);
  });

  test('are asked by one that is shown where the page of the probe is hidden', async () => {
    const house = await failing(1, { pace: { kind: 'poll', interval: 1_000, hidden: 'pause' } });
    house.loops.declare(BERT, apart(1));
    await house.clock.advance(1_000);
    house.loops.setHidden(ANNA, true);
    house.asked.length = 0;
    await house.clock.advance(60_000);
    expect(house.times.length).toBeGreaterThan(20);
  });

  test('are asked by a quicker one rather than by one that is slow while hidden', async () => {
    const house = await failing(1, { pace: { kind: 'poll', interval: 1_000, hidden: 'slow' } });
    house.loops.setHidden(ANNA, true);
    await house.clock.advance(60_000);
    expect(house.times).toEqual([61_800]);
    house.loops.declare(BERT, apart(1, { pace: every(20_000) }));
    await house.clock.advance(30_000);
    // Three tries of its own, and then it is the one that asks.
    expect(house.times.slice(1)).toEqual([62_000, 63_300, 69_300, 89_300]);
  });

  test('all pass when the page says that the network is back, spread though they have waited', async () => {
    const house = await failing(3);
    await house.clock.advance(2_000);
    house.random = 0.4;
    void house.loops.wakeUp();
    await house.clock.advance(199);
    expect(house.times).toEqual([2_800, 3_800]);
    await house.clock.advance(1);
    expect(house.times).toEqual([2_800, 3_800, 4_200, 4_200, 4_200]);
  });

  test('pass at once when they are declared again, as `restart` does', async () => {
    const house = await failing(3);
    await house.clock.advance(2_000);
    house.loops.declare(ANNA, apart(3));
    await settle();
    expect(house.times).toEqual([2_800, 3_800, 4_000]);
  });

  test('are let go by the answer to a call', async () => {
    const house = await failing(2);
    await house.clock.advance(1_000);
    house.loops.hear(answered({ stale: true }));
    house.loops.hear(refused(503));
    await house.clock.advance(300);
    expect(house.times).toEqual([2_800]);
    house.loops.hear(refused(404));
    await house.clock.advance(250);
    expect(house.times).toEqual([2_800, 3_550]);
  });
});

/** So many long-polls of one origin, each of which the server holds for a minute. */
function holding(count: number): House {
  const house = new House();
  house.origin = 'https://page.example';
  house.reply = () => ({ after: 60_000, outcome: answered() });
  for (let loop = 1; loop <= count; loop += 1) {
    house.loops.declare(ANNA, apart(loop, { pace: { kind: 'long-poll' } }));
  }
  return house;
}

describe(`${LIMITS.longPolls} long-polls of an origin are out at a time`, () => {
  test('and stay out where there are no more', async () => {
    const house = holding(4);
    await house.clock.advance(59_000);
    expect(house.times).toEqual([0, 0, 0, 0]);
  });

  test('and take turns where there are, of which nobody hears', async () => {
    const house = holding(6);
    await house.clock.advance(4_999);
    expect([house.inFlight, house.asked.length]).toEqual([4, 4]);
    expect(house.loops.inspect().map(({ state }) => state)).toEqual([
      'asking',
      'asking',
      'asking',
      'asking',
      'queued',
      'queued',
    ]);
    await house.clock.advance(1);
    expect(house.asked.map(({ signal }) => signal.aborted)).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
    await house.clock.advance(30_000);
    expect(house.mostInFlight).toBe(4);
    const requests = house.loops.inspect().map((loop) => loop.requests);
    expect(Math.max(...requests) - Math.min(...requests)).toBeLessThanOrEqual(1);
    expect(house.told).toEqual([]);
  });

  test('and go on with their failures counted when they are cut', async () => {
    const house = holding(0);
    house.reply = (nth) => ({ after: nth <= 5 ? 0 : 60_000, outcome: refused(404) });
    for (let loop = 1; loop <= 5; loop += 1) {
      house.loops.declare(ANNA, apart(loop, { pace: { kind: 'long-poll' } }));
    }
    await house.clock.advance(29_000);
    expect(house.loops.inspect().map(({ failures }) => failures)).toEqual([1, 1, 1, 1, 1]);
    expect(house.toldTo(ANNA)).toHaveLength(5);
    expect(house.asked.length).toBeGreaterThan(10);
  });

  test('and one that is stopped while it waits asks no more', async () => {
    const house = holding(5);
    await house.clock.advance(1_000);
    house.loops.stop(ANNA, 5);
    await house.clock.advance(30_000);
    expect(house.asked).toHaveLength(4);
    expect(house.asked.some(({ signal }) => signal.aborted)).toBe(false);
  });
});

test.each([0, -86_400_000])(
  'a loop is shown to ask next by the device’s clock, which was set by %i ms before',
  async (by) => {
    const house = new House();
    house.loops.declare(ANNA, declaration({ pace: every(60_000) }));
    await house.clock.advance(30_000);
    house.clock.set(by);
    const shown = (): number => (house.loops.inspect()[0]?.nextDueAt ?? Infinity) - house.clock.now();
    expect(shown()).toBeLessThanOrEqual(60_000);
    await house.clock.advance(31_000);
    expect(shown()).toBe(59_000);
  },
);
