import { LIMITS } from '../../shared/limits.ts';
import type { Clock } from '../platform/system.ts';
import { Bell } from '../platform/waiting.ts';

/** The right to have one long-poll out. */
export interface Permit {
  /** Aborts when others wait and the long-poll has been out for its slice: it is to come back. */
  readonly signal: AbortSignal;
  release(): void;
}

/** Lets a few long-polls of an origin be out at a time. Where more want to be out, they take turns. */
export class ConnectionLimiter {
  readonly #clock: Clock;
  readonly #queues = new Map<string, Queue>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The number of origins that have any out. */
  get size(): number {
    return this.#queues.size;
  }

  /** Resolves when it is the caller's turn, first come, first served; with null where the signal aborts first. */
  async acquire(origin: string, signal: AbortSignal): Promise<Permit | null> {
    const queue = this.#queues.get(origin) ?? new Queue(this.#clock, () => this.#queues.delete(origin));
    this.#queues.set(origin, queue);
    return queue.acquire(signal);
  }
}

/** The permits of one origin. */
class Queue {
  readonly #clock: Clock;
  readonly #bell = new Bell();
  readonly #abandoned: () => void;
  /** In the order in which they went out. */
  readonly #out = new Set<HeldPermit>();
  /** In the order in which they came. */
  readonly #waiting = new Set<() => void>();
  #rotating = false;

  constructor(clock: Clock, abandoned: () => void) {
    this.#clock = clock;
    this.#abandoned = abandoned;
  }

  acquire(signal: AbortSignal): Promise<Permit | null> {
    return new Promise((resolve) => {
      const admit = (): void => {
        this.#waiting.delete(admit);
        signal.removeEventListener('abort', decline);
        resolve(this.#goOut());
      };
      const decline = (): void => {
        this.#waiting.delete(admit);
        resolve(null);
        this.#goOn();
      };
      this.#waiting.add(admit);
      if (signal.aborted) return decline();
      signal.addEventListener('abort', decline);
      this.#goOn();
    });
  }

  #goOut(): Permit {
    const outing = new HeldPermit(this.#clock.now());
    this.#out.add(outing);
    const release = (): void => {
      if (this.#out.delete(outing)) this.#goOn();
    };
    return { signal: outing.signal, release };
  }

  /** A long-poll has come or gone. */
  #goOn(): void {
    for (const admit of [...this.#waiting].slice(0, LIMITS.longPolls - this.#out.size)) admit();
    if (this.#out.size === 0) this.#abandoned();
    if (this.#waiting.size > 0 && !this.#rotating) void this.#rotate();
    this.#bell.ring();
  }

  async #rotate(): Promise<void> {
    this.#rotating = true;
    while (this.#waiting.size > 0) {
      const next = nextPreemption([...this.#out], this.#waiting.size);
      if (next && next.at <= this.#clock.now()) next.longest.preempt();
      else await this.#bell.until(this.#clock, next?.at ?? Infinity);
    }
    this.#rotating = false;
  }
}

class HeldPermit implements PermitHolder {
  readonly since: number;
  readonly #end = new AbortController();

  constructor(since: number) {
    this.since = since;
  }

  get signal(): AbortSignal {
    return this.#end.signal;
  }

  get cut(): boolean {
    return this.#end.signal.aborted;
  }

  preempt(): void {
    this.#end.abort();
  }
}

/** A long-poll that is out. */
interface PermitHolder {
  /** Milliseconds of the epoch. */
  readonly since: number;
  /** True where it has been told to come back. */
  readonly cut: boolean;
}

/** The long-poll to cut next, and when: the one that is out longest. Null while enough are on their way back. */
export function nextPreemption<T extends PermitHolder>(
  out: readonly T[],
  waiting: number,
): { readonly longest: T; readonly at: number } | null {
  const coming = out.filter(({ cut }) => cut).length;
  const longest = out.find(({ cut }) => !cut);
  if (!longest || coming >= waiting) return null;
  return { longest, at: longest.since + LIMITS.longPollSlice };
}
