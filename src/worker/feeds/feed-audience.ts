import type { LogOffset } from '../../shared/delivery.ts';
import type { Failure } from '../../shared/failure.ts';
import { isAborted, unanswered } from '../../shared/outcome.ts';
import type { Again } from '../../shared/protocol.ts';
import type { Audience, OwnCatchUps, Reply, Subscriber } from '../contracts/audience.ts';
import { parsed } from '../contracts/read-body.ts';
import type { DeliveryRules } from '../states/delivery-policy.ts';
import type { Publisher } from '../states/publisher.ts';
import type { Feed, Follower } from './feed.ts';

/** Every answer of a feed is told, to a hidden page too. */
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

/** Tells pages every answer of a loop, through the feed's log. A page that is new or has lost some catches up first. */
export class FeedAudience implements Audience {
  readonly #feed: Feed;
  readonly #ports: FeedAudiencePorts;
  readonly #all = new Map<Subscriber, Followed>();
  /** The last outcome, if it was a failure: failures are not in the log. */
  #failure: Pick<Reply, 'outcome' | 'isCatchUp'> | null = null;

  constructor(ports: FeedAudiencePorts) {
    this.#feed = ports.feed;
    this.#ports = ports;
  }

  begin(): Promise<void> {
    return this.#feed.begin();
  }

  /**
   * A page that greets again before it has heard its last deliveries declares the same position twice. It goes on where
   * it was, since those deliveries are still on their way, unless it has acknowledged them.
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
    // An answer in the log goes to each page in its turn.
    if (entry !== null) return this.#feed.add({ offset: entry, outcome: parsed(outcome) });
    publisher.toAll(subscribers, reply);
    if (!isCatchUp || !advanced) return;
    for (const subscriber of subscribers) catchUps.end(subscriber);
    // Pages know where they are in the new log once they have the state before it.
    this.#feed.catchUp();
  }

  /** Answers come from the log. A new page is told of a failure that came after the last of them. */
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
    // The request for the page's state ended with its earlier declaration.
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
        // The state holds what the page has lost.
        if (this.#startCatchUp(followed())) this.#feed.pause(followed().follower);
      },
    };
  }

  /** True where the page is told the state first. Answers that come meanwhile wait in the log. */
  #startCatchUp({ subscriber, follower }: Followed): boolean {
    return this.#ports.catchUps.start(subscriber, () => this.#feed.resume(follower));
  }

  /** The page's earlier declaration of the loop, where it greets again. */
  #earlierOf({ page, number }: Subscriber): Followed | undefined {
    return [...this.#all.values()].find(
      ({ subscriber }) => subscriber.page === page && subscriber.number === number,
    );
  }
}

interface Followed {
  readonly follower: Follower;
  /** The position that the page has declared. */
  readonly position: LogOffset | null;
  /** The last answer that the page has acknowledged; null before the first. */
  acknowledged: LogOffset | null;
  /** The page's latest declaration of the loop. */
  subscriber: Subscriber;
}

function isSame(one: LogOffset | null, other: LogOffset | null): boolean {
  return one?.log === other?.log && one?.offset === other?.offset;
}

/** True where the page declares a position before an answer that it has acknowledged: it has not heard that answer. */
function isBefore(position: LogOffset | null, acknowledged: LogOffset | null): boolean {
  return position !== null && acknowledged?.log === position.log && acknowledged.offset > position.offset;
}
