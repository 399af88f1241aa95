import type { FeedPosition } from '../../shared/protocol.ts';
import type { CatchUps } from './catch-ups.ts';
import type { Feed, Follower } from './feed.ts';
import type { Subscriber } from './subscribers.ts';
import type { Telling } from './telling.ts';

export interface FollowingPorts {
  readonly telling: Telling;
  readonly catchUps: CatchUps;
}

/** The pages that follow a feed. One that is new, or that has lost answers, catches up before it is told more. */
export class Following {
  readonly #feed: Feed;
  readonly #ports: FollowingPorts;
  readonly #all = new Map<Subscriber, Followed>();

  constructor(feed: Feed, ports: FollowingPorts) {
    this.#feed = feed;
    this.#ports = ports;
  }

  /**
   * A page follows from where it is. One that greets again before it has heard what it was told since says the same
   * position twice: it goes on where it was, since all that it was told is on its way still, unless it has taken that.
   */
  join(subscriber: Subscriber, position: FeedPosition | null): void {
    const earlier = this.#earlierOf(subscriber);
    const isSaidAgain =
      earlier &&
      isSame(earlier.said, position) &&
      !(position && this.#feed.isAhead(earlier.follower, position));
    if (isSaidAgain) this.#goOn(subscriber, earlier);
    else this.#begin(subscriber, position);
  }

  leave(subscriber: Subscriber): void {
    const followed = this.#all.get(subscriber);
    if (!followed) return;
    this.#all.delete(subscriber);
    this.#feed.leave(followed.follower);
  }

  #begin(subscriber: Subscriber, position: FeedPosition | null): void {
    const followed: Followed = { subscriber, said: position, follower: this.#followerOf(() => followed) };
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
    if (this.#feed.isHeld(follower) && !this.#catchUp(followed)) this.#feed.letGo(follower);
  }

  #followerOf(followed: () => Followed): Follower {
    const { telling } = this.#ports;
    return {
      join: (position) => telling.joined(followed().subscriber, position),
      tell: (outcome, position, taken) => telling.entry(followed().subscriber, outcome, position, taken),
      reset: (failure) => telling.reset(followed().subscriber, failure),
      lose: (failure) => {
        telling.reset(followed().subscriber, failure);
        // What it has lost is in the state.
        if (this.#catchUp(followed())) this.#feed.hold(followed().follower);
      },
    };
  }

  /** Whether it is told the state first: what comes meanwhile waits in the log. */
  #catchUp({ subscriber, follower }: Followed): boolean {
    return this.#ports.catchUps.start(subscriber, () => this.#feed.letGo(follower));
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
  readonly said: FeedPosition | null;
  /** As the page has declared the loop last. */
  subscriber: Subscriber;
}

function isSame(one: FeedPosition | null, other: FeedPosition | null): boolean {
  return one?.log === other?.log && one?.n === other?.n;
}
