import type { WriteReport } from '../../shared/outbox.ts';
import type { Clock } from '../platform/system.ts';

/** Messages of one second that go at once, and milliseconds for which what comes after them is gathered: a frame of the page. */
const AT_ONCE = 16;
const SECOND = 1_000;
const GATHERED = 16;

export interface NewsPorts {
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  readonly tell: (writes: readonly WriteReport[]) => void;
  /** Tells how many wait by now. */
  readonly count: () => void;
}

/**
 * What all pages are told of an outbox, in its order. A message costs the page and the worker more than what it says, so a queue
 * that is sent quickly is told a frame at a time.
 */
export class News {
  readonly #ports: NewsPorts;
  #writes: WriteReport[] = [];
  #isCounted = true;
  #isGathering = false;
  /** How many messages there were since then, in milliseconds of the epoch. */
  #messages = 0;
  #since = -Infinity;

  constructor(ports: NewsPorts) {
    this.#ports = ports;
  }

  /** What has become of a write, and how many wait now. */
  add(write: WriteReport): void {
    this.#writes.push(write);
    this.recount();
  }

  /** How many wait may have changed. */
  recount(): void {
    this.#isCounted = false;
    if (!this.#isGathering) void this.#tellAll();
  }

  /** Tells what is there now. */
  flush(): void {
    if (this.#isCounted) return;
    this.#isCounted = true;
    if (this.#writes.length > 0) this.#ports.tell(this.#writes.splice(0));
    this.#ports.count();
  }

  async #tellAll(): Promise<void> {
    this.#isGathering = true;
    // What comes in the same turn goes along.
    await Promise.resolve();
    while (!this.#isCounted) {
      this.flush();
      if (this.#isOften()) await this.#ports.clock.sleep(GATHERED);
    }
    this.#isGathering = false;
  }

  #isOften(): boolean {
    const now = this.#ports.clock.now();
    if (now < this.#since || now - this.#since >= SECOND) [this.#since, this.#messages] = [now, 0];
    this.#messages += 1;
    return this.#messages >= AT_ONCE;
  }
}
