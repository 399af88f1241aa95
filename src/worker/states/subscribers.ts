import type { LoopDeclaration, Pace, EventInterest } from '../../shared/protocol.ts';
import { LONG_POLL_PERIOD } from '../contracts/rule.ts';
import type { DeliveryState } from './delivery-policy.ts';
import { dueWhileHidden, periodWhileHidden } from './delivery-policy.ts';

/** One page's part in a loop. */
export interface Subscriber extends DeliveryState {
  /** Names one session of one page. */
  readonly page: string;
  /** The loop's number there. */
  readonly number: number;
  pace: Pace;
  interest: EventInterest;
  hidden: boolean;
  /** Whether it has given up the request that is out, whose answer is then not told it. */
  abstains: boolean;
  /** Whether it has heard of the last answer without its body. */
  lacksBody: boolean;
}

/** A page that declares the loop as it is: what it has heard of it, it says itself. */
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
    // Whoever has it asked for is told the answer.
    heardAt: again && !restart ? -Infinity : null,
    withheld: again?.behind ? 'news' : 'nothing',
    fresh: null,
  };
}

/** What a loop's subscribers want together: the pace of the fastest that is seen, and every step that any listens for. */
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

  /** Milliseconds from one request of a poll to the next, as long as it is seen; null for a long-poll. */
  get interval(): number | null {
    const seen = [...this.#all].filter(({ hidden, pace }) => !hidden || isUnaffected(pace));
    const wanted = [...(seen.length > 0 ? seen : this.#all)].map(({ pace }) => pace);
    const intervals = wanted.flatMap((pace) => (pace.kind === 'poll' ? [pace.interval] : []));
    return intervals.length > 0 ? Math.min(...intervals) : null;
  }

  /** Milliseconds between two requests as things are; Infinity where all are hidden and want none. */
  get period(): number {
    const periods = [...this.#all].map(({ pace, hidden }) => {
      const period = pace.kind === 'poll' ? pace.interval : LONG_POLL_PERIOD;
      return hidden ? periodWhileHidden(pace, period) : period;
    });
    return Math.min(...periods);
  }

  /** When the loop asks, given when it would if it is seen. */
  dueAt(plannedAt: number, lastAskedAt: number | null): number {
    const wishes = [...this.#all].map(({ pace, hidden }) =>
      hidden ? dueWhileHidden(pace, plannedAt, lastAskedAt) : plannedAt,
    );
    return Math.min(...wishes);
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

function isUnaffected(pace: Pace): boolean {
  return pace.kind === 'poll' && pace.hidden === 'continue';
}
