import type { Pace } from '../../shared/pace.ts';
import type { EventInterest, LoopDeclaration } from '../../shared/protocol.ts';
import { traitsOf } from '../../shared/pace.ts';
import { periodOf } from '../scheduling/planner.ts';
import type { Subscriber } from '../contracts/audience.ts';
import { dueWhileHidden, periodWhileHidden } from './delivery-policy.ts';

/** A page's part in the loop at its declaration. The page itself says what it has heard of the loop. */
export function subscriberOf(
  page: string,
  { loop: number, pace, interest, again = null, restart = false }: LoopDeclaration,
  hidden: boolean,
): Subscriber {
  const lacksBody = interest.body === false && !!again?.revision;
  return {
    page,
    number,
    pace,
    interest,
    hidden,
    abstains: false,
    has: lacksBody ? null : (again?.revision ?? null),
    lacksBody,
    // A page that has the loop restarted is told the answer.
    heardAt: again && !restart ? -Infinity : null,
    withheld: again?.behind ? 'news' : 'nothing',
    fresh: null,
  };
}

/** What a loop's pages want together: the pace of the fastest visible page, and every step that any listens for. */
export class Subscribers {
  readonly #all = new Set<Subscriber>();

  get size(): number {
    return this.#all.size;
  }

  has(subscriber: Subscriber): boolean {
    return this.#all.has(subscriber);
  }

  add(subscriber: Subscriber): void {
    this.#all.add(subscriber);
  }

  remove(subscriber: Subscriber): void {
    this.#all.delete(subscriber);
  }

  [Symbol.iterator](): Iterator<Subscriber> {
    return this.#all.values();
  }

  /** The fastest pace that a page wants while it is visible. */
  get pace(): Pace {
    const visible = [...this.#all].filter(
      ({ hidden, pace }) => !hidden || traitsOf(pace).hidden === 'continue',
    );
    const paces = [...(visible.length > 0 ? visible : this.#all)].map(({ pace }) => pace);
    return paces.reduce((one, other) => (periodOf(other) < periodOf(one) ? other : one));
  }

  /** Milliseconds between two requests as things are; Infinity where all pages are hidden and want none. */
  get period(): number {
    const periods = [...this.#all].map(({ pace, hidden }) => {
      const period = periodOf(pace);
      return hidden ? periodWhileHidden(pace, period) : period;
    });
    return Math.min(...periods);
  }

  /** When the loop asks. `plannedAt` is when it would ask if a page were visible. */
  dueAt(plannedAt: number, lastAskedAt: number | null): number {
    const instants = [...this.#all].map(({ pace, hidden }) =>
      hidden ? dueWhileHidden(pace, plannedAt, lastAskedAt) : plannedAt,
    );
    return Math.min(...instants);
  }

  get interest(): EventInterest {
    const all = [...this.#all].map(({ interest }) => interest);
    return {
      started: all.some(({ started }) => started),
      sent: all.some(({ sent }) => sent),
      progress: all.some(({ progress }) => progress),
    };
  }
}
