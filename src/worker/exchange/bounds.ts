import { LIMITS } from '../../shared/limits.ts';
import type { Failure } from '../../shared/failure.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { Deferred } from '../platform/waiting.ts';
import type { Clock } from '../platform/system.ts';

// The bounds of all requests: how many at a time, how long each takes, and how much memory their answers take.

/** Whose work it is: a page's name, or null for the loops, which all pages share. */
export type Owner = string | null;

/** How many there may be at a time. */
export interface PoolSize {
  readonly most: number;
  /** How many of them are for loops alone. */
  readonly reserve: number;
}

const SIZE: PoolSize = { most: LIMITS.requests, reserve: LIMITS.requestsOfLoops };

/**
 * Limits how much work is under way; the rest waits. A page may have as much under way as is left for others (a dynamic
 * threshold, as switches share their buffers): one page alone gets half of all, two get a third each, and a page that
 * comes later always finds room. Waiting pages take turns; the work of one page keeps its order.
 */
export class Pool {
  readonly #size: PoolSize;
  /** Waiting work by owner; the next owner comes first. */
  readonly #waiting = new Map<Owner, Set<() => void>>();
  readonly #working = new Map<Owner, number>();
  #total = 0;

  constructor(size: PoolSize = SIZE) {
    this.#size = size;
  }

  /**
   * Null if the work may begin. Otherwise resolves when it is the owner's turn, or at once when the signal aborts: the
   * work then finds that out itself. Call `leave` when the work has ended.
   */
  enter(owner: Owner, signal: AbortSignal): Promise<void> | null {
    if (this.#waiting.has(owner) || !this.#hasRoom(owner)) return this.#turn(owner, signal);
    this.#begin(owner);
    return null;
  }

  leave(owner: Owner): void {
    const left = (this.#working.get(owner) ?? 0) - 1;
    this.#total -= 1;
    if (left > 0) this.#working.set(owner, left);
    else this.#working.delete(owner);
    this.#next();
  }

  async #turn(owner: Owner, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const go = (): void => {
        this.#withdraw(owner, go);
        signal.removeEventListener('abort', go);
        this.#begin(owner);
        resolve();
      };
      if (signal.aborted) return go();
      const queue = this.#waiting.get(owner) ?? new Set();
      this.#waiting.set(owner, queue.add(go));
      signal.addEventListener('abort', go);
    });
  }

  #withdraw(owner: Owner, go: () => void): void {
    const queue = this.#waiting.get(owner);
    queue?.delete(go);
    if (queue?.size === 0) this.#waiting.delete(owner);
  }

  #hasRoom(owner: Owner): boolean {
    const { most, reserve } = this.#size;
    if (owner === null) return this.#total < most;
    return (this.#working.get(owner) ?? 0) < most - reserve - this.#total;
  }

  /** Begins the next work of each owner in turn, as long as there is room. */
  #next(): void {
    for (;;) {
      const next = [...this.#waiting].find(([owner]) => this.#hasRoom(owner));
      if (!next) return;
      const [owner, queue] = next;
      const [first] = queue;
      first?.();
      if (!this.#waiting.delete(owner) || queue.size === 0) continue;
      this.#waiting.set(owner, queue);
    }
  }

  #begin(owner: Owner): void {
    this.#total += 1;
    this.#working.set(owner, (this.#working.get(owner) ?? 0) + 1);
  }
}

/**
 * How long an invocation may take until the last byte of its answer, repetitions included. It is reached when the time
 * is over or the caller gives up. The signal also aborts when the limit is lifted: nothing of a request outlives it.
 */
export class Limit {
  /** Resolves when the limit is reached; never resolves if it is lifted before. */
  readonly reached: Promise<Failure>;

  readonly #clock: Clock;
  readonly #timeout: number;
  readonly #endsAt: number;
  readonly #controller = new AbortController();
  readonly #release: () => void;
  readonly #left: (() => number) | null;
  #failure: Failure | null = null;

  /** `left`: milliseconds until the caller gives up; null if the limit itself counts the time. */
  constructor(
    clock: Clock,
    { method, policy }: Invocation,
    url: string,
    caller: AbortSignal,
    left: (() => number) | null = null,
  ) {
    const what = `${method} ${url}`;
    this.#clock = clock;
    this.#timeout = policy.timeout;
    this.#endsAt = clock.now() + policy.timeout;
    const { promise, resolve } = new Deferred<Failure>();
    this.reached = promise;
    const end = (failure: Failure): void => {
      if (this.signal.aborted) return;
      this.#failure = failure;
      resolve(failure);
      this.lift();
    };
    const abort = (): void => end({ code: 'aborted', message: `${what} was aborted` });
    this.#release = (): void => caller.removeEventListener('abort', abort);
    if (caller.aborted) abort();
    else caller.addEventListener('abort', abort);
    this.#left = left;
    if (!left) void this.#expire(policy.timeout, what, end);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why the limit was reached; null before that. */
  get failure(): Failure | null {
    return this.#failure;
  }

  /** Milliseconds. If the device's clock was set meanwhile, it is not known, and the whole time is taken. */
  get remaining(): number {
    if (this.#left) return this.#left();
    const left = this.#endsAt - this.#clock.now();
    return left >= 0 && left <= this.#timeout ? left : this.#timeout;
  }

  /** Resolves with the result of the work, or with `otherwise` if the limit is reached first. */
  within<T>(work: Promise<T>, otherwise: (failure: Failure) => T): Promise<T> {
    return Promise.race([work, this.reached.then(otherwise)]);
  }

  lift(): void {
    this.#release();
    this.#controller.abort();
  }

  async #expire(timeout: number, what: string, end: (failure: Failure) => void): Promise<void> {
    await this.#clock.sleep(timeout, this.signal);
    end({
      code: 'timeout',
      message: `${what} was not answered to its last byte within ${timeout} ms`,
      timeout,
    });
  }
}

export interface Reader {
  take(bytes: number): void;
  /** Aborts when the answer is given up, as the largest of too many bytes. */
  readonly evicted: AbortSignal;
  /** Call when the answer is read or given up. */
  leave(): void;
}

/** The memory of all answers that are being read. If they take too much together, the largest is given up. */
export class ReadingRoom {
  readonly #most: number;
  /** Bytes of each answer. */
  readonly #sizes = new Map<AbortController, number>();
  #total = 0;

  /** `most` in bytes. */
  constructor(most: number = LIMITS.answersSize) {
    this.#most = most;
  }

  enter(): Reader {
    const eviction = new AbortController();
    return {
      evicted: eviction.signal,
      take: (bytes) => {
        if (eviction.signal.aborted) return;
        this.#total += bytes;
        this.#sizes.set(eviction, (this.#sizes.get(eviction) ?? 0) + bytes);
        if (this.#total > this.#most) this.#evictLargest();
      },
      leave: () => this.#forget(eviction),
    };
  }

  #evictLargest(): void {
    const [largest] = [...this.#sizes].reduce((one, other) => (other[1] > one[1] ? other : one));
    this.#forget(largest);
    largest.abort();
  }

  #forget(eviction: AbortController): void {
    this.#total -= this.#sizes.get(eviction) ?? 0;
    this.#sizes.delete(eviction);
  }
}

export function tooLarge(name: string, value: number): Failure {
  const message =
    `The answer to ${name} has more than ${value} bytes, and was not read to its end: ` +
    'set limits.answerSize of connect() to allow it';
  return { code: 'limit', message, limit: 'answerSize', value };
}

export function tooMuch(name: string): Failure {
  const value = LIMITS.answersSize;
  const message = `The answer to ${name} was given up as the largest of more than ${value} bytes under way`;
  return { code: 'limit', message, limit: 'answersSize', value };
}
