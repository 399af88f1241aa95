import type { WaitingWrite } from '../contracts/outbox-store.ts';
import type { Clock } from '../platform/system.ts';

/**
 * Until when servers want to be left alone by a lane, though the write to which they said so was discarded or changed: whatever goes
 * next in it waits as long. Times are in milliseconds of the epoch.
 */
export class Floors {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #laneOf: (write: WaitingWrite) => string;
  readonly #until = new Map<string, number>();

  constructor(clock: Pick<Clock, 'now'>, laneOf: (write: WaitingWrite) => string) {
    this.#clock = clock;
    this.#laneOf = laneOf;
  }

  /** Somebody has decided about this write. */
  pass(write: WaitingWrite): void {
    const now = this.#clock.now();
    for (const [lane, until] of this.#until) if (until <= now) this.#until.delete(lane);
    const lane = this.#laneOf(write);
    if (write.floor > Math.max(now, this.of(lane))) this.#until.set(lane, write.floor);
  }

  /** Somebody wants this write to go. */
  lift(write: WaitingWrite): void {
    this.#until.delete(this.#laneOf(write));
  }

  /** 0 for none. */
  of(lane: string): number {
    return this.#until.get(lane) ?? 0;
  }
}
