import { beforeEach, describe, expect, test } from 'vitest';
import type { Sign } from '../contracts/reachability.ts';
import { settle, VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import type { Due } from './circuit-breaker.ts';

const [HERE, THERE] = ['https://here', 'https://there'];

/** Failures of a loop whose waits become no longer: two and a half periods on average. */
const MANY = 9;

/** Loops at a gate, named by letters. */
class Yard {
  readonly clock: VirtualClock = new VirtualClock();
  random = 0.5;
  gate: CircuitBreaker = new CircuitBreaker({ clock: this.clock, random: () => this.random });
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
  async come(name: string, { period = 1_000, failures = MANY, origin = HERE } = {}): Promise<() => void> {
    const end = new AbortController();
    void this.#pass(name, origin, { period, failures, since: this.clock.now() }, end.signal);
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

  async #pass(name: string, origin: string, due: Due, signal: AbortSignal): Promise<void> {
    const passes = await this.gate.pass(this.loop(name), origin, due, signal);
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
  test('one loop asks at a time, and none while it is out', async () => {
    await yard.fail('a', 'b', 'c');
    await yard.clock.advance(3_600_000);
    expect(yard.passed).toEqual(['a']);
  });

  test('one that no other waits with asks when it is due', async () => {
    await yard.fail('a');
    await yard.hear('b', 'unreachable');
    for (const sign of ['unreachable', 'failing', 'silent'] as const) {
      await yard.hear('a', sign);
      await yard.come('a');
    }
    expect(yard.passed).toEqual(['a', 'a', 'a', 'a']);
  });

  test.each([0, 1, 2])(
    'a loop that has failed %i times does not wait: its quick tries are its own',
    async (failures) => {
      await yard.fail('a', 'b');
      await yard.come('b', { failures });
      expect(yard.passed).toEqual(['a', 'b']);
    },
  );

  test('another one asks where the probe has not for as long as it would wait itself', async () => {
    await yard.fail('a', 'b');
    await yard.hear('a', 'unreachable');
    await yard.clock.advance(2_499);
    expect(yard.passed).toEqual(['a']);
    await yard.clock.advance(1);
    expect(yard.passed).toEqual(['a', 'b']);
  });

  test('one that has only begun to fail asks sooner', async () => {
    await yard.fail('a');
    await yard.hear('b', 'unreachable');
    await yard.come('b', { failures: 3 });
    await yard.hear('a', 'unreachable');
    await yard.clock.advance(1_000);
    expect(yard.passed).toEqual(['a', 'b']);
  });

  test('they take turns, so that none is silenced by one that fails for a reason of its own', async () => {
    await yard.fail('a', 'b', 'c');
    for (const name of ['a', 'b', 'c', 'a']) {
      await yard.hear(name, 'failing');
      await yard.come(name);
      await yard.clock.advance(2_500);
    }
    expect(yard.passed).toEqual(['a', 'b', 'c', 'a', 'b']);
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

  test('and where its request has said nothing', async () => {
    await yard.fail('a', 'b');
    await yard.hear('a', null);
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
    const randoms = [0.2, 0.8];
    yard.gate = new CircuitBreaker({ clock: yard.clock, random: () => randoms.shift() ?? 0 });
    await yard.fail('a', 'b', 'c');
    yard.passed.length = 0;
    await yard.clock.advance(1_000);
    await yard.hear('a', 'reachable');
    for (const [wait, passed] of [
      [99, 0],
      [1, 1],
      [299, 1],
      [1, 2],
    ] as const) {
      await yard.clock.advance(wait);
      expect(yard.passed).toHaveLength(passed);
    }
    expect(yard.passed.toSorted()).toEqual(['b', 'c']);
  });

  test('those who have hardly waited go soon: after a random part of five times as long', async () => {
    await yard.fail('a', 'b');
    await yard.clock.advance(20);
    await yard.hear('a', 'reachable');
    await yard.clock.advance(49);
    expect(yard.passed).toEqual(['a']);
    await yard.clock.advance(1);
    expect(yard.passed).toEqual(['a', 'b']);
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
    await yard.clock.advance(1_000);
    await yard.hear('a', 'reachable');
    await yard.clock.advance(10);
    await yard.hear('a', 'unreachable');
    await yard.clock.advance(600);
    expect(yard.passed).toHaveLength(2);
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
