import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Answered, Outcome } from '../../shared/outcome.ts';
import type { Delivery } from '../../shared/delivery.ts';
import type { Again, LoopDeclaration } from '../../shared/protocol.ts';
import { answered, failed, refused } from '../contracts/outcome.fixture.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { MemoryLoops } from '../storage/loops.ts';
import { storeIn } from '../contracts/loop-store.fixture.ts';
import type { LoopStore } from '../contracts/loop-store.ts';
import { SharedLoop } from './shared-loop.ts';
import type { Membership } from './shared-loop.ts';
import type { StepDelivery } from '../contracts/engine-request.ts';
import { declaration, every, memoryIn, OPEN, SILENT, Stage, toldBy } from './stage.fixture.ts';

const STORED: Answered = answered({ servedFrom: 'cache', revision: { lineage: 'a', number: 7 } });

/** One loop, and pages that come and go. */
class House extends Stage {
  stored: Answered | null = null;
  /** Milliseconds until what is stored is found. */
  delay = 0;
  /** What outlives the worker. */
  store: LoopStore = storeIn(new MemoryLoops(this.clock));
  ended = 0;
  /** Tells a step on the way of the request that is out. */
  say: ((step: StepDelivery) => void) | null = null;
  readonly told: { readonly page: string; readonly at: number; readonly delivery: Delivery }[] = [];
  #loop: SharedLoop | null = null;

  /** As the first page declares it. */
  #start(first: LoopDeclaration): SharedLoop {
    return new SharedLoop(
      first,
      { clock: this.clock, random: () => this.random },
      {
        invoke: ({ interest, say, signal }) => {
          this.say = say;
          say((to) => ({ kind: 'sent', to, status: 200, headers: [] }));
          say((to) => ({ kind: 'progress', to, progress: { loaded: 1, total: null } }));
          return this.ask(interest, signal);
        },
        newest: async () => {
          if (this.delay > 0) await this.clock.sleep(this.delay);
          return this.stored;
        },
        acts: async () => {},
        forget: () => {},
        urlOf: () => null,
        admission: () => OPEN,
        state: memoryIn(this.clock, this.store),
        ...toldBy((page, delivery) => this.told.push({ page, at: this.now, delivery })),
      },
      () => (this.ended += 1),
    );
  }

  join(page: string, wish: Partial<LoopDeclaration> = {}, hidden = false): Membership {
    this.#loop ??= this.#start(declaration(wish));
    return this.#loop.join(page, declaration(wish), hidden);
  }

  inspect(): unknown {
    return this.#loop?.inspect();
  }

  /** When a page was told of which outcome. */
  ticksOf(page: string): unknown[] {
    return this.told.flatMap(({ page: to, at, delivery }) => {
      if (to !== page || delivery.kind !== 'tick') return [];
      const { outcome } = delivery;
      return [[at, outcome.kind === 'failed' ? outcome.failure.code : outcome.servedFrom]];
    });
  }

  kindsOf(page: string): string[] {
    return this.told.filter((each) => each.page === page).map(({ delivery }) => delivery.kind);
  }
}

/** One whose answers are stored. */
function storing(): House {
  const house = new House();
  house.stored = STORED;
  house.reply = () => ({ after: 0, outcome: { ...STORED, servedFrom: 'network' } });
  return house;
}

describe('pages that follow one loop', () => {
  test('cost one request a tick, and each is told', async () => {
    const house = new House();
    for (const page of ['anna', 'bert', 'cleo']) house.join(page);
    await house.clock.advance(2_500);
    expect(house.times).toEqual([0, 1_000, 2_000]);
    for (const page of ['anna', 'bert', 'cleo']) expect(house.ticksOf(page)).toHaveLength(3);
    expect(house.inspect()).toMatchObject({ pages: 3, requests: 3 });
  });

  test('are told the steps that they listen for, and no others', async () => {
    const house = new House();
    house.join('anna', { firstIn: 10, interest: { started: true, sent: false, progress: true } });
    house.join('bert', { interest: { ...SILENT, sent: true }, firstIn: 10 });
    await house.clock.advance(10);
    expect(house.kindsOf('anna')).toEqual(['ticking', 'progress', 'tick']);
    expect(house.kindsOf('bert')).toEqual(['sent', 'tick']);
    expect(house.asked[0]?.interest).toEqual({ started: true, sent: true, progress: true });
  });

  test('go on when the one that started it goes, and the loop ends with the last', async () => {
    const house = new House();
    const anna = house.join('anna');
    const bert = house.join('bert');
    await house.clock.advance(500);
    anna.leave();
    await house.clock.advance(1_000);
    expect([house.times, house.ended]).toEqual([[0, 1_000], 0]);
    bert.leave();
    await house.clock.advance(5_000);
    expect([house.times, house.ended]).toEqual([[0, 1_000], 1]);
  });
});

describe('the pace', () => {
  test('is that of the fastest, and changes as pages come, go and change theirs', async () => {
    const house = new House();
    const anna = house.join('anna', { pace: every(10_000) });
    await house.clock.advance(4_500);
    const bert = house.join('bert', { pace: every(2_000) });
    await house.clock.advance(2_000);
    expect(house.times, 'overdue for the newcomer').toEqual([0, 4_500, 6_000]);
    bert.leave();
    await house.clock.advance(9_000);
    expect(house.times).toEqual([0, 4_500, 6_000]);
    anna.setInterval(3_000);
    await house.clock.advance(3_500);
    expect(house.times).toEqual([0, 4_500, 6_000, 15_500, 18_000]);
  });

  test('is that of the fastest that is seen', async () => {
    const house = new House();
    const anna = house.join('anna', { pace: every(1_000) });
    house.join('bert', { pace: every(10_000) });
    await house.clock.advance(500);
    anna.setHidden(true);
    await house.clock.advance(15_000);
    expect(house.times).toEqual([0, 10_000]);
    anna.setHidden(false);
    await house.clock.advance(1_000);
    expect(house.times).toEqual([0, 10_000, 15_500, 16_000]);
  });

  test('is once a minute at most where all are hidden, unless one is to go on as always', async () => {
    const house = new House();
    const anna = house.join('anna', {}, true);
    house.join('bert', {}, true);
    await house.clock.advance(100_000);
    expect(house.times).toEqual([0, 60_000]);
    anna.leave();
    house.join('cleo', { pace: { kind: 'poll', interval: 5_000, hidden: 'continue' } }, true);
    await house.clock.advance(10_000);
    expect(house.times.slice(2)).toEqual([100_000, 105_000, 110_000]);
  });

  test('is none where all are hidden and want to pause', async () => {
    const house = new House();
    const pace = { kind: 'poll', interval: 1_000, hidden: 'pause' } as const;
    house.join('anna', { pace }, true);
    house.join('bert', { pace }, true);
    await house.clock.advance(100_000);
    expect(house.times).toEqual([]);
  });
});

describe('a page that joins', () => {
  test('gets the newest answer at once, without a request', async () => {
    const house = storing();
    house.join('anna');
    await house.clock.advance(300);
    house.join('bert');
    await settle();
    expect([house.times, house.ticksOf('bert')]).toEqual([[0], [[300, 'cache']]]);
    const [, told] = house.told;
    expect(told?.delivery).toEqual({
      kind: 'tick',
      loop: 1,
      outcome: STORED,
      nextIn: 700,
      at: house.clock.now(),
    });
  });

  test('gets the last answer where it is not stored', async () => {
    const house = new House();
    house.join('anna');
    await house.clock.advance(300);
    house.join('bert');
    await settle();
    expect(house.ticksOf('bert')).toEqual([[300, 'network']]);
  });

  test('before the first answer waits for that', async () => {
    const house = new House();
    house.reply = () => ({ after: 600, outcome: answered() });
    house.join('anna');
    await house.clock.advance(300);
    house.join('bert');
    await house.clock.advance(500);
    expect([house.times, house.ticksOf('bert')]).toEqual([[0], [[600, 'network']]]);
  });

  test('before the first request has it sent when it wants it', async () => {
    const house = new House();
    house.join('anna', { firstIn: 900 });
    house.join('bert', { firstIn: 200 });
    house.join('cleo', { firstIn: 700 });
    await house.clock.advance(1_000);
    expect(house.times).toEqual([200]);
  });

  test('is not told of what was stored after a newer answer', async () => {
    const house = new House();
    house.join('anna');
    await house.clock.advance(999);
    const finds: ((stored: Answered | null) => void)[] = [];
    const search = new Promise<Answered | null>((resolve) => finds.push(resolve));
    Object.defineProperty(house, 'stored', { get: () => search });
    house.join('bert');
    await house.clock.advance(100);
    finds[0]?.(STORED);
    await settle();
    expect(house.ticksOf('bert')).toEqual([[1_000, 'network']]);
  });

  test('and goes at once is told nothing', async () => {
    const house = new House();
    house.stored = STORED;
    house.join('anna');
    await house.clock.advance(300);
    house.join('bert').leave();
    await settle();
    expect(house.told.filter(({ page }) => page === 'bert')).toEqual([]);
  });

  const BEHIND = { revision: null, overdueBy: 0, behind: true };
  test.each<[string, number, Partial<LoopDeclaration>, Outcome, boolean]>([
    ['nobody has asked', 300, { firstIn: 900, again: BEHIND }, answered(), true],
    ['the server has answered', 300, {}, answered(), false],
    ['the server failed since', 300, {}, refused(500), true],
    ['the server holds the request', 300, { pace: { kind: 'long-poll' } }, answered(), false],
  ])('gets a stored answer that is not fresh as such: %s', async (_, after, declared, outcome, stale) => {
    const house = new House();
    house.reply = () => ({ after: declared.pace ? 10_000 : 0, outcome });
    house.stored = { ...STORED, stale: true };
    house.join('anna', declared);
    await house.clock.advance(after);
    house.join('bert', declared);
    await house.clock.advance(1);
    const told = house.told.find(({ page, delivery }) => page === 'bert' && delivery.kind === 'tick');
    expect(told?.delivery).toMatchObject({ outcome: { kind: 'answered', stale } });
  });

  test('while the network is gone gets the newest answer as a stale one, and nothing else', async () => {
    const house = new House();
    house.reply = () => ({ after: 0, outcome: failed('offline') });
    house.stored = STORED;
    house.join('anna');
    await house.clock.advance(300);
    house.join('bert');
    await house.clock.advance(1);
    const told = house.told.filter(({ page }) => page === 'bert');
    expect(told.map(({ delivery }) => delivery)).toMatchObject([
      { outcome: { kind: 'answered', stale: true } },
    ]);
    expect(house.times).toEqual([0]);
  });

  test('while the network is gone and nothing is stored is told of that', async () => {
    const house = new House();
    house.reply = () => ({ after: 0, outcome: failed('offline') });
    house.join('anna');
    await house.clock.advance(300);
    house.join('bert');
    await house.clock.advance(1);
    expect(house.ticksOf('bert')).toEqual([[300, 'offline']]);
  });

  test('while the server fails gets the newest answer and then the failure, and no request earlier', async () => {
    const house = new House();
    house.reply = () => ({ after: 0, outcome: refused(503, [['Retry-After', '60']]) });
    house.stored = STORED;
    house.join('anna', { pace: every(10_000) });
    await house.clock.advance(300);
    house.join('bert');
    await house.clock.advance(50_000);
    expect(house.ticksOf('bert')).toEqual([
      [300, 'cache'],
      [300, 'http'],
    ]);
    expect(house.times).toEqual([0]);
  });

  test('is told what is stored though the server fails before that is found, and then the failure', async () => {
    const house = storing();
    const down = refused(503, [['Retry-After', '60']]);
    house.reply = (nth) => ({ after: 0, outcome: nth === 1 ? STORED : down });
    house.join('anna');
    await house.clock.advance(500);
    house.delay = 1_000;
    house.join('bert');
    await house.clock.advance(10_000);
    expect(house.ticksOf('bert')).toEqual([
      [1_000, 'http'],
      [1_500, 'cache'],
      [1_500, 'http'],
    ]);
  });

  test('first is told what is stored though the server fails before that is found', async () => {
    const house = new House();
    house.reply = () => ({ after: 50, outcome: refused(500) });
    house.stored = STORED;
    house.delay = 2_500;
    house.join('anna', { pace: { kind: 'long-poll' } });
    await house.clock.advance(3_000);
    expect(house.ticksOf('anna')).toContainEqual([2_500, 'cache']);
  });
});

function known(number: number): Again {
  return { revision: { lineage: 'a', number }, overdueBy: 0 };
}

describe('a page that declares its loop again', () => {
  test.each<[string, Again, Answered | null, number, Outcome?]>([
    ['nothing that it knows', known(7), STORED, 0],
    ['what is newer', known(6), STORED, 1],
    ['what may be newer, where what it has is not stored', heardNothing(0), STORED, 1],
    ['what is not stored', known(6), null, 1, answered()],
    ['no failure', known(6), null, 0, failed('protocol')],
  ])('is told %s', async (_what, again, stored, ticks, outcome) => {
    const house = storing();
    house.stored = stored;
    if (outcome) house.reply = () => ({ after: 0, outcome });
    house.join('anna');
    await house.clock.advance(300);
    house.join('bert', { again });
    await settle();
    expect(house.ticksOf('bert')).toHaveLength(ticks);
  });
});

function heardNothing(overdueBy: number): Again {
  return { revision: null, overdueBy };
}

describe('loops that are declared to the next life of the worker', () => {
  test.each([
    ['overdue by 200 ms', 0, 200, 500],
    ['overdue by two periods', 0, 20_000, 2_500],
    ['not due for 700 ms', 700, 0, 700],
  ])('ask when they are due, spread where that is past: %s', async (_what, firstIn, overdueBy, expected) => {
    const house = new House();
    house.join('anna', { pace: every(10_000), firstIn, again: heardNothing(overdueBy) });
    house.join('bert', { pace: every(10_000), firstIn, again: heardNothing(overdueBy) });
    await house.clock.advance(5_000);
    expect(house.times).toEqual([expected]);
  });
});

describe('a page that restarts its loop', () => {
  test('has it ask at once for all', async () => {
    const house = new House();
    house.join('anna');
    await house.clock.advance(300);
    house.join('bert', { restart: true });
    await house.clock.advance(900);
    expect(house.times).toEqual([0, 300]);
    expect(house.ticksOf('anna')).toEqual([
      [0, 'network'],
      [300, 'network'],
    ]);
  });

  test('cuts what is out, of which nobody is told', async () => {
    const house = new House();
    house.reply = (nth) => ({ after: nth === 1 ? 800 : 0, outcome: answered() });
    house.join('anna');
    await house.clock.advance(300);
    house.join('bert', { restart: true });
    await settle();
    expect(house.asked.map(({ at, signal }) => [at, signal.aborted])).toEqual([
      [0, true],
      [300, false],
    ]);
    expect([house.ticksOf('anna'), house.ticksOf('bert')]).toEqual([[[300, 'network']], [[300, 'network']]]);
  });

  test('asks though the loop waits because of a failure', async () => {
    const house = new House();
    house.reply = () => ({ after: 0, outcome: refused(503, [['Retry-After', '60']]) });
    house.join('anna');
    await house.clock.advance(300);
    house.join('bert', { restart: true });
    await settle();
    expect(house.times).toEqual([0, 300]);
  });

  test('has it begin with its quick tries, should it fail again', async () => {
    const house = new House();
    house.reply = () => ({ after: 0, outcome: refused(500) });
    house.join('anna');
    await house.clock.advance(4_600);
    house.join('bert', { restart: true });
    await house.clock.advance(1_500);
    expect(house.times).toEqual([0, 800, 1_800, 2_800, 4_300, 4_600, 5_400]);
  });
});

describe('a page that aborts', () => {
  test('alone ends the request', async () => {
    const house = new House();
    house.reply = () => ({ after: 800, outcome: answered() });
    const anna = house.join('anna');
    await house.clock.advance(300);
    anna.cut();
    await settle();
    expect([house.asked[0]?.signal.aborted, house.ticksOf('anna')]).toEqual([true, [[300, 'aborted']]]);
  });

  test('among others gives up that answer alone', async () => {
    const house = new House();
    house.reply = () => ({ after: 800, outcome: answered() });
    const anna = house.join('anna', { interest: { ...SILENT, started: true } });
    house.join('bert');
    await house.clock.advance(300);
    anna.cut();
    anna.cut();
    await house.clock.advance(1_600);
    expect(house.asked[0]?.signal.aborted).toBe(false);
    expect(house.ticksOf('anna')).toEqual([
      [300, 'aborted'],
      [1_800, 'network'],
    ]);
    expect(house.ticksOf('bert')).toEqual([
      [800, 'network'],
      [1_800, 'network'],
    ]);
  });

  test.each(['alone', 'among others'])('%s, between two requests, does nothing', async (company) => {
    const house = new House();
    const anna = house.join('anna');
    if (company !== 'alone') house.join('bert');
    await house.clock.advance(300);
    anna.cut();
    await settle();
    expect(house.ticksOf('anna')).toHaveLength(1);
  });

  test('is told no further steps of what it has given up', async () => {
    const house = new House();
    house.reply = () => ({ after: 800, outcome: answered() });
    const anna = house.join('anna', { interest: { ...SILENT, progress: true } });
    house.join('bert', { interest: { ...SILENT, progress: true } });
    await house.clock.advance(300);
    anna.cut();
    house.told.length = 0;
    house.say?.((to) => ({ kind: 'progress', to, progress: { loaded: 2, total: null } }));
    const progress = house.told.filter(({ delivery }) => delivery.kind === 'progress');
    expect(progress.map(({ page }) => page)).toEqual(['bert']);
  });
});

test('whoever comes and goes, there is one request at a time, and whoever stays is not forgotten', async () => {
  const pages = fc.array(
    fc.record({
      wait: fc.integer({ min: 0, max: 3_000 }),
      interval: fc.integer({ min: 100, max: 4_000 }),
      stays: fc.integer({ min: 0, max: 6_000 }),
    }),
    { minLength: 1, maxLength: 6 },
  );
  const lives = fc.asyncProperty(pages, fc.integer({ min: 0, max: 900 }), async (visits, latency) => {
    const house = new House();
    house.reply = () => ({ after: latency, outcome: answered() });
    house.join('host', { pace: every(4_000) });
    const leaving = visits.map(async ({ wait, interval, stays }, index) => {
      await house.clock.sleep(wait);
      const membership = house.join(`guest ${index}`, { pace: every(interval) });
      await house.clock.sleep(stays);
      membership.leave();
    });
    await house.clock.advance(12_000);
    await Promise.all(leaving);
    const gaps = house.times.slice(1).map((at, index) => at - (house.times[index] ?? 0));
    expect(house.mostInFlight).toBe(1);
    // A tick that falls due while an answer is out is skipped.
    expect(Math.max(...gaps)).toBeLessThanOrEqual(4_000 + latency);
    expect(house.ticksOf('host').length + house.inFlight).toBe(house.times.length);
  });
  // The answer to the request of one that has gone comes in the very instant when the next is due.
  const skipped = [
    { wait: 2_135, interval: 3_208, stays: 4_380 },
    { wait: 2_514, interval: 100, stays: 0 },
  ];
  await fc.assert(lives, { numRuns: 100, examples: [[skipped, 794]] });
});
