import { DatabaseLate } from './database-deadline.ts';
import type { Clock } from './system.ts';
import { aborted } from './waiting.ts';

/** The longest pause in milliseconds. */
const LONGEST = 30_000;

/**
 * The pauses between the tries of something that a late database refuses. Each is twice as long as the one before, and
 * ends at once when the database answers again; then they begin anew.
 */
export class Pauses {
  readonly #clock: Pick<Clock, 'sleep'>;
  readonly #first: number;
  #next: number;

  /** `first` in milliseconds. */
  constructor(clock: Pick<Clock, 'sleep'>, first: number) {
    this.#clock = clock;
    this.#first = first;
    this.#next = first;
  }

  /** Resolves when it is time for the next try, after one that failed for this reason; at once if `sooner` aborts. */
  async after(reason: unknown, sooner?: AbortSignal): Promise<void> {
    const again = reason instanceof DatabaseLate ? reason.again : undefined;
    const signs = [again, sooner].filter((each) => each !== undefined);
    const end = new AbortController();
    await Promise.race([this.#clock.sleep(this.#next, end.signal), aborted(end.signal, ...signs)]);
    end.abort();
    const isWell = signs.some((each) => each.aborted);
    this.#next = isWell ? this.#first : Math.min(this.#next * 2, LONGEST);
  }

  /** A try has succeeded. */
  reset(): void {
    this.#next = this.#first;
  }
}
