import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../shared/limits.ts';
import { settle, VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { ConnectionLimiter } from './connection-limiter.ts';
import type { Permit } from './connection-limiter.ts';

const SLICE = LIMITS.longPollSlice;
/** The most milliseconds that one takes to come back when it is cut. */
const LAG = 300;

/** One long-poll, `wait` milliseconds after the one before. */
interface Visit {
  readonly wait: number;
  /** How long the server would hold it. */
  readonly duration: number;
  readonly lag: number;
  /** When its loop is stopped, if it is. */
  readonly patience: number;
}

/** Long-polls of one origin, watched from the outside. */
class Street {
  readonly clock: VirtualClock = new VirtualClock();
  readonly budget: ConnectionLimiter = new ConnectionLimiter(this.clock);
  readonly faults: string[] = [];
  readonly wentOut: number[] = [];
  readonly #start = this.clock.now();
  readonly #waiting = new Set<number>();
  #out = 0;
  #onTheirWay = 0;

  get now(): number {
    return this.clock.now() - this.#start;
  }

  async visit(number: number, { duration, lag, patience }: Visit): Promise<void> {
    const stop = this.#stopAfter(patience);
    const [cameAt, ahead] = [this.now, this.#waiting.size];
    this.#waiting.add(number);
    const ticket = await this.budget.acquire('https://here', stop);
    this.#waiting.delete(number);
    if (!ticket) return;
    this.#goOut(number);
    const latest = cameAt + (ahead / LIMITS.longPolls + 1) * (SLICE + LAG);
    if (this.now > latest) this.faults.push(`${number} waited from ${cameAt} to ${this.now}`);
    await this.#beOut(ticket, this.now, duration, lag, stop);
    this.#out -= 1;
    ticket.release();
  }

  #goOut(number: number): void {
    this.wentOut.push(number);
    this.#out += 1;
    if (this.#out > LIMITS.longPolls) this.faults.push(`${this.#out} are out`);
    if ([...this.#waiting].some((each) => each < number)) this.faults.push(`${number} jumped the queue`);
  }

  async #beOut(
    ticket: Permit,
    since: number,
    duration: number,
    lag: number,
    stop: AbortSignal,
  ): Promise<void> {
    let cut = false;
    ticket.signal.addEventListener('abort', () => {
      cut = true;
      this.#onTheirWay += 1;
      if (this.#onTheirWay > this.#waiting.size) this.faults.push('cut though nobody waits for it');
      if (this.now - since < SLICE) this.faults.push(`cut after ${this.now - since}`);
    });
    const end = new AbortController();
    for (const signal of [ticket.signal, stop]) signal.addEventListener('abort', () => end.abort());
    if (!stop.aborted) await this.clock.sleep(duration, end.signal);
    if (!cut) return;
    await this.clock.sleep(lag);
    this.#onTheirWay -= 1;
  }

  #stopAfter(milliseconds: number): AbortSignal {
    const stop = new AbortController();
    void this.clock.sleep(milliseconds).then(() => stop.abort());
    return stop.signal;
  }
}

const visit: fc.Arbitrary<Visit> = fc.record({
  wait: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 3_000 })),
  duration: fc.oneof(fc.constant(60_000), fc.integer({ min: 0, max: 12_000 })),
  lag: fc.integer({ min: 0, max: LAG }),
  patience: fc.oneof({ weight: 3, arbitrary: fc.constant(1_000_000) }, fc.integer({ min: 0, max: 9_000 })),
});

/** Lets so many in at once; each entry is null until it is out. */
function enter(
  budget: ConnectionLimiter,
  count: number,
  signal = new AbortController().signal,
): (Permit | null)[] {
  const tickets: (Permit | null)[] = Array.from({ length: count }, () => null);
  for (const index of tickets.keys()) {
    void budget.acquire('https://here', signal).then((ticket) => (tickets[index] = ticket));
  }
  return tickets;
}

describe('whoever comes and however long they stay', () => {
  test('four are out at most, nobody waits longer than its turn, nobody is cut for nothing', async () => {
    const days = fc.asyncProperty(fc.array(visit, { minLength: 5, maxLength: 25 }), async (visits) => {
      const street = new Street();
      for (const [number, each] of visits.entries()) {
        await street.clock.advance(each.wait);
        void street.visit(number, each);
        await settle();
      }
      await street.clock.advance(200_000);
      expect(street.faults).toEqual([]);
      expect(street.wentOut.length).toBeGreaterThanOrEqual(Math.min(LIMITS.longPolls, visits.length - 4));
    });
    await fc.assert(days, { numRuns: 60 });
  });
});

describe('the long-polls of an origin', () => {
  test('are never cut while four of them are enough', async () => {
    const clock = new VirtualClock();
    const tickets = enter(new ConnectionLimiter(clock), 4);
    await clock.advance(3_600_000);
    expect(tickets.map((ticket) => ticket?.signal.aborted)).toEqual([false, false, false, false]);
  });

  test('take turns where there are more: the one that is out longest comes back', async () => {
    const clock = new VirtualClock();
    const budget = new ConnectionLimiter(clock);
    const tickets = enter(budget, 4);
    await clock.advance(3_000);
    const fifth = enter(budget, 1);
    await clock.advance(1_999);
    expect(tickets.some((ticket) => ticket?.signal.aborted)).toBe(false);
    await clock.advance(1);
    expect(tickets.map((ticket) => ticket?.signal.aborted)).toEqual([true, false, false, false]);
    expect(fifth).toEqual([null]);
    tickets[0]?.release();
    await settle();
    expect(fifth[0]).not.toBeNull();
  });

  test('let the next one go at once where one comes back by itself', async () => {
    const clock = new VirtualClock();
    const tickets = enter(new ConnectionLimiter(clock), 6);
    await settle();
    tickets[2]?.release();
    tickets[2]?.release();
    await settle();
    expect(tickets.map((ticket) => ticket !== null)).toEqual([true, true, true, true, true, false]);
  });

  test('are no concern of another origin’s', async () => {
    const budget = new ConnectionLimiter(new VirtualClock());
    enter(budget, 4);
    const ticket = await budget.acquire('https://there', new AbortController().signal);
    expect(ticket).not.toBeNull();
  });

  test('leave nothing behind', async () => {
    const budget = new ConnectionLimiter(new VirtualClock());
    const tickets = enter(budget, 5);
    const ticket = await budget.acquire('https://there', new AbortController().signal);
    expect(budget.size).toBe(2);
    ticket?.release();
    for (const each of tickets.slice(0, 4)) each?.release();
    await settle();
    expect(budget.size).toBe(1);
    tickets[4]?.release();
    expect(budget.size).toBe(0);
    expect(await budget.acquire('https://here', AbortSignal.abort())).toBeNull();
    expect(budget.size).toBe(0);
  });

  test('are not cut for one that waits no more', async () => {
    const clock = new VirtualClock();
    const budget = new ConnectionLimiter(clock);
    const tickets = enter(budget, 4);
    const stop = new AbortController();
    const fifth = enter(budget, 1, stop.signal);
    await clock.advance(1_000);
    stop.abort();
    await clock.advance(60_000);
    expect(fifth).toEqual([null]);
    expect(tickets.some((ticket) => ticket?.signal.aborted)).toBe(false);
    expect(await budget.acquire('https://here', stop.signal)).toBeNull();
  });
});
