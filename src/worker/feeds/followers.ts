import type { LogOffset } from '../../shared/delivery.ts';
import type { Feed, Follower } from './feed.ts';
import type { Subscriber } from '../states/subscribers.ts';
import type { Publisher } from '../states/publisher.ts';

/** Has a page ask for the state by itself. */
interface StartsCatchUps {
  /** Calls `done` once the page has the state; false where there is none to be asked for. */
  start(subscriber: Subscriber, done: () => void): boolean;
}

export interface FollowersPorts {
  readonly publisher: Publisher;
  readonly catchUps: StartsCatchUps;
}

/** The pages that follow a feed. One that is new, or that has lost answers, catches up before it is told more. */
export class Followers {
  readonly #feed: Feed;
  readonly #ports: FollowersPorts;
  readonly #all = new Map<Subscriber, Followed>();

  constructor(feed: Feed, ports: FollowersPorts) {
    this.#feed = feed;
    this.#ports = ports;
  }

  /**
   * A page follows from where it is. One that greets again before it has heard what it was told since says the same
   * position twice: it goes on where it was, since all that it was told is on its way still, unless it has taken that.
   */
  join(subscriber: Subscriber, position: LogOffset | null): void {
    const earlier = this.#earlierOf(subscriber);
    const isSaidAgain = earlier && isSame(earlier.said, position) && !isBefore(position, earlier.taken);
    if (isSaidAgain) this.#goOn(subscriber, earlier);
    else this.#begin(subscriber, position);
  }

  leave(subscriber: Subscriber): void {
    const followed = this.#all.get(subscriber);
    if (!followed) return;
    this.#all.delete(subscriber);
    this.#feed.leave(followed.follower);
  }

  #begin(subscriber: Subscriber, position: LogOffset | null): void {
    const followed: Followed = {
      subscriber,
      said: position,
      taken: null,
      follower: this.#followerOf(() => followed),
    };
    this.#all.set(subscriber, followed);
    const { follower } = followed;
    this.#feed.follow(follower, position, position === null && this.#catchUp(followed));
  }

  #goOn(subscriber: Subscriber, followed: Followed): void {
    this.#all.delete(followed.subscriber);
    this.#all.set(subscriber, followed);
    followed.subscriber = subscriber;
    const { follower } = followed;
    // The request for its state ends with the declaration before.
    if (this.#feed.isPaused(follower) && !this.#catchUp(followed)) this.#feed.resume(follower);
  }

  #followerOf(followed: () => Followed): Follower {
    const { publisher } = this.#ports;
    return {
      join: (position) => publisher.joined(followed().subscriber, position),
      tell: (outcome, position, taken) =>
        publisher.entry(followed().subscriber, outcome, position, () => {
          followed().taken = position;
          taken();
        }),
      reset: (failure) => publisher.reset(followed().subscriber, failure),
      gap: (failure) => {
        publisher.reset(followed().subscriber, failure);
        // What it has lost is in the state.
        if (this.#catchUp(followed())) this.#feed.pause(followed().follower);
      },
    };
  }

  /** Whether it is told the state first: what comes meanwhile waits in the log. */
  #catchUp({ subscriber, follower }: Followed): boolean {
    return this.#ports.catchUps.start(subscriber, () => this.#feed.resume(follower));
  }

  /** As the page has declared the loop before, where it greets again. */
  #earlierOf({ page, number }: Subscriber): Followed | undefined {
    return [...this.#all.values()].find(
      ({ subscriber }) => subscriber.page === page && subscriber.number === number,
    );
  }
}

/** A page's part in the feed. */
interface Followed {
  readonly follower: Follower;
  /** Where the page said that it was. */
  readonly said: LogOffset | null;
  /** The last answer that the page has taken; null before the first. */
  taken: LogOffset | null;
  /** As the page has declared the loop last. */
  subscriber: Subscriber;
}

function isSame(one: LogOffset | null, other: LogOffset | null): boolean {
  return one?.log === other?.log && one?.offset === other?.offset;
}

/** True where the page has taken an answer after the position that it says: it took that answer without hearing it. */
function isBefore(position: LogOffset | null, taken: LogOffset | null): boolean {
  return position !== null && taken?.log === position.log && taken.offset > position.offset;
}
