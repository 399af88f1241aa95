import { expect, test } from 'vitest';
import { DatabaseLate } from './database-deadline.ts';
import { Pauses } from './pauses.ts';
import { stateOf, VirtualClock } from './virtual-clock.fixture.ts';

/** Tries that fail: by an error that hears of the next ring, or by another one. */
class Stage {
  readonly clock: VirtualClock = new VirtualClock();
  readonly pauses: Pauses = new Pauses(this.clock, 1_000);
  #again = new AbortController();

  ring(): void {
    this.#again.abort();
    this.#again = new AbortController();
  }

  get refused(): DatabaseLate {
    return new DatabaseLate('late', { again: this.#again.signal });
  }

  /** Seconds of a pause after this error, unless the bell rings after so many. */
  async seconds(error: unknown, ringAfter = Infinity): Promise<number> {
    const over = this.pauses.after(error);
    for (let passed = 0; ; passed += 1) {
      if (passed === ringAfter) this.ring();
      if ((await stateOf(over)) === 'fulfilled') return passed;
      await this.clock.advance(1_000);
    }
  }
}

test.each([
  ['fails', () => new Error('broken')],
  ['was late itself', () => new DatabaseLate('late')],
  ['is refused', (stage: Stage) => stage.refused],
])('what %s is tried again after pauses that double', async (_what, errorOf) => {
  const stage = new Stage();
  const pauses: number[] = [];
  for (let nth = 0; nth < 7; nth += 1) pauses.push(await stage.seconds(errorOf(stage)));
  expect(pauses).toEqual([1, 2, 4, 8, 16, 30, 30]);
});

test('what is refused is tried again as soon as the database answers, and its pauses begin anew', async () => {
  const stage = new Stage();
  for (let nth = 0; nth < 6; nth += 1) await stage.seconds(stage.refused);
  expect([await stage.seconds(stage.refused, 7), await stage.seconds(stage.refused)]).toEqual([7, 1]);
});

test('what was late itself is not tried sooner: it may hang alone', async () => {
  const stage = new Stage();
  for (let nth = 0; nth < 6; nth += 1) await stage.seconds(stage.refused);
  expect(await stage.seconds(new DatabaseLate('late'), 7)).toBe(30);
});

test('another sign that all is well again ends a pause of either', async () => {
  const { pauses, clock, refused } = new Stage();
  const sign = new AbortController();
  const over = [refused, new DatabaseLate('late')].map((error) => pauses.after(error, sign.signal));
  expect(await stateOf(Promise.race(over))).toBe('pending');
  sign.abort();
  expect([await stateOf(Promise.all(over)), clock.asleep]).toEqual(['fulfilled', 0]);
});

test('after a success the pauses begin anew, and nothing is left to wake', async () => {
  const { pauses, clock } = new Stage();
  await Promise.all([pauses.after(null), clock.advance(1_000)]);
  pauses.reset();
  await Promise.all([pauses.after(null), clock.advance(1_000)]);
  expect(clock.asleep).toBe(0);
});
