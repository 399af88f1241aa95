import type { Again } from '../../shared/protocol.ts';
import type { ReadOutcome } from '../read-body.ts';
import type { Feed, Follower } from './feed.ts';
import type { Subscriber } from './subscribers.ts';
import type { Telling } from './telling.ts';

export interface FollowingPorts {
  readonly telling: Telling;
  /** Asks for the state for one page alone; null where there is no need, or nothing to ask. */
  readonly catchUp: (signal: AbortSignal) => Promise<ReadOutcome> | null;
}

interface Page {
  readonly follower: Follower;
  /** Aborts when the page goes. */
  readonly end: AbortController;
}

/** The pages that follow a feed. One that is new, or that has lost answers, catches up before it is told more. */
export class Following {
  readonly #feed: Feed;
  readonly #ports: FollowingPorts;
  readonly #pages = new Map<Subscriber, Page>();

  constructor(feed: Feed, ports: FollowingPorts) {
    this.#feed = feed;
    this.#ports = ports;
  }

  join(subscriber: Subscriber, again: Again | null): void {
    const page = { follower: this.#followerOf(subscriber), end: new AbortController() };
    this.#pages.set(subscriber, page);
    const position = again?.position ?? null;
    const state = position === null ? this.#ports.catchUp(page.end.signal) : null;
    this.#feed.follow(page.follower, position, state !== null);
    if (state) void this.#goOnAfter(state, subscriber, page);
  }

  leave(subscriber: Subscriber): void {
    const page = this.#pages.get(subscriber);
    if (!page) return;
    this.#pages.delete(subscriber);
    page.end.abort();
    this.#feed.leave(page.follower);
  }

  #followerOf(subscriber: Subscriber): Follower {
    const { telling } = this.#ports;
    return {
      tell: (outcome, position, taken) => telling.entry(subscriber, outcome, position, taken),
      reset: (failure) => telling.reset(subscriber, failure),
      lose: (failure) => {
        telling.reset(subscriber, failure);
        this.#catchUp(subscriber);
      },
    };
  }

  /** What it has lost is in the state. */
  #catchUp(subscriber: Subscriber): void {
    const page = this.#pages.get(subscriber);
    const state = page && this.#ports.catchUp(page.end.signal);
    if (!state) return;
    this.#feed.hold(page.follower);
    void this.#goOnAfter(state, subscriber, page);
  }

  async #goOnAfter(
    state: Promise<ReadOutcome>,
    subscriber: Subscriber,
    { follower, end }: Page,
  ): Promise<void> {
    const outcome = await state;
    if (end.signal.aborted) return;
    this.#ports.telling.tick(subscriber, outcome, true);
    this.#feed.letGo(follower);
  }
}
