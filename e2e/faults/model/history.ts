import type { DiskState } from './disk.ts';
import type { ServerState } from './asked.ts';
import type { Timeline } from './timeline.ts';

/** Milliseconds by which instants may differ that the page, the worker and the server each know as one. */
export const SLACK = 60;

/** Milliseconds that a greeting may cost that no worker hears. */
const LOST_GREETING = 3_500;

/** Milliseconds after which a call goes on without the disk. */
const DISK_PATIENCE = 4_000;

/** Milliseconds that an update of the worker may take: ten for calls to be waited for, and what comes after. */
const UPDATE = 16_000;

/** Milliseconds that an answer takes of a slow server, on its way there and back. */
export const SLOW_ANSWER = 9_000;

/** Milliseconds that all else takes. */
const USUAL = 2_000;

/** Milliseconds within which the answers of loops are stored, and that it takes to store them. */
const TOGETHER = 3_500;

/** What has been done to the world, and so what may go wrong for a while. */
export class History {
  /** Whether what was stored has been deleted, or is in memory alone: places may be lost then. */
  isForgetful = false;
  /** When runs of the worker ended, in order. */
  readonly ends: number[] = [];
  readonly #timeline: Timeline;
  readonly #states: { readonly at: number; readonly state: ServerState }[] = [{ at: 0, state: 'works' }];
  #disk: DiskState = 'works';
  #diskAt = -Infinity;
  #firstDiskAt = Infinity;
  #updatedAt = -Infinity;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  /** The server is like this from now on. */
  serve(state: ServerState): void {
    this.#states.push({ at: this.#timeline.now, state });
  }

  /** The disk is like this from now on, or is in trouble for a moment. */
  store(state: DiskState | 'in trouble'): void {
    this.#diskAt = this.#timeline.now;
    this.#firstDiskAt = Math.min(this.#firstDiskAt, this.#timeline.now);
    if (state !== 'in trouble') this.#disk = state;
  }

  /** A newer worker waits. */
  update(): void {
    this.#updatedAt = this.#timeline.now;
  }

  /** Whether the server can be asked. */
  get isOnline(): boolean {
    return this.#states.at(-1)?.state !== 'cut';
  }

  /** Whether the disk is in trouble, or was a moment ago. */
  get isDiskInTrouble(): boolean {
    return this.#wasDiskInTrouble(this.#timeline.now);
  }

  /** Whether storage has ever been in trouble. */
  get hasDiskFailed(): boolean {
    return this.#diskAt !== -Infinity;
  }

  /** True once a worker has ended after the disk had trouble: the answers that it kept in memory are lost. */
  get hasLostAnswers(): boolean {
    return this.#endsSince(this.#firstDiskAt) > 0;
  }

  get now(): number {
    return this.#timeline.now;
  }

  /** True where a worker has ended before it had stored what it told of a loop then (decision 49). */
  hasLost(toldAt: number): boolean {
    return this.ends.some((at) => at >= toldAt && at <= toldAt + TOGETHER);
  }

  /** Whether a worker may be about to give way to a newer one. */
  get isUpdating(): boolean {
    return this.wasUpdating(this.#timeline.now);
  }

  /** The same for a time from then on. */
  wasUpdating(since: number): boolean {
    return this.#updatedAt > since - UPDATE;
  }

  /** How many milliseconds from then on an old worker went on that was to be replaced, or has so far. */
  hasWaitedForUpdate(since: number): number {
    if (!this.wasUpdating(since)) return 0;
    const end = this.ends.find((each) => each >= this.#updatedAt) ?? Infinity;
    return Math.min(Math.max(0, end - since), UPDATE);
  }

  hasEnded(since: number): boolean {
    return this.#endsSince(since - SLACK) > 0;
  }

  /** True where two workers have ended since shortly before `since`: each may have missed a greeting. */
  hasGreetedInVain(since: number): boolean {
    return this.#endsSince(since - 2 * LOST_GREETING) > 1;
  }

  /** Whether the server has been so since then. */
  was(since: number, state: ServerState): boolean {
    return this.#states.some(
      (each, index) => each.state === state && (this.#states[index + 1]?.at ?? Infinity) >= since - SLACK,
    );
  }

  /** How many milliseconds a call may take that was made then, and asked so often, after all that has happened since. */
  longestCall(since: number, asked = 1): number {
    const ends = this.#endsSince(since - LOST_GREETING);
    const slow = this.was(since, 'slow') ? SLOW_ANSWER : 0;
    const disk = this.#wasDiskInTrouble(since) ? DISK_PATIENCE : 0;
    const update = this.wasUpdating(since) ? UPDATE : 0;
    return USUAL + update + ends * LOST_GREETING + (asked + ends) * (slow + disk);
  }

  /** True where the disk is in trouble, or was after `since` or a moment before it. */
  #wasDiskInTrouble(since: number): boolean {
    return this.#disk !== 'works' || this.#diskAt >= since - DISK_PATIENCE;
  }

  #endsSince(instant: number): number {
    return this.ends.filter((end) => end >= instant).length;
  }
}
