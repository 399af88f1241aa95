import type { LogOffset } from '../../shared/delivery.ts';
import type { Failure } from '../../shared/failure.ts';
import { isAborted, unanswered } from '../../shared/outcome.ts';
import type { Again } from '../../shared/protocol.ts';
import type { Audience, OwnCatchUps, Reply, Subscriber } from '../contracts/audience.ts';
import { parsed } from '../contracts/read-body.ts';
import type { DeliveryRules } from '../states/delivery-policy.ts';
import type { Publisher } from '../states/publisher.ts';
import type { Feed, Follower } from './feed.ts';

/** Every answer of a feed counts, hidden page or not. */
export const EVERY_ANSWER: DeliveryRules = {
  hears: () => true,
  policyFor: () => 'all',
  isRedundant: () => false,
};

export interface FeedAudiencePorts {
  readonly feed: Feed;
  readonly subscribers: Iterable<Subscriber> & { has(subscriber: Subscriber): boolean };
  readonly publisher: Publisher;
  readonly catchUps: OwnCatchUps;
}

/**
 * Tells pages every answer of a loop, through the log of its feed. A page that is new, or that has lost answers, catches
 * up before it is told more.
 */
export class FeedAudience implements Audience {
  readonly #feed: Feed;
  readonly #ports: FeedAudiencePorts;
  readonly #all = new Map<Subscriber, Followed>();
  /** The last that was told, where that is a failure: it is not in the log. */
  #failure: Pick<Reply, 'outcome' | 'isCatchUp'> | null = null;

  constructor(ports: FeedAudiencePorts) {
    this.#feed = ports.feed;
    this.#ports = ports;
  }

  begin(): Promise<void> {
    return this.#feed.begin();
  }

  /**
   * A page that greets again before it has heard what it was told since says the same position twice: it goes on where it
   * was, since all that it was told is on its way still, unless it has acknowledged that.
   */
  join(subscriber: Subscriber, position: LogOffset | null): void {
    const earlier = this.#earlierOf(subscriber);
    const isSaidAgain =
      earlier && isSame(earlier.position, position) && !isBefore(position, earlier.acknowledged);
    if (isSaidAgain) this.#goOn(subscriber, earlier);
    else this.#begin(subscriber, position);
  }

  leave(subscriber: Subscriber): void {
    const followed = this.#all.get(subscriber);
    if (!followed) return;
    this.#all.delete(subscriber);
    this.#feed.leave(followed.follower);
  }

  publish(reply: Reply): void {
    const { outcome, advanced, isCatchUp, entry } = reply;
    const { subscribers, publisher, catchUps } = this.#ports;
    if (!isAborted(outcome)) this.#failure = outcome.kind === 'failed' ? reply : null;
    // What is in the log goes to each page in its turn.
    if (entry !== null) return this.#feed.add({ offset: entry, outcome: parsed(outcome) });
    publisher.toAll(subscribers, reply);
    if (!isCatchUp || !advanced) return;
    for (const subscriber of subscribers) catchUps.end(subscriber);
    // They know where they are in the new log once they have the state that it follows.
    this.#feed.catchUp();
  }

  /** The answers come from the log; a page that is new is told of a failure since then. */
  async catchUp(subscriber: Subscriber, again: Again | null): Promise<void> {
    const { subscribers, publisher } = this.#ports;
    if (!this.#failure || again !== null || !subscribers.has(subscriber)) return;
    publisher.toOne(subscriber, this.#failure.outcome, this.#failure.isCatchUp);
  }

  resume(failure: Failure | null): void {
    this.#failure = failure && { outcome: unanswered(failure), isCatchUp: false };
  }

  recover(): void {
    this.#failure = null;
  }

  reset(failure: Failure): void {
    this.#feed.startAfresh(failure);
  }

  renew(): void {
    this.#feed.renew();
  }

  get acknowledged(): number {
    return this.#feed.acknowledgedByAll;
  }

  #begin(subscriber: Subscriber, position: LogOffset | null): void {
    const followed: Followed = {
      subscriber,
      position,
      acknowledged: null,
      follower: this.#followerOf(() => followed),
    };
    this.#all.set(subscriber, followed);
    const { follower } = followed;
    this.#feed.follow(follower, position, position === null && this.#startCatchUp(followed));
  }

  #goOn(subscriber: Subscriber, followed: Followed): void {
    this.#all.delete(followed.subscriber);
    this.#all.set(subscriber, followed);
    followed.subscriber = subscriber;
    const { follower } = followed;
    // The request for its state ends with the declaration before.
    if (this.#feed.isPaused(follower) && !this.#startCatchUp(followed)) this.#feed.resume(follower);
  }

  #followerOf(followed: () => Followed): Follower {
    const { publisher } = this.#ports;
    return {
      join: (position) => publisher.joined(followed().subscriber, position),
      tell: (outcome, position, acknowledge) =>
        publisher.entry(followed().subscriber, outcome, position, () => {
          followed().acknowledged = position;
          acknowledge();
        }),
      reset: (failure) => publisher.reset(followed().subscriber, failure),
      gap: (failure) => {
        publisher.reset(followed().subscriber, failure);
        // What it has lost is in the state.
        if (this.#startCatchUp(followed())) this.#feed.pause(followed().follower);
      },
    };
  }

  /** Whether it is told the state first: what comes meanwhile waits in the log. */
  #startCatchUp({ subscriber, follower }: Followed): boolean {
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
  readonly position: LogOffset | null;
  /** The last answer that the page has acknowledged; null before the first. */
  acknowledged: LogOffset | null;
  /** As the page has declared the loop last. */
  subscriber: Subscriber;
}

function isSame(one: LogOffset | null, other: LogOffset | null): boolean {
  return one?.log === other?.log && one?.offset === other?.offset;
}

/** True where the page has acknowledged an answer after the position that it says: it has not heard that answer. */
function isBefore(position: LogOffset | null, acknowledged: LogOffset | null): boolean {
  return position !== null && acknowledged?.log === position.log && acknowledged.offset > position.offset;
}
