import type { Progress } from '../../shared/protocol.ts';
import type { Clock } from '../platform/system.ts';

/** At most ten reports a second (behaviour.md, "Answers"). */
const INTERVAL = 100;

/** Counts the bytes of a body and reports them: now and then, and always once at the end. */
export class ProgressMeter {
  readonly #clock: Clock;
  readonly #total: number | null;
  readonly #report: (progress: Progress) => void;
  #loaded = 0;
  #reportedAt: number;

  constructor(clock: Clock, total: number | null, report: (progress: Progress) => void) {
    this.#clock = clock;
    this.#total = total;
    this.#report = report;
    this.#reportedAt = clock.now();
  }

  add(bytes: number): void {
    this.#loaded += bytes;
    if (this.#clock.now() - this.#reportedAt >= INTERVAL) this.#tell();
  }

  end(): void {
    this.#tell();
  }

  #tell(): void {
    this.#reportedAt = this.#clock.now();
    const total = this.#total !== null && this.#total < this.#loaded ? null : this.#total;
    this.#report({ loaded: this.#loaded, total });
  }
}
