import { LIMITS } from '../../shared/limits.ts';

/** Who has work done: a page, by its name, or null for the loops, which all pages share. */
export type Owner = string | null;

/** How many there may be at a time. */
export interface PoolSize {
  readonly most: number;
  /** How many of them are for loops alone. */
  readonly reserve: number;
}

const SIZE: PoolSize = { most: LIMITS.requests, reserve: LIMITS.requestsOfLoops };

/**
 * Lets so much work be done at a time; the rest waits. A page may have as much under way as is left for others (a
 * dynamic threshold, as switches share their buffers): one alone has half of all, two have a third each, and one that
 * comes later always finds room. Those that wait take turns by page, and those of one page go in their order.
 */
export class Pool {
  readonly #size: PoolSize;
  /** What waits, by who has it done: who is next comes first. */
  readonly #waiting = new Map<Owner, Set<() => void>>();
  readonly #working = new Map<Owner, number>();
  #total = 0;

  constructor(size: PoolSize = SIZE) {
    this.#size = size;
  }

  /**
   * Null if the work may begin. Otherwise resolves when it is the owner's turn, or at once when the signal aborts: the
   * work then finds that out itself. `leave` when the work has ended.
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

  /** As long as there is room, the next of each. */
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
