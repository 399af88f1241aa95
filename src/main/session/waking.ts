import { LONGEST_TIMER } from '../../shared/limits.ts';
import type { DeclaredLoops } from './loops.ts';

/** Milliseconds until a page whose loops have no worker looks for one again. */
const RETRY = 5_000;

/** Wakes a worker for the page's loops. */
export class Waking {
  readonly #loops: Pick<DeclaredLoops, 'size' | 'neededIn'>;
  readonly #wake: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(loops: Pick<DeclaredLoops, 'size' | 'neededIn'>, wake: () => void) {
    this.#loops = loops;
    this.#wake = wake;
  }

  /** Something about the loops has changed: a resting worker must learn of it, a running one may be needed. */
  now(): void {
    if (this.#loops.size > 0) this.#wake();
  }

  /** The worker is dead, or may die unseen: it is woken when the next loop is due. */
  whenDue(): void {
    const wait = this.#loops.neededIn;
    this.#in(wait === null ? null : Math.min(wait, LONGEST_TIMER));
  }

  /** There is no worker to be had: it is looked for again. */
  later(): void {
    this.#in(this.#loops.size > 0 ? RETRY : null);
  }

  #in(milliseconds: number | null): void {
    clearTimeout(this.#timer);
    if (milliseconds !== null) this.#timer = setTimeout(() => this.now(), milliseconds);
  }
}
