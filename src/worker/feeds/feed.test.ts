import { describe, expect, test, vi } from 'vitest';
import type { LogOffset } from '../../shared/delivery.ts';
import type { Failure } from '../../shared/failure.ts';
import type { Outcome } from '../../shared/outcome.ts';
import { MemoryLoops } from '../storage/loops.ts';
import { settle, VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { said, valueOf } from './feed.fixture.ts';
import { Feed } from './feed.ts';
import type { Follower } from './feed.ts';
import type { FeedEntry } from '../contracts/loop-store.ts';
import { storeIn } from '../contracts/loop-store.fixture.ts';
import { DurableState } from '../scheduling/durable-state.ts';

const REFUSED: Failure = { code: 'protocol', message: 'refused' };

/** A page that takes what it is told at once, or when it is told to. */
class Heard implements Follower {
  isSlow: boolean;
  readonly numbers: unknown[] = [];
  readonly outcomes: Outcome[] = [];
  readonly positions: LogOffset[] = [];
  /** After which answers it was told that it begins. */
  readonly joined: number[] = [];
  readonly #taken: (() => void)[] = [];

  constructor(isSlow = false) {
    this.isSlow = isSlow;
  }

  tell(outcome: Parameters<Follower['tell']>[0], position: LogOffset, taken: () => void): void {
    this.numbers.push(valueOf(outcome));
    this.outcomes.push(outcome);
    this.positions.push(position);
    this.#taken.push(taken);
    if (!this.isSlow) this.take();
  }

  join(position: LogOffset): void {
    this.joined.push(position.offset);
  }

  gap(): void {
    this.numbers.push('lost');
  }

  reset(): void {
    this.numbers.push('reset');
  }

  take(count = Infinity): void {
    for (const taken of this.#taken.splice(0, count)) taken();
  }
}

class Stage {
  readonly clock: VirtualClock = new VirtualClock();
  readonly store: MemoryLoops = new MemoryLoops(this.clock);
  reads = 0;
  generation: number | null = 1;
  /** What reading waits for. */
  reading: () => Promise<void> = async () => {};
  readonly memory: DurableState;
  readonly feed: Feed;

  private constructor() {
    const { store } = this;
    this.memory = new DurableState({
      clock: this.clock,
      store: {
        ...storeIn(store),
        entries: async (...range) => {
          this.reads += 1;
          const found = await storeIn(store).entries(...range);
          await this.reading();
          return found;
        },
      },
      generation: () => this.generation,
      key: async () => 'key',
      uuid: () => `log ${(lastLog += 1)}`,
    });
    this.feed = new Feed({ clock: this.clock, state: this.memory });
  }

  /** With so many answers in the log before any page comes, of which so many were taken. */
  static async with(count: number, acknowledged = 0): Promise<Stage> {
    const stage = new Stage();
    await stage.memory.renew();
    for (let n = 1; n <= count; n += 1) await stage.memory.append({ acknowledged }, entry(n));
    await stage.feed.begin();
    return stage;
  }

  get log(): string {
    return this.memory.record.log;
  }

  async add(count = 1): Promise<void> {
    for (let more = 0; more < count; more += 1) {
      const next = entry(this.memory.record.last + 1, this.clock.now());
      await this.memory.append({}, next);
      this.feed.add(next);
    }
    await settle();
  }

  async follow(offset: number | null, follower = new Heard(), held = false): Promise<Heard> {
    this.feed.follow(follower, offset === null ? null : { log: this.log, offset }, held);
    await settle();
    return follower;
  }

  async left(): Promise<number[]> {
    return (await this.store.entries('key', 0, 2_000)).map(({ offset }) => offset);
  }

  /** Past the time in which pages may come back. */
  async endGrace(): Promise<void> {
    await this.clock.advance(15_000);
  }
}

let lastLog = 0;

function entry(offset: number, receivedAt = 0): FeedEntry {
  return { offset, outcome: said(offset), size: 1, receivedAt };
}

function upTo(last: number, from = 1): number[] {
  return Array.from({ length: last - from + 1 }, (_, index) => from + index);
}

describe('a page that says where it is', () => {
  test('is told what comes after that, in order', async () => {
    const stage = await Stage.with(5);
    const heard = await stage.follow(3);
    expect(heard.numbers).toEqual([4, 5]);
    await stage.add(2);
    expect(heard.numbers).toEqual([4, 5, 6, 7]);
    expect(heard.positions.at(-1)).toEqual({ log: stage.log, offset: 7 });
  });

  test('hears that answers are lost where they are gone, and is told the rest', async () => {
    const stage = await Stage.with(5);
    await stage.store.prune('key', 3, 0);
    expect((await stage.follow(1)).numbers).toEqual(['lost', 4, 5]);
    expect((await stage.follow(3)).numbers).toEqual([4, 5]);
  });

  test('hears that answers are lost where all are gone', async () => {
    const stage = await Stage.with(5);
    await stage.store.prune('key', 5, 0);
    const heard = await stage.follow(1);
    expect(heard.numbers).toEqual(['lost']);
    await stage.add();
    expect(heard.numbers).toEqual(['lost', 6]);
  });

  test.each([
    ['in another log', { log: 'another', offset: 2 }],
    ['beyond the end', { log: '', offset: 6 }],
  ])('%s hears that answers are lost, and is told all that there are', async (_where, { log, offset: n }) => {
    const stage = await Stage.with(3);
    const heard = new Heard();
    stage.feed.follow(heard, { log: log === '' ? stage.log : log, offset: n });
    await settle();
    expect(heard.numbers).toEqual(['lost', 1, 2, 3]);
  });
});

describe('a page that is new', () => {
  test('is told what is there for others, while they may come back', async () => {
    const stage = await Stage.with(3);
    await stage.clock.advance(14_999);
    const heard = await stage.follow(null);
    await stage.add();
    expect(heard.numbers).toEqual([1, 2, 3, 4]);
  });

  test('is not told what all have had', async () => {
    const stage = await Stage.with(3, 2);
    const heard = await stage.follow(null);
    await stage.add();
    expect(heard.numbers).toEqual([3, 4]);
  });

  test('begins at the end where nothing is left', async () => {
    const stage = await Stage.with(0);
    await stage.follow(null);
    await stage.add(3);
    const heard = await stage.follow(null);
    await stage.add();
    expect(heard.numbers).toEqual([4]);
  });

  test('begins at the end of a log that has started afresh meanwhile', async () => {
    const stage = await Stage.with(3);
    await stage.memory.startAfresh();
    stage.feed.startAfresh(REFUSED);
    await stage.add(2);
    const heard = await stage.follow(null);
    await stage.add();
    expect(heard.numbers).toEqual([3]);
  });

  test('begins at the end from then on', async () => {
    const stage = await Stage.with(3);
    await stage.endGrace();
    const heard = await stage.follow(null);
    await stage.add();
    expect(heard.numbers).toEqual([4]);
  });

  test('is told what comes, though nothing is left of a long log', async () => {
    const stage = await Stage.with(100);
    await stage.store.prune('key', 100, 0);
    const heard = await stage.follow(null);
    await stage.add(40);
    expect(heard.numbers).toEqual(upTo(140, 101));
  });

  test('does not hear that what was there before it is lost', async () => {
    const stage = await Stage.with(5);
    await stage.store.prune('key', 3, 0);
    expect((await stage.follow(null)).numbers).toEqual([4, 5]);
  });

  test('and is held is told nothing until it is let go, and then what has come since', async () => {
    const stage = await Stage.with(2);
    const heard = await stage.follow(null, new Heard(), true);
    await stage.add(2);
    expect(heard.numbers).toEqual([]);
    stage.feed.resume(heard);
    await settle();
    expect(heard.numbers).toEqual([3, 4]);
  });
});

describe('a page is told where it begins', () => {
  test('when it comes without knowing, and not when it knows', async () => {
    const stage = await Stage.with(3);
    await stage.endGrace();
    const [comes, knows] = [await stage.follow(null), await stage.follow(2)];
    await stage.add();
    expect([comes.joined, knows.joined]).toEqual([[3], []]);
  });

  test('only once it is let go: the state comes first', async () => {
    const stage = await Stage.with(2);
    const heard = await stage.follow(null, new Heard(), true);
    await settle();
    expect(heard.joined).toEqual([]);
    stage.feed.resume(heard);
    await settle();
    expect(heard.joined).toEqual([2]);
  });

  test('anew when the log starts afresh', async () => {
    const stage = await Stage.with(2);
    const heard = await stage.follow(2);
    await stage.memory.startAfresh();
    stage.feed.startAfresh(REFUSED);
    await settle();
    expect([heard.numbers, heard.joined]).toEqual([['reset'], [0]]);
  });

  test('after it has lost answers, where no other follows at once', async () => {
    const stage = await Stage.with(3);
    await stage.store.prune('key', 3, 0);
    const heard = await stage.follow(1);
    expect([heard.numbers, heard.joined]).toEqual([['lost'], [3]]);
  });

  test('not by an engine whose turn it is not: what it says would be worth nothing', async () => {
    const stage = await Stage.with(2);
    await stage.endGrace();
    stage.generation = null;
    const heard = await stage.follow(null);
    expect(heard.joined).toEqual([]);
    stage.generation = 2;
    await stage.memory.renew();
    stage.feed.renew();
    await settle();
    expect(heard.joined).toEqual([2]);
  });
});

describe('a page that is slow', () => {
  test('has 32 answers on their way to it, and gets another with each that it takes', async () => {
    const stage = await Stage.with(0);
    const slow = await stage.follow(null, new Heard(true));
    const quick = await stage.follow(null);
    await stage.add(50);
    expect(slow.numbers).toEqual(upTo(32));
    expect(quick.numbers).toEqual(upTo(50));
    slow.take(3);
    await settle();
    expect(slow.numbers).toEqual(upTo(35));
    slow.isSlow = false;
    slow.take();
    await settle();
    expect(slow.numbers).toEqual(upTo(50));
  });

  test('and falls behind 1,000 answers hears that some are lost, and only that one', async () => {
    const stage = await Stage.with(0);
    const slow = await stage.follow(null, new Heard(true));
    const quick = await stage.follow(null);
    await stage.add(1_100);
    slow.isSlow = false;
    slow.take();
    await settle();
    await settle();
    expect(slow.numbers).toEqual([...upTo(32), 'lost', ...upTo(1_100, 101)]);
    expect(quick.numbers).toEqual(upTo(1_100));
    expect(await stage.left()).toHaveLength(1_000);
  });
});

describe('what all pages have taken', () => {
  test('is removed, but never before they have had 15 s to come back', async () => {
    const stage = await Stage.with(0);
    await stage.follow(null);
    await stage.follow(null);
    await stage.add(3);
    await stage.clock.advance(14_999);
    expect(await stage.left()).toEqual([1, 2, 3]);
    await stage.clock.advance(1);
    expect(await stage.left()).toEqual([]);
    await stage.add(2);
    await stage.clock.advance(999);
    expect(await stage.left()).toEqual([4, 5]);
    await stage.clock.advance(1);
    expect(await stage.left()).toEqual([]);
  });

  test('stays as long as one has not', async () => {
    const stage = await Stage.with(0);
    const slow = await stage.follow(null, new Heard(true));
    await stage.follow(null);
    await stage.add(3);
    slow.take(1);
    await stage.endGrace();
    expect(await stage.left()).toEqual([2, 3]);
  });

  test('goes when the slow one does', async () => {
    const stage = await Stage.with(0);
    const slow = await stage.follow(null, new Heard(true));
    await stage.follow(null);
    await stage.add(3);
    await stage.endGrace();
    stage.feed.leave(slow);
    await stage.clock.advance(1_000);
    expect(await stage.left()).toEqual([]);
  });

  test('goes where an earlier life has told it, though nothing comes', async () => {
    const stage = await Stage.with(3);
    await stage.follow(3);
    await stage.endGrace();
    expect(await stage.left()).toEqual([]);
  });

  test('stays once nobody follows: the next who do may want it', async () => {
    const stage = await Stage.with(0);
    const heard = await stage.follow(null);
    await stage.add(3);
    stage.feed.leave(heard);
    await stage.clock.advance(60_000);
    expect(await stage.left()).toEqual([1, 2, 3]);
  });

  test('is not waited for any more once nobody follows', async () => {
    const stage = await Stage.with(0);
    const sleep = vi.spyOn(stage.clock, 'sleep');
    const heard = await stage.follow(null);
    await stage.add();
    const asleep = sleep.mock.calls.filter(([milliseconds]) => milliseconds === 15_000);
    stage.feed.leave(heard);
    expect(asleep.map(([, signal]) => signal?.aborted)).toEqual([true]);
    await stage.follow(1);
    await stage.endGrace();
    expect(await stage.left()).toEqual([]);
  });

  test('stays for one that is held', async () => {
    const stage = await Stage.with(2);
    await stage.follow(2);
    await stage.follow(null, new Heard(), true);
    await stage.add(2);
    await stage.endGrace();
    expect(await stage.left()).toEqual([3, 4]);
  });
});

describe('an answer out of the log', () => {
  const RECEIVED = { servedFrom: 'network', age: 0, stale: false } as const;

  test('says how old it is', async () => {
    const stage = await Stage.with(0);
    await stage.add();
    await stage.clock.advance(2_500);
    const heard = await stage.follow(0);
    expect(heard.outcomes).toMatchObject([{ servedFrom: 'cache', age: 2.5, stale: false }]);
  });

  test('says so as well where it is the newest, which need not be read', async () => {
    const stage = await Stage.with(0);
    const heard = await stage.follow(null, new Heard(), true);
    await stage.add();
    await stage.clock.advance(5_000);
    stage.feed.resume(heard);
    await settle();
    expect([stage.reads, heard.outcomes]).toMatchObject([0, [{ servedFrom: 'cache', age: 5, stale: false }]]);
  });

  test('that has only just come is from the network', async () => {
    const stage = await Stage.with(0);
    const heard = await stage.follow(null);
    await stage.add();
    expect(heard.outcomes).toMatchObject([RECEIVED]);
  });

  test('is not younger than nothing, by whatever clock', async () => {
    const stage = await Stage.with(0);
    await stage.add();
    stage.clock.set(-60_000);
    expect((await stage.follow(0)).outcomes).toMatchObject([{ age: 0 }]);
  });

  test('of an older worker does not say', async () => {
    const stage = await Stage.with(0);
    const { receivedAt: _receivedAt, ...old } = entry(1, 0);
    await stage.memory.append({}, old);
    await stage.clock.advance(2_000);
    expect((await stage.follow(0)).outcomes).toMatchObject([{ servedFrom: 'cache', age: 0 }]);
  });
});

describe('a feed that starts afresh', () => {
  test('says so to all, and tells its answers from the first on', async () => {
    const stage = await Stage.with(2);
    const heard = await stage.follow(2);
    await stage.memory.startAfresh();
    stage.feed.startAfresh(REFUSED);
    await stage.add(2);
    expect(heard.numbers).toEqual(['reset', 1, 2]);
    expect(heard.positions.at(-1)).toEqual({ log: stage.log, offset: 2 });
  });

  test('removes nothing for what a page takes late of the log before', async () => {
    const stage = await Stage.with(0);
    const slow = await stage.follow(null, new Heard(true));
    await stage.add(10);
    await stage.memory.startAfresh();
    stage.feed.startAfresh(REFUSED);
    slow.take();
    await stage.add(5);
    await stage.endGrace();
    expect(await stage.left()).toEqual([1, 2, 3, 4, 5]);
    slow.take(2);
    await stage.clock.advance(1_000);
    expect(await stage.left()).toEqual([3, 4, 5]);
  });

  test('removes by new numbers, however far it was before', async () => {
    const stage = await Stage.with(0);
    await stage.follow(null);
    await stage.add(10);
    await stage.endGrace();
    await stage.memory.startAfresh();
    stage.feed.startAfresh(REFUSED);
    await stage.add(2);
    await stage.clock.advance(1_000);
    expect(await stage.left()).toEqual([]);
  });

  test('forgets nothing of the new log for what was taken of the one before', async () => {
    const stage = await Stage.with(0);
    await stage.follow(null);
    await stage.add(3);
    await stage.memory.startAfresh();
    await stage.endGrace();
    stage.feed.startAfresh(REFUSED);
    await stage.add(2);
    await stage.clock.advance(1_000);
    expect(await stage.left()).toEqual([]);
  });

  test('while a page reads tells it nothing of the log before', async () => {
    const stage = await Stage.with(3);
    const reads: (() => void)[] = [];
    stage.reading = () => new Promise((resolve) => reads.push(resolve));
    const heard = await stage.follow(1);
    await stage.memory.startAfresh();
    stage.feed.startAfresh(REFUSED);
    stage.reading = async () => {};
    reads[0]?.();
    await stage.add();
    expect(heard.numbers).toEqual(['reset', 1]);
  });

  test('because all have caught up says nothing of it', async () => {
    const stage = await Stage.with(2);
    const heard = await stage.follow(2);
    await stage.memory.startAfresh({ cursor: '9' });
    stage.feed.catchUp();
    await stage.add();
    expect(heard.numbers).toEqual([1]);
  });

  test('by another engine has lost answers to its pages', async () => {
    const stage = await Stage.with(2);
    const heard = await stage.follow(2);
    await stage.memory.startAfresh();
    await stage.memory.append({}, entry(1));
    stage.feed.renew();
    await settle();
    expect(heard.numbers).toEqual(['lost', 1]);
  });
});

test('what has been stored unheard of is told with the renewal', async () => {
  const stage = await Stage.with(2);
  const heard = await stage.follow(2);
  await stage.memory.append({}, entry(3));
  stage.feed.renew();
  await settle();
  expect(heard.numbers).toEqual([3]);
});

test('a page that leaves while it reads is told nothing', async () => {
  const stage = await Stage.with(3);
  const reads: (() => void)[] = [];
  stage.reading = () => new Promise((resolve) => reads.push(resolve));
  const heard = await stage.follow(1);
  stage.feed.leave(heard);
  reads[0]?.();
  await settle();
  expect(heard.numbers).toEqual([]);
});

test('what comes while a page finds that all before it is gone is not passed over', async () => {
  const stage = await Stage.with(3);
  await stage.store.prune('key', 3, 0);
  const reads: (() => void)[] = [];
  stage.reading = () => new Promise((resolve) => reads.push(resolve));
  const heard = await stage.follow(null);
  await stage.add();
  stage.reading = async () => {};
  reads[0]?.();
  await settle();
  expect(heard.numbers).toEqual([4]);
});

test('the newest answer is told without being read, to all who wait for it, and then forgotten', async () => {
  const stage = await Stage.with(0);
  await stage.follow(null);
  await stage.follow(null);
  await stage.add(3);
  expect(stage.reads).toBe(0);
  await stage.follow(2);
  expect(stage.reads).toBe(1);
});
