import { describe, expect, test } from 'vitest';
import type { LoopDeclaration } from '../../shared/protocol.ts';
import { answered, failed, refused } from '../contracts/outcome.fixture.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { Loop } from './loop.ts';
import { declaration, every, OPEN, SILENT, Stage } from '../loops/stage.fixture.ts';
import type { Alone } from '../loops/stage.fixture.ts';
import type { Admission } from './admission-control.ts';

class Running extends Stage {
  readonly loop: Alone;

  constructor(wish: Partial<LoopDeclaration> = {}, prepare: (stage: Stage) => void = () => {}) {
    super();
    prepare(this);
    this.loop = this.alone(wish);
  }
}

/** A loop whose network takes so long for each answer. */
function slow(after: number, wish: Partial<LoopDeclaration> = {}): Running {
  return new Running(wish, (stage) => {
    stage.reply = () => ({ after, outcome: answered() });
  });
}

function cutOff(wish: Partial<LoopDeclaration> = {}): Running {
  return new Running(wish, (stage) => {
    stage.reply = () => ({ after: 0, outcome: failed('offline') });
  });
}

describe('the grid of a poll', () => {
  test('starts at once', async () => {
    const running = new Running();
    await running.clock.advance(3_500);
    expect(running.times).toEqual([0, 1_000, 2_000, 3_000]);
  });

  test('or where its declaration says', async () => {
    const running = new Running({ firstIn: 700 });
    await running.clock.advance(3_500);
    expect(running.times).toEqual([700, 1_700, 2_700]);
  });

  test('is not shifted by the time that answers take', async () => {
    const running = slow(400);
    await running.clock.advance(3_500);
    expect(running.times).toEqual([0, 1_000, 2_000, 3_000]);
    expect(running.ticks.map(({ at, nextIn }) => [at, nextIn])).toEqual([
      [400, 600],
      [1_400, 600],
      [2_400, 600],
      [3_400, 600],
    ]);
  });

  test('loses the ticks that fall into a request', async () => {
    const running = slow(2_500);
    await running.clock.advance(7_000);
    expect(running.times).toEqual([0, 3_000, 6_000]);
    expect(running.mostInFlight).toBe(1);
  });

  test('is left after a failure and starts anew with the next try', async () => {
    const running = new Running({}, (stage) => {
      stage.reply = (nth) => ({ after: 200, outcome: nth === 2 ? refused(500) : answered() });
    });
    await running.clock.advance(4_500);
    expect(running.times).toEqual([0, 1_000, 2_000, 3_000, 4_000]);
  });
});

test('a long-poll asks again as soon as it is answered', async () => {
  const running = slow(2_000, { pace: { kind: 'long-poll' } });
  await running.clock.advance(7_000);
  expect(running.times).toEqual([0, 2_000, 4_000, 6_000]);
});

describe('a changed interval', () => {
  test('counts from the last request', async () => {
    const running = new Running({ pace: every(10_000) });
    await running.clock.advance(500);
    running.loop.setInterval(2_000);
    await running.clock.advance(6_000);
    expect(running.times).toEqual([0, 2_000, 4_000, 6_000]);
  });

  test('asks at once where that has passed', async () => {
    const running = new Running({ pace: every(10_000) });
    await running.clock.advance(2_500);
    running.loop.setInterval(1_000);
    await settle();
    expect(running.times).toEqual([0, 2_500]);
  });

  test('may be longer', async () => {
    const running = new Running();
    await running.clock.advance(500);
    running.loop.setInterval(4_000);
    await running.clock.advance(8_000);
    expect(running.times).toEqual([0, 4_000, 8_000]);
  });

  test('before the first request counts from now', async () => {
    const running = new Running({ firstIn: 60_000 });
    await running.clock.advance(100);
    running.loop.setInterval(500);
    await running.clock.advance(1_200);
    expect(running.times).toEqual([600, 1_100]);
  });

  test('during a request counts from that request', async () => {
    const running = slow(700, { pace: every(10_000) });
    await running.clock.advance(100);
    running.loop.setInterval(1_000);
    await running.clock.advance(2_500);
    expect(running.times).toEqual([0, 1_000, 2_000]);
  });

  test('does not shorten a back-off (invariant 12)', async () => {
    const running = new Running({ pace: every(10_000) }, (stage) => {
      stage.reply = () => ({ after: 0, outcome: refused(503, [['Retry-After', '60']]) });
    });
    await running.clock.advance(10);
    running.loop.setInterval(100);
    await running.clock.advance(59_000);
    expect(running.times).toEqual([0]);
  });

  test('is nothing to a long-poll', async () => {
    const running = slow(2_000, { pace: { kind: 'long-poll' } });
    running.loop.setInterval(100);
    await running.clock.advance(4_500);
    expect(running.times).toEqual([0, 2_000, 4_000]);
    expect(running.loop.loop.inspect().kind).toBe('long-poll');
  });
});

describe('a loop that is stopped', () => {
  test('while it waits asks no more', async () => {
    const running = new Running();
    await running.clock.advance(500);
    running.loop.leave();
    await running.clock.advance(5_000);
    expect(running.times).toEqual([0]);
  });

  test('during a request ends it, and tells nothing of it', async () => {
    const running = slow(800);
    await running.clock.advance(500);
    running.loop.leave();
    await settle();
    expect(running.asked[0]?.signal.aborted).toBe(true);
    await running.clock.advance(5_000);
    expect(running.ticks).toEqual([]);
    expect(running.times).toEqual([0]);
  });
});

test('a loop that is stopped in the moment of its turn gives it back', async () => {
  const stage = new Stage();
  const ends: unknown[] = [];
  const turn: Admission = { signal: new AbortController().signal, end: (outcome) => ends.push(outcome) };
  const turnstile = { ...OPEN, admit: async (): Promise<Admission> => turn };
  const loop = new Loop(declaration(), {
    clock: stage.clock,
    random: () => stage.random,
    admission: () => turnstile,
    ask: async (signal) => ({
      outcome: await stage.ask(SILENT, signal),
      advanced: false,
      isCatchUp: false,
      entry: null,
    }),
    tick: () => {},
    remember: async () => {},
    demand: {
      pace: { kind: 'poll', interval: 1_000, hidden: 'slow' },
      period: 1_000,
      dueAt: (plannedAt) => plannedAt,
    },
  });
  const ended = loop.run();
  loop.stop();
  await ended;
  expect([stage.times, ends]).toEqual([[], [null]]);
});

test('a request that is cut is told as aborted, and the loop goes on', async () => {
  const running = slow(800);
  await running.clock.advance(500);
  running.loop.cut();
  await settle();
  expect(running.ticks).toEqual([{ at: 500, outcome: failed('aborted'), nextIn: 500 }]);
  await running.clock.advance(1_000);
  expect(running.times).toEqual([0, 1_000]);
});

/** One that has failed three times, so that it would wait for long, at 2.3 s for a poll of 1 s. */
async function waiting(wish: Partial<LoopDeclaration> = {}, until = 2_300): Promise<Running> {
  const running = cutOff(wish);
  await running.clock.advance(until);
  expect(running.times).toHaveLength(3);
  return running;
}

describe('when the network is back', () => {
  test.each([
    [0, 2_300],
    [0.5, 2_550],
    [0.99, 2_795],
  ])('a loop that was cut off asks within half a period, with random %f at %i', async (random, expected) => {
    const running = await waiting();
    running.random = random;
    void running.loop.loop.wakeUp();
    await running.clock.advance(500);
    expect(running.times[3]).toBe(expected);
  });

  test('a loop that is given a longer interval then asks as soon all the same', async () => {
    const running = await waiting();
    void running.loop.loop.wakeUp();
    running.loop.setInterval(60_000);
    await running.clock.advance(500);
    expect(running.times[3]).toBe(2_550);
  });

  test('a long-poll spreads over half of its 20 s', async () => {
    const running = await waiting({ pace: { kind: 'long-poll' } }, 8_000);
    running.random = 0.9;
    void running.loop.loop.wakeUp();
    await running.clock.advance(9_000);
    expect(running.times[3]).toBe(17_000);
  });

  test('a loop that would ask earlier anyway does', async () => {
    const running = await waiting({}, 2_700);
    running.random = 0.9;
    void running.loop.loop.wakeUp();
    await running.clock.advance(100);
    expect(running.times).toEqual([0, 800, 1_800, 2_800]);
  });

  test('a loop whose request was out then, and fails of it, asks within half a period of that', async () => {
    const running = new Running({ pace: every(60_000) }, (stage) => {
      stage.reply = (nth) =>
        nth < 3 ? { after: 0, outcome: refused(500) } : { after: 5_000, outcome: failed('network') };
    });
    while (running.times.length < 3) await running.clock.advance(1_000);
    const [, , asked = NaN] = running.times;
    running.random = 0.1;
    void running.loop.loop.wakeUp();
    await running.clock.advance(10_000);
    expect(running.times.slice(2)).toEqual([asked, asked + 5_000 + 3_000]);
  });

  test('a loop that fails once more begins with its quick tries', async () => {
    const running = await waiting();
    void running.loop.loop.wakeUp();
    await running.clock.advance(2_100);
    expect(running.times.slice(3)).toEqual([2_550, 3_350, 4_350]);
  });

  test.each([1, 2, 20])('a loop draws once, though %i pages say so', async (pages) => {
    const running = await waiting({ pace: every(60_000) }, 10_000);
    const draws = Array.from({ length: pages }, (_, page) => (pages - page) / (pages + 1));
    for (const draw of draws) {
      running.random = draw;
      void running.loop.loop.wakeUp();
      await running.clock.advance(10);
    }
    await running.clock.advance(30_000);
    expect(running.times[3]).toBeCloseTo(10_000 + 30_000 * (draws[0] ?? 0), 1);
  });

  test('a loop that has failed once more draws anew', async () => {
    const running = await waiting();
    running.random = 0.1;
    void running.loop.loop.wakeUp();
    await running.clock.advance(60);
    expect(running.times.slice(3)).toEqual([2_350]);
    running.random = 0;
    void running.loop.loop.wakeUp();
    await settle();
    expect(running.times.slice(3)).toEqual([2_350, 2_360]);
  });

  test('a loop that failed for another reason keeps to its back-off', async () => {
    const running = new Running({}, (stage) => {
      stage.reply = () => ({ after: 0, outcome: refused(503, [['Retry-After', '60']]) });
    });
    await running.clock.advance(100);
    running.random = 0;
    void running.loop.loop.wakeUp();
    await running.clock.advance(59_000);
    expect(running.times).toEqual([0]);
  });

  test('a loop that was not cut off keeps to its grid', async () => {
    const running = new Running();
    await running.clock.advance(100);
    running.random = 0;
    void running.loop.loop.wakeUp();
    await running.clock.advance(850);
    expect(running.times).toEqual([0]);
  });
});

test('of a network that is gone one tick is told, and the first answer after it', async () => {
  const running = new Running({}, (stage) => {
    stage.reply = (nth) => ({ after: 0, outcome: nth < 4 ? failed('network') : answered() });
  });
  await running.clock.advance(8_000);
  expect(running.ticks.slice(0, 2).map(({ outcome }) => outcome.kind)).toEqual(['failed', 'answered']);
  expect(running.times.slice(0, 4)).toEqual([0, 800, 1_800, 2_800]);
});

test('that a request is out is told only where somebody listens for it', async () => {
  const running = new Running();
  await running.clock.advance(1_500);
  running.loop.setInterest({ ...SILENT, started: true, sent: true });
  await running.clock.advance(1_000);
  expect(running.startings).toEqual([2_000]);
  expect(running.asked.map(({ interest }) => interest.sent)).toEqual([false, false, true]);
});

describe('a look at a loop', () => {
  test('shows what it waits for', async () => {
    const running = new Running();
    await running.clock.advance(2_100);
    expect(running.loop.loop.inspect()).toEqual({
      action: 'get',
      template: '/photo',
      kind: 'poll',
      interval: 1_000,
      state: 'waiting',
      nextDueAt: running.clock.now() + 900,
      requests: 3,
      failures: 0,
      pages: 1,
    });
  });

  test('shows that it asks, and how often it has failed', async () => {
    const running = new Running({ pace: { kind: 'long-poll' } }, (stage) => {
      stage.reply = (nth) => ({ after: nth === 3 ? 60_000 : 0, outcome: refused(500) });
    });
    await running.clock.advance(60_000);
    expect(running.loop.loop.inspect()).toMatchObject({
      kind: 'long-poll',
      interval: null,
      state: 'asking',
      nextDueAt: null,
      requests: 3,
      failures: 2,
    });
  });
});

describe('a loop on its own', () => {
  type Reply = Awaited<ReturnType<ConstructorParameters<typeof Loop>[1]['ask']>>;

  /** One whose replies are given in order, each when it is let go; the first asks at once. */
  class Own extends Stage {
    readonly told: unknown[] = [];
    readonly remembered: unknown[] = [];
    readonly #answers: ((reply: Partial<Reply>) => void)[] = [];
    readonly loop: Loop;

    constructor(spread: number | null = null) {
      super();
      this.loop = this.#loopOf(declaration({ pace: { kind: 'long-poll' }, spread }));
    }

    #loopOf(order: LoopDeclaration): Loop {
      return new Loop(order, {
        clock: this.clock,
        random: () => 0.5,
        admission: () => OPEN,
        ask: async () => {
          this.asked.push({ at: this.now, interest: SILENT, signal: new AbortController().signal });
          const outcome = answered();
          const reply = await new Promise<Partial<Reply>>((resolve) => this.#answers.push(resolve));
          return { outcome, advanced: false, isCatchUp: false, entry: null, ...reply };
        },
        tick: ({ entry }) => this.told.push(entry),
        remember: async ({ failures }, dueAt) =>
          void this.remembered.push([failures, dueAt - this.clock.now()]),
        demand: { pace: { kind: 'long-poll' }, period: 20_000, dueAt: (plannedAt) => plannedAt },
      });
    }

    async answer(reply: Partial<Reply> = {}): Promise<void> {
      this.#answers.shift()?.(reply);
      await settle();
    }
  }

  async function running(prepare: (own: Own) => void = () => {}): Promise<Own> {
    const own = new Own();
    prepare(own);
    void own.loop.run();
    await settle();
    return own;
  }

  test.each<[string, Partial<Reply>, unknown[]]>([
    ['is not told', {}, []],
    ['is told where it has been stored', { entry: 4 }, [4]],
    ['is told where the place has moved with it', { advanced: true }, [null]],
  ])('that is restarted asks again, and what it was answered before %s', async (_what, reply, told) => {
    const own = await running();
    own.loop.restart();
    await own.answer(reply);
    expect([own.times, own.told]).toEqual([[0, 0], told]);
  });

  test('has each answer remembered, and what follows from it', async () => {
    const own = await running();
    await own.answer();
    await own.answer({ outcome: refused(500) });
    expect(own.remembered).toEqual([
      [0, 0],
      [1, 1_500],
    ]);
  });

  test('resumes where an earlier life has left off, and counts on', async () => {
    const own = await running((each) => each.loop.resume(2, each.clock.now() + 7_000, false));
    await own.clock.advance(6_999);
    expect(own.times).toEqual([]);
    await own.clock.advance(1);
    await own.answer({ outcome: refused(500) });
    expect([own.times, own.remembered]).toEqual([[7_000], [[3, 20_000]]]);
  });

  test.each([
    ['as far ahead as a cut may put it', false, 5_400_000, 5_400_000],
    ['no further ahead than a server may put it, by a clock that was set', false, 86_400_000, 9_000_000],
    [
      'no further ahead than a cut may put it after a cut, by a clock that was set',
      true,
      86_400_000,
      5_400_000,
    ],
  ])('with a spread of an hour is resumed %s', (_how, wasCut, ahead, expected) => {
    const own = new Own(3_600_000);
    own.loop.resume(2, own.clock.now() + ahead, wasCut);
    expect(own.loop.nextIn).toBe(expected);
  });

  test('is not resumed to ask earlier than it would', async () => {
    const own = await running((each) => {
      each.loop.postpone(each.clock.now() + 5_000);
      each.loop.resume(1, each.clock.now() - 7_000, true);
      each.loop.postpone(each.clock.now());
    });
    await own.clock.advance(4_999);
    expect(own.times).toEqual([]);
    await own.clock.advance(1);
    expect(own.times).toEqual([5_000]);
  });
});
