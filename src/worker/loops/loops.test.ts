import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../shared/limits.ts';
import type { Delivery } from '../../shared/protocol.ts';
import { answered, failed } from '../outcome.fixture.ts';
import { settle } from '../virtual-clock.fixture.ts';
import { Loops } from './loops.ts';
import { declaration, every, SILENT, Stage } from './stage.fixture.ts';

const [ANNA, BERT] = ['page anna', 'page bert'];

class House extends Stage {
  readonly told: { readonly page: string; readonly delivery: Delivery }[] = [];
  readonly loops: Loops = new Loops(
    { clock: this.clock, random: () => this.random },
    {
      invoke: (_invocation, tell, say, signal) => {
        if (tell.progress) say((to) => ({ kind: 'progress', to, progress: { loaded: 1, total: null } }));
        return this.ask(tell, signal);
      },
      tell: (page, delivery) => this.told.push({ page, delivery }),
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
    { page: ANNA, delivery: { kind: 'tick', loop: 7, outcome: answered(), nextIn: 1_000 } },
  ]);
});

test('steps on the way name their loop and are told only where they are listened for', async () => {
  const house = new House();
  house.loops.declare(ANNA, declaration({ loop: 7, tell: { ...SILENT, started: true, progress: true } }));
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
  house.loops.declare(ANNA, declaration());
  house.loops.declare(ANNA, declaration({ loop: 2 }));
  house.loops.declare(BERT, declaration());
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
  house.loops.declare(ANNA, declaration());
  house.loops.declare(BERT, declaration());
  await house.clock.advance(100);
  house.random = 0;
  house.loops.wakeUp();
  await settle();
  expect(house.times).toEqual([0, 0, 100, 100]);
});

function full(): House {
  const house = new House();
  for (let loop = 0; loop < LIMITS.loops; loop += 1) {
    house.loops.declare(loop % 2 === 0 ? ANNA : BERT, declaration({ loop, firstIn: 60_000 }));
  }
  return house;
}

describe(`the limit of ${LIMITS.loops} loops an origin`, () => {
  test('refuses one more, whose page hears that it is not kept', () => {
    const house = full();
    house.loops.declare(ANNA, declaration({ loop: 1_000 }));
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
    house.loops.declare(ANNA, declaration({ loop: 0, firstIn: 60_000 }));
    house.loops.stop(ANNA, 0);
    house.loops.declare(ANNA, declaration({ loop: 1_000, firstIn: 60_000 }));
    expect(house.told).toEqual([]);
    expect(house.loops.inspect()).toHaveLength(LIMITS.loops);
  });
});

test(`a session has at most ${LIMITS.sessionLoops} loops, whatever the others have`, () => {
  const house = new House();
  for (let loop = 0; loop <= LIMITS.sessionLoops; loop += 1) {
    house.loops.declare(ANNA, declaration({ loop, firstIn: 60_000 }));
  }
  house.loops.declare(BERT, declaration({ firstIn: 60_000 }));
  expect(house.told).toMatchObject([
    {
      page: ANNA,
      delivery: { loop: LIMITS.sessionLoops, outcome: { failure: { limit: 'sessionLoops', value: 100 } } },
    },
  ]);
  expect(house.loops.inspect()).toHaveLength(LIMITS.sessionLoops + 1);
});
