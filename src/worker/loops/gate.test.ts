import { beforeEach, describe, expect, test } from 'vitest';
import type { Sign } from '../reachability.ts';
import { settle, VirtualClock } from '../virtual-clock.fixture.ts';
import { Gate } from './gate.ts';

const [HERE, THERE] = ['https://here', 'https://there'];

/** Loops at a gate, named by letters. */
class Yard {
  readonly clock: VirtualClock = new VirtualClock();
  random = 0.5;
  gate: Gate = new Gate({ clock: this.clock, random: () => this.random });
  /** Who was let through, in order, and who gave up. */
  readonly passed: string[] = [];
  readonly gaveUp: string[] = [];
  readonly #loops = new Map<string, object>();

  loop(name: string): object {
    const loop = this.#loops.get(name) ?? { name };
    this.#loops.set(name, loop);
    return loop;
  }

  /** A loop is due. The returned function changes its mind. */
  async come(name: string, { period = 1_000, origin = HERE } = {}): Promise<() => void> {
    const end = new AbortController();
    void this.#pass(name, origin, period, end.signal);
    await settle();
    return () => end.abort();
  }

  hear(name: string, sign: Sign | null, origin = HERE): Promise<void> {
    this.gate.hear(this.loop(name), origin, sign);
    return settle();
  }

  /** All have failed once; then they are due, the first as the probe. */
  async fail(...names: readonly string[]): Promise<void> {
    for (const name of names) await this.hear(name, 'unreachable');
    for (const name of names) await this.come(name);
  }

  async #pass(name: string, origin: string, period: number, signal: AbortSignal): Promise<void> {
    const passes = await this.gate.pass(this.loop(name), origin, period, signal);
    (passes ? this.passed : this.gaveUp).push(name);
  }
}

let yard: Yard;

beforeEach(() => {
  yard = new Yard();
});

describe('a loop passes at once', () => {
  test('where nothing is known', async () => {
    await yard.come('a');
    expect(yard.passed).toEqual(['a']);
  });

  test('where it has not failed itself: its first failure is its own', async () => {
    await yard.fail('a');
    await yard.come('b');
    await yard.hear('b', 'failing');
    await yard.come('b');
    expect(yard.passed).toEqual(['a', 'b']);
  });

  test('where it was answered since: its next failure is its own again', async () => {
    await yard.fail('a', 'b');
    await yard.hear('a', 'reachable');
    await yard.clock.advance(500);
    await yard.hear('b', 'unreachable');
    yard.passed.length = 0;
    await yard.come('b');
    await yard.come('a');
    expect(yard.passed).toEqual(['b', 'a']);
  });

  test('where another origin fails', async () => {
    await yard.fail('a');
    await yard.hear('b', 'failing', THERE);
    await yard.come('b', { origin: THERE });
    expect(yard.passed).toEqual(['a', 'b']);
  });

  test('where its own failure was no fault of the origin', async () => {
    await yard.fail('a');
    await yard.hear('b', null);
    await yard.come('b');
    expect(yard.passed).toEqual(['a', 'b']);
  });
});

describe('while the origin fails', () => {
  test('one loop asks, again and again, and the others wait', async () => {
    await yard.fail('a', 'b', 'c');
    for (const sign of ['unreachable', 'failing', 'silent', null] as const) {
      await yard.hear('a', sign);
      await yard.come('a');
    }
    await yard.clock.advance(3_600_000);
    expect(yard.passed).toEqual(['a', 'a', 'a', 'a', 'a']);
  });

  test('the next one that waits is the probe where the probe’s loop ends', async () => {
    await yard.fail('a', 'b', 'c');
    yard.gate.leave(yard.loop('a'), HERE);
    await settle();
    expect(yard.passed).toEqual(['a', 'b']);
    yard.gate.leave(yard.loop('c'), HERE);
    await settle();
    expect(yard.passed).toEqual(['a', 'b']);
  });

  test('and where it steps aside; then it waits like the others', async () => {
    await yard.fail('a', 'b');
    yard.gate.stepAside(yard.loop('b'), HERE);
    await settle();
    expect(yard.passed).toEqual(['a']);
    yard.gate.stepAside(yard.loop('a'), HERE);
    await settle();
    await yard.hear('a', 'unreachable');
    await yard.come('a');
    expect(yard.passed).toEqual(['a', 'b']);
  });

  test('a quicker one takes over from a probe that sleeps', async () => {
    await yard.fail('a');
    await yard.hear('b', 'unreachable');
    await yard.come('b', { period: 500 });
    expect(yard.passed).toEqual(['a']);
    await yard.hear('a', 'unreachable');
    await yard.come('a');
    expect(yard.passed).toEqual(['a', 'b']);
  });

  test('one that is due no more waits no more, and is nobody’s probe', async () => {
    await yard.fail('a');
    await yard.hear('b', 'unreachable');
    const leave = await yard.come('b');
    leave();
    await settle();
    expect(yard.gaveUp).toEqual(['b']);
    yard.gate.leave(yard.loop('a'), HERE);
    await settle();
    expect(yard.passed).toEqual(['a']);
  });
});

describe('when the probe is answered', () => {
  test('those who wait are let go, each after a random part of half its period', async () => {
    await yard.fail('a', 'b', 'c');
    const randoms = [0.2, 0.8];
    yard.gate = new Gate({ clock: yard.clock, random: () => randoms.shift() ?? 0 });
    await yard.fail('a', 'b', 'c');
    yard.passed.length = 0;
    await yard.hear('a', 'reachable');
    await yard.clock.advance(99);
    expect(yard.passed).toEqual([]);
    await yard.clock.advance(1);
    expect(yard.passed).toEqual(['b']);
    await yard.clock.advance(299);
    expect(yard.passed).toEqual(['b']);
    await yard.clock.advance(1);
    expect(yard.passed).toEqual(['b', 'c']);
  });

  test('those who come later do not wait', async () => {
    await yard.fail('a');
    await yard.hear('b', 'unreachable');
    await yard.hear('a', 'reachable');
    await yard.come('b');
    expect(yard.passed).toEqual(['a', 'b']);
  });

  test('those who are not gone yet stay where the origin fails again', async () => {
    await yard.fail('a', 'b', 'c');
    await yard.hear('a', 'reachable');
    await yard.clock.advance(10);
    await yard.hear('a', 'unreachable');
    await yard.clock.advance(60_000);
    expect(yard.passed).toEqual(['a', 'b']);
  });

  test('one whose wait ends meanwhile does not go', async () => {
    await yard.fail('a');
    await yard.hear('b', 'unreachable');
    const leave = await yard.come('b');
    await yard.hear('a', 'reachable');
    leave();
    await yard.clock.advance(1_000);
    expect([yard.passed, yard.gaveUp]).toEqual([['a'], ['b']]);
  });
});

test('an answer to somebody else opens the gate, the return of the network all gates', async () => {
  await yard.fail('a', 'b');
  yard.gate.open(HERE);
  await yard.clock.advance(500);
  expect(yard.passed).toEqual(['a', 'b']);
  await yard.fail('a', 'b');
  yard.gate.openAll();
  await yard.clock.advance(500);
  expect(yard.passed).toEqual(['a', 'b', 'a', 'b']);
});
