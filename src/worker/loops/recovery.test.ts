import { describe, expect, test } from 'vitest';
import { invocation } from '../cache/invocation.fixture.ts';
import { LIMITS } from '../../shared/limits.ts';
import type { Outcome } from '../../shared/outcome.ts';
import { answered, failed } from '../contracts/outcome.fixture.ts';
import { VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { Loops } from './loops.ts';
import { declaration, every, quietPorts, toldBy } from './stage.fixture.ts';

const SECOND = 1_000;

/** The periods of the polls of one page, in seconds; it has a long-poll, too. */
const PERIODS = [5, 60, 600];
const LONG_POLL = 'long-poll';

/** When the server goes down: long-polls are held by then. */
const DOWN = 30 * SECOND;
const HOLD = 25 * SECOND;
const PAGES = 40;

/** Milliseconds after the recovery: who is not back by then is not among the first half. */
const WATCHED = 20 * SECOND;

/** Numbers from 0 to 1 that look like chance, the same each time. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A server of one origin that is down for a while, and pages of a worker each, all of whose loops notice. */
class Outage {
  readonly clock: VirtualClock = new VirtualClock();
  /** Milliseconds from the recovery to the first request of each loop that is answered, by its period. */
  readonly #delays = new Map<string, number[]>();
  readonly #random = chance(28);
  readonly #start: number = this.clock.now();
  readonly #lasts: number;
  /** Aborts when the server goes down. */
  readonly #cut = new AbortController();

  constructor(lasts: number) {
    this.#lasts = lasts;
  }

  async live(): Promise<this> {
    for (let page = 0; page < PAGES; page += 1) this.#open(page);
    await this.clock.advance(DOWN);
    this.#cut.abort();
    await this.clock.advance(this.#lasts + WATCHED);
    return this;
  }

  /** Half of the loops of that name ask again in so many milliseconds. */
  median(name: string): number {
    const delays = (this.#delays.get(name) ?? []).toSorted((one, other) => one - other);
    return delays[PAGES / 2] ?? Infinity;
  }

  #open(page: number): void {
    const loops = this.#loopsOf(new Set());
    for (const [index, period] of PERIODS.entries()) {
      // Each is due while the server is down, at any moment of it.
      const firstIn = DOWN + this.#random() * Math.min(this.#lasts, period * SECOND);
      const asked = invocation({ template: `/${period}` });
      loops.declare(
        `page ${page}`,
        declaration({ loop: index, pace: every(period * SECOND), firstIn, invocation: asked }),
      );
    }
    const held = invocation({ template: `/${LONG_POLL}` });
    const firstIn = this.#random() * HOLD;
    loops.declare(
      `page ${page}`,
      declaration({ loop: 9, pace: { kind: 'long-poll' }, firstIn, invocation: held }),
    );
  }

  #loopsOf(recovered: Set<string>): Loops {
    return new Loops(
      { clock: this.clock, random: this.#random },
      {
        ...quietPorts(this.clock),
        invoke: async ({ invocation: { template }, held, signal }) => {
          const now = this.clock.now() - this.#start;
          if (now >= DOWN && now < DOWN + this.#lasts) return failed('network');
          if (now >= DOWN && !recovered.has(template)) this.#note(template, now - DOWN - this.#lasts);
          recovered.add(now >= DOWN ? template : '');
          return this.#answer(held, signal);
        },
        newest: async () => null,
        forget: () => {},
        ...toldBy(() => {}),
        urlOf: () => 'https://page.example',
        keyOf: ({ invocation: { template } }) => template,
      },
    );
  }

  async #answer(held: boolean, signal: AbortSignal): Promise<Outcome> {
    if (!held) return answered();
    const wasUp = !this.#cut.signal.aborted;
    await this.clock.sleep(HOLD, wasUp ? AbortSignal.any([signal, this.#cut.signal]) : signal);
    return wasUp && this.#cut.signal.aborted ? failed('network') : answered({ status: 204 });
  }

  #note(template: string, delay: number): void {
    const name = template.slice(1);
    this.#delays.set(name, [...(this.#delays.get(name) ?? []), delay]);
  }
}

describe('half of the loops of pages that have several of one origin ask again', () => {
  test.each([
    [1, 1.5],
    [10, 5],
  ])('after %i s without a server within %f s, whatever their period', async (lasts, most) => {
    const outage = await new Outage(lasts * SECOND).live();
    for (const period of PERIODS) expect(outage.median(String(period))).toBeLessThan(most * SECOND);
  });

  test('after 1 s within their spread, where they are long-polls: all were cut when it went down', async () => {
    const outage = await new Outage(SECOND).live();
    expect(outage.median(LONG_POLL)).toBeLessThan(LIMITS.defaultSpread);
  });
});
