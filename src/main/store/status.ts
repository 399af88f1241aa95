import type { RestError } from '../error.ts';
import type { RestEvent } from '../resource/event.ts';
import { frozen } from '../development.ts';

/** A store's status, at the moment when it is read. */
export interface RestStoreStatus {
  /** Where the answer came from that made or last confirmed the model; null before the first. */
  readonly servedFrom: 'network' | 'cache' | null;
  /** True where the network failed at that time, so that an answer stored before was used. */
  readonly stale: boolean;
  /** Seconds since the server's answer was received; null before the first. It grows as time passes. */
  readonly age: number | null;
  /**
   * When a loop of the action asks next, in milliseconds of the epoch: the soonest of several, null where none runs. Of
   * a store with `params`, a loop of these.
   * The time is past while the request is out, and where the worker asks in silence: a long-poll without news, a loop
   * without a network. On a hidden page the loop may ask later.
   */
  readonly nextPollAt: number | null;
  /** How many calls of the resource are under way with a method other than GET, HEAD and OPTIONS. */
  readonly pendingWrites: number;
  /** Why the last request of the action failed; null where it did not. Aborted ones do not count. */
  readonly error: RestError | null;
}

/** The resource's part of a status. */
export type Beside = Pick<RestStoreStatus, 'nextPollAt' | 'pendingWrites'>;

export class Status {
  readonly #now: () => number;
  #beside: () => Beside;
  #answer: Answer = { servedFrom: null, stale: false, receivedAt: null };
  #error: RestError | null = null;
  #told: Standing;

  constructor(now: () => number, beside: () => Beside) {
    this.#now = now;
    this.#beside = beside;
    this.#told = this.#standing;
  }

  /** The model is the content of this answer. */
  confirm({ servedFrom, stale, age }: Pick<RestEvent, 'servedFrom' | 'stale' | 'age'>): void {
    this.#answer = { servedFrom, stale, receivedAt: this.#now() - age * 1_000 };
    this.ended(null);
  }

  /** There is no answer any more. */
  reset(): void {
    this.#answer = { servedFrom: null, stale: false, receivedAt: null };
    this.#error = null;
  }

  /** The last request failed for this reason; null where it succeeded. */
  ended(error: RestError | null): void {
    this.#error = error;
  }

  read(): RestStoreStatus {
    const { receivedAt, servedFrom, stale, nextPollAt, pendingWrites, error } = this.#standing;
    const age = receivedAt === null ? null : Math.max(0, (this.#now() - receivedAt) / 1_000);
    return frozen({ servedFrom, stale, age, nextPollAt, pendingWrites, error });
  }

  /** True where anything but the age has changed since the last `hasChanged`. */
  hasChanged(): boolean {
    const [before, now] = [this.#told, this.#standing];
    this.#told = now;
    return !isSame(before, now);
  }

  /** Fixes the status as it is now. */
  end(): void {
    const { nextPollAt, pendingWrites } = this.#beside();
    this.#beside = () => ({ nextPollAt, pendingWrites });
  }

  get #standing(): Standing {
    return { ...this.#answer, ...this.#beside(), error: this.#error };
  }
}

/** Uses times of the epoch, so that nothing here changes as time passes. */
interface Answer extends Pick<RestStoreStatus, 'servedFrom' | 'stale'> {
  readonly receivedAt: number | null;
}

type Standing = Answer & Omit<RestStoreStatus, 'age'>;

function isSame(one: Standing, other: Standing): boolean {
  return (
    one.servedFrom === other.servedFrom &&
    one.stale === other.stale &&
    one.receivedAt === other.receivedAt &&
    one.nextPollAt === other.nextPollAt &&
    one.pendingWrites === other.pendingWrites &&
    one.error === other.error
  );
}
