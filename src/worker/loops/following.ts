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
  readonly #followers = new Map<Subscriber, Follower>();

  constructor(feed: Feed, ports: FollowingPorts) {
    this.#feed = feed;
    this.#ports = ports;
  }

  join(subscriber: Subscriber, position: FeedPosition | null): void {
    const follower = this.#followerOf(subscriber);
    this.#followers.set(subscriber, follower);
    this.#feed.follow(follower, position, position === null && this.#catchUp(subscriber, follower));
  }

  leave(subscriber: Subscriber): void {
    const follower = this.#followers.get(subscriber);
    if (!follower) return;
    this.#followers.delete(subscriber);
    this.#feed.leave(follower);
  }

  #followerOf(subscriber: Subscriber): Follower {
    const { telling } = this.#ports;
    const follower: Follower = {
      join: (position) => telling.joined(subscriber, position),
      tell: (outcome, position, taken) => telling.entry(subscriber, outcome, position, taken),
      reset: (failure) => telling.reset(subscriber, failure),
      lose: (failure) => {
        telling.reset(subscriber, failure);
        // What it has lost is in the state.
        if (this.#catchUp(subscriber, follower)) this.#feed.hold(follower);
      },
    };
    return follower;
  }

  /** Whether it is told the state first: what comes meanwhile waits in the log. */
  #catchUp(subscriber: Subscriber, follower: Follower): boolean {
    return this.#ports.catchUps.start(subscriber, () => this.#feed.letGo(follower));
  }
}
