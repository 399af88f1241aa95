import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../shared/outcome.ts';
import { answered, failed, refused, TIMED_OUT } from '../contracts/outcome.fixture.ts';
import { settle, VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { ConnectionLimiter } from './connection-limiter.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import { AdmissionControl } from './admission-control.ts';
import type { Admission } from './admission-control.ts';

const ORIGIN = 'https://here';

/** A loop in front of its turnstile. */
class Visitor {
  readonly turnstile: AdmissionControl;
  readonly end: AbortController = new AbortController();
  turn: Admission | null | 'waiting' = 'waiting';
  readonly #now: () => number;

  constructor(hall: Hall, held: boolean, origin: string | null) {
    this.#now = () => hall.clock.now();
    this.turnstile = new AdmissionControl(origin, held, {
      clock: hall.clock,
      acts: () => hall.acts,
      breaker: hall.gate,
      limiter: hall.budget,
    });
  }

  /** It is due, and has failed so often that it is not its turn to try quickly. */
  async come(period = 1_000): Promise<this> {
    this.turn = 'waiting';
    const due = { period, failures: 3, since: this.#now() };
    void this.turnstile.admit(due, this.end.signal).then((turn) => (this.turn = turn));
    await settle();
    return this;
  }

  async finish(outcome: Outcome): Promise<void> {
    if (this.turn !== 'waiting') this.turn?.end(outcome);
    await settle();
  }

  /** One request after the other ends so. */
  async ask(...outcomes: readonly Outcome[]): Promise<this> {
    for (const outcome of outcomes) await (await this.come()).finish(outcome);
    return this;
  }
}

class Hall {
  readonly clock: VirtualClock = new VirtualClock();
  readonly gate: CircuitBreaker = new CircuitBreaker({ clock: this.clock, random: () => 0 });
  readonly budget: ConnectionLimiter = new ConnectionLimiter(this.clock);
  acts: Promise<void> = Promise.resolve();

  /** The engine rests for those who come from now on; the returned function has it act. */
  rest(): () => void {
    const act = new AbortController();
    this.acts = new Promise((resolve) => act.signal.addEventListener('abort', () => resolve()));
    return () => act.abort();
  }

  poll(origin: string | null = ORIGIN): Visitor {
    return new Visitor(this, false, origin);
  }

  longPoll(): Visitor {
    return new Visitor(this, true, ORIGIN);
  }

  async longPolls(count: number): Promise<readonly Visitor[]> {
    return Promise.all(Array.from({ length: count }, () => this.longPoll().come()));
  }
}

describe('a loop passes', () => {
  test('only while its engine acts, and is nobody’s probe before', async () => {
    const hall = new Hall();
    const [one, other] = [await hall.poll().ask(failed('network')), await hall.poll().ask(failed('network'))];
    const act = hall.rest();
    await one.come();
    hall.acts = Promise.resolve();
    await other.come();
    expect([one.turn, other.turn]).toEqual(['waiting', expect.any(Object)]);
    act();
    await settle();
    expect(one.turn).toBe('waiting');
  });

  test('and does not where it is stopped before the engine acts', async () => {
    const hall = new Hall();
    const act = hall.rest();
    const loop = await hall.poll(null).come();
    loop.end.abort();
    act();
    await settle();
    expect(loop.turn).toBeNull();
  });

  test('without waiting where nothing will be sent', async () => {
    const hall = new Hall();
    const loop = await hall.poll(null).ask(failed('blocked-url'), failed('blocked-url'));
    loop.turnstile.stepAside();
    loop.turnstile.leave();
    expect((await loop.come()).turn).not.toBe('waiting');
  });
});

describe('the gate', () => {
  test.each<[string, Outcome]>([
    ['network', failed('network')],
    ['the stored answer', answered({ stale: true })],
    ['503', refused(503)],
    ['no answer in time', TIMED_OUT],
  ])('is closed by %s, and opened by an answer', async (_name, outcome) => {
    const hall = new Hall();
    const [one, other] = [await hall.poll().ask(outcome), await hall.poll().ask(outcome)];
    await one.come();
    await other.come();
    expect([one.turn, other.turn]).toEqual([expect.any(Object), 'waiting']);
    await one.finish(refused(404));
    await hall.clock.advance(0);
    expect(other.turn).not.toBe('waiting');
  });

  test.each<[string, Outcome]>([
    ['404', refused(404)],
    ['a caller who gave up', failed('aborted')],
  ])('is not closed by %s', async (_name, outcome) => {
    const hall = new Hall();
    const [one, other] = [await hall.poll().ask(outcome), await hall.poll().ask(outcome)];
    await one.come();
    expect((await other.come()).turn).not.toBe('waiting');
  });

  test('is not closed by the watchdog of a long-poll', async () => {
    const hall = new Hall();
    const [one, other] = [await hall.longPoll().ask(TIMED_OUT), await hall.longPoll().ask(TIMED_OUT)];
    await one.come();
    expect((await other.come()).turn).not.toBe('waiting');
  });

  test('hears no more of a loop that has ended', async () => {
    const hall = new Hall();
    const [one, other] = [await hall.poll().ask(failed('network')), await hall.poll().ask(failed('network'))];
    await one.come();
    one.turnstile.leave();
    await other.come();
    await one.finish(answered());
    const third = await hall.poll().ask(failed('network'));
    expect((await third.come()).turn).toBe('waiting');
  });

  test('has another probe where the one steps aside', async () => {
    const hall = new Hall();
    const [one, other] = [await hall.poll().ask(failed('network')), await hall.poll().ask(failed('network'))];
    await one.come();
    await other.come();
    one.turnstile.stepAside();
    await settle();
    expect(other.turn).not.toBe('waiting');
  });
});

describe('a request that is out for long holds nobody up', () => {
  test.each(['long-poll', 'poll'] as const)('be it a %s', async (kind) => {
    const hall = new Hall();
    const one = kind === 'poll' ? hall.poll() : hall.longPoll();
    const other = await hall.poll().ask(failed('network'));
    await (await one.ask(failed('network'))).come();
    await other.come();
    await hall.clock.advance(999);
    expect([one.turn, other.turn]).toEqual([expect.any(Object), 'waiting']);
    await hall.clock.advance(1);
    expect(other.turn).not.toBe('waiting');
  });

  test('nor one that waits for a connection', async () => {
    const hall = new Hall();
    const one = await hall.longPoll().ask(failed('network'));
    const poll = await hall.poll().ask(failed('network'));
    await hall.longPolls(4);
    await one.come();
    await poll.come();
    await hall.clock.advance(1_000);
    expect([one.turn, poll.turn]).toEqual(['waiting', expect.any(Object)]);
  });

  test('and one that is answered sooner is asked on', async () => {
    const hall = new Hall();
    const [one, other] = [await hall.poll().ask(failed('network')), await hall.poll().ask(failed('network'))];
    await one.come();
    await one.finish(failed('network'));
    await one.come();
    await hall.clock.advance(500);
    await one.finish(failed('network'));
    await other.come();
    await hall.clock.advance(999);
    expect(other.turn).toBe('waiting');
  });
});

describe('the budget', () => {
  test('is for long-polls alone', async () => {
    const hall = new Hall();
    await hall.longPolls(4);
    expect((await hall.longPoll().come()).turn).toBe('waiting');
    expect((await hall.poll().come()).turn).not.toBe('waiting');
  });

  test('cuts one that has been out for its slice, and has room again when that has ended', async () => {
    const hall = new Hall();
    const [first, ...others] = await hall.longPolls(4);
    const fifth = await hall.longPoll().come();
    await hall.clock.advance(5_000);
    const signals = [first, ...others].map((each) => each?.turn !== 'waiting' && each?.turn?.signal.aborted);
    expect(signals).toEqual([true, false, false, false]);
    expect(fifth.turn).toBe('waiting');
    await first?.finish(failed('aborted'));
    expect(fifth.turn).not.toBe('waiting');
  });

  test('that is waited for in vain leaves the probe’s place to a quicker one', async () => {
    const hall = new Hall();
    const [one, poll] = [await hall.longPoll().ask(failed('network')), await hall.poll().ask(refused(503))];
    await hall.longPolls(4);
    await one.come();
    await poll.come(500);
    expect([one.turn, poll.turn]).toEqual(['waiting', 'waiting']);
    one.end.abort();
    await settle();
    expect([one.turn, poll.turn]).toEqual([null, expect.any(Object)]);
  });
});
