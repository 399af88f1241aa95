import type { RestError } from '../error.ts';
import type { RestEvent } from '../resource/event.ts';
import { frozen } from '../development.ts';

/** How a store stands, as of the moment when it is read. */
export interface RestStoreStatus {
  /** Where the answer came from that the model was made of, or that confirmed it last; null before the first. */
  readonly servedFrom: 'network' | 'cache' | null;
  /** Whether the network was asked in vain then, and it is what was stored before. */
  readonly stale: boolean;
  /** Seconds since that answer was received from its server; null before the first. It grows as time passes. */
  readonly age: number | null;
  /**
   * When a loop of the action asks next, in milliseconds of the epoch, the soonest where there are several; null where
   * none runs. It is past while that request is out, and where the worker asks in silence: a long-poll without news, a
   * loop without a network. While the page is hidden it may ask later.
   */
  readonly nextPollAt: number | null;
  /** The calls of the resource that are under way with a method other than GET, HEAD and OPTIONS. */
  readonly pendingWrites: number;
  /** Why the last question of the action went wrong; null where it did not. Aborted ones do not count. */
  readonly error: RestError | null;
}

/** What a resource knows of its status, beside the answers. */
export type Beside = Pick<RestStoreStatus, 'nextPollAt' | 'pendingWrites'>;

/** What a store knows of its answers, and what has changed of all that it tells. */
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

  /** The model is what this answer says. */
  confirm({ servedFrom, stale, age }: Pick<RestEvent, 'servedFrom' | 'stale' | 'age'>): void {
    this.#answer = { servedFrom, stale, receivedAt: this.#now() - age * 1_000 };
    this.ended(null);
  }

  /** The last question went wrong for this reason; null where it did not. */
  ended(error: RestError | null): void {
    this.#error = error;
  }

  read(): RestStoreStatus {
    const { receivedAt, servedFrom, stale, nextPollAt, pendingWrites, error } = this.#standing;
    const age = receivedAt === null ? null : Math.max(0, (this.#now() - receivedAt) / 1_000);
    return frozen({ servedFrom, stale, age, nextPollAt, pendingWrites, error });
  }

  /** Whether anything but the age has changed since this was asked last. */
  hasChanged(): boolean {
    const [before, now] = [this.#told, this.#standing];
    this.#told = now;
    return !isSame(before, now);
  }

  /** Keeps what it is. */
  end(): void {
    const { nextPollAt, pendingWrites } = this.#beside();
    this.#beside = () => ({ nextPollAt, pendingWrites });
  }

  get #standing(): Standing {
    return { ...this.#answer, ...this.#beside(), error: this.#error };
  }
}

/** Times are of the epoch, so that nothing here changes by the passing of time. */
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
