import type { Failure } from '../../shared/failure.ts';
import { isNewer, isAborted, unanswered } from '../../shared/outcome.ts';
import type { Revision } from '../../shared/outcome.ts';
import type { Again, EventInterest, LoopDeclaration } from '../../shared/protocol.ts';
import type { Audience, OwnCatchUps, Reply, Subscriber } from '../contracts/audience.ts';
import type { ReadAnswered, ReadOutcome } from '../contracts/read-body.ts';
import type { Loop } from '../scheduling/loop.ts';
import { isNews } from '../scheduling/plan.ts';
import type { Publisher } from './publisher.ts';
import type { Pace } from '../../shared/pace.ts';
import { traitsOf } from '../../shared/pace.ts';
import { periodOf } from '../scheduling/planner.ts';
import { dueWhileHidden, periodWhileHidden } from './delivery-policy.ts';

export interface StateAudiencePorts {
  readonly subscribers: Subscribers;
  readonly publisher: Publisher;
  readonly catchUps: OwnCatchUps;
  readonly loop: () => Pick<Loop, 'progress' | 'restart'>;
  readonly newest: () => Promise<ReadAnswered | null>;
  readonly isHeld: boolean;
}

/** Tells pages the newest answer of a loop. A page that comes later is told it from the storage. */
export class StateAudience implements Audience {
  readonly acknowledged = 0;
  readonly #ports: StateAudiencePorts;
  #hasTold = false;
  /** How many answers it has told. */
  #answers = 0;
  /** The last outcome told, if the storage does not have it: a failure, or an answer that is not stored. */
  #unstored: Told | null = null;
  /** The newest answer, while a page is behind: the stored one may be cleared away. */
  #kept: ReadAnswered | null = null;

  constructor(ports: StateAudiencePorts) {
    this.#ports = ports;
  }

  async begin(): Promise<void> {}

  join(): void {}

  leave(): void {}

  publish(reply: Reply): void {
    const { subscribers, publisher, catchUps } = this.#ports;
    this.#note(reply);
    publisher.toAll(subscribers, reply);
    for (const subscriber of subscribers) {
      const isTold = reply.isCatchUp || !subscriber.abstains;
      if (isTold && isNews(reply.outcome)) catchUps.end(subscriber);
    }
    this.#keep(reply);
  }

  async catchUp(subscriber: Subscriber, again: Again | null): Promise<void> {
    const { loop, subscribers, publisher, newest, isHeld } = this.#ports;
    const [hadTold, answers] = [this.#hasTold, this.#answers];
    const stored = (await newest()) ?? this.#kept;
    if (!subscribers.has(subscriber)) return;
    // An answer that was told meanwhile is newer, but it may have been told to other pages alone.
    if (this.#answers !== answers)
      return subscriber.withheld === 'nothing' ? undefined : this.catchUp(subscriber, null);
    // A failure that was told meanwhile is told again: it came after the stored answer.
    const { failures, cutOff } = loop().progress;
    // The loop has asked its server since, or is about to: a held request is answered at once where there is news.
    const isCurrent = isHeld || (hadTold && failures === 0);
    const newestStored = stored && { ...stored, stale: cutOff || (stored.stale && !isCurrent) };
    const all = newestOf(newestStored, this.#unstored, cutOff);
    for (const { outcome, isCatchUp } of all) {
      if (isKnown(outcome, again, hadTold) || isOlder(outcome, subscriber.has)) continue;
      publisher.toOne(subscriber, outcome, isCatchUp);
    }
    if (all.some(({ outcome }) => outcome.kind === 'answered')) return;
    this.#ask(subscriber, again, hadTold);
  }

  resume(failure: Failure | null): void {
    this.#unstored = failure && { outcome: unanswered(failure), isCatchUp: false };
  }

  recover(): void {
    if (this.#unstored?.outcome.kind === 'failed') this.#unstored = null;
  }

  reset(failure: Failure): void {
    const { subscribers, publisher } = this.#ports;
    for (const subscriber of subscribers) publisher.reset(subscriber, failure);
  }

  renew(): void {}

  #note(reply: Reply): void {
    const { outcome } = reply;
    this.#hasTold = true;
    if (outcome.kind === 'answered') this.#answers += 1;
    // An abort concerns only the page that asked for it.
    if (isAborted(outcome)) return;
    if (isNothingNew(outcome)) this.recover();
    else this.#unstored = isStored(reply) ? null : reply;
  }

  #keep({ outcome, isCatchUp }: Reply): void {
    const isBehind = [...this.#ports.subscribers].some(({ withheld }) => withheld === 'news');
    if (!isBehind || isCatchUp) this.#kept = null;
    else if (isNews(outcome)) this.#kept = outcome;
  }

  /** No answer is stored, or it has been cleared away, and it may be long until the next. */
  #ask(subscriber: Subscriber, again: Again | null, hadTold: boolean): void {
    const { catchUps, isHeld } = this.#ports;
    // A page is taken to have an answer of an earlier instance that is never stored.
    if (!hadTold && again?.revision === null) return;
    const isAsked = catchUps.start(subscriber, () => {});
    const loop = this.#ports.loop();
    if (!isAsked && isHeld && hadTold && loop.progress.failures === 0) loop.restart();
  }
}

type Told = Pick<Reply, 'outcome' | 'isCatchUp'>;

/** The answer to a catch-up is not stored under the loop's own request. */
function isStored({ outcome, isCatchUp }: Told): boolean {
  return outcome.kind === 'answered' && outcome.revision !== null && !isCatchUp;
}

/** True for an empty answer that leaves the state as it was. */
function isNothingNew(outcome: ReadOutcome): boolean {
  return outcome.kind === 'answered' && outcome.revision === null && !outcome.changed && !isNews(outcome);
}

/** The outcomes that stand for the ticks so far: the newest answer, then the failure since. */
function newestOf(stored: ReadAnswered | null, unstored: Told | null, cutOff: boolean): Told[] {
  if (unstored?.outcome.kind === 'answered') return [unstored];
  // Where the network is gone, a stale answer tells of the failure as well.
  if (stored && cutOff) return [{ outcome: stored, isCatchUp: false }];
  const all = [stored && { outcome: stored, isCatchUp: false }, unstored];
  return all.filter((told) => told !== null);
}

/**
 * A page that followed the loop before is told only what is newer than it has heard: the stored answer may be older,
 * where a worker ended before it stored what it told. Where revisions cannot be compared, the page is told what this
 * worker instance told last, for it may have missed that (invariant 8); what an earlier one left may be older.
 */
export function isKnown(outcome: ReadOutcome, again: Again | null, isOfThisLife: boolean): boolean {
  if (again === null) return false;
  if (outcome.kind === 'failed') return true;
  if (outcome.revision === null || again.revision === null) return !isOfThisLife && !again.behind;
  return !isNewer(outcome.revision, again.revision);
}

/** True where the page was told something newer: a worker may end before it stores what it told. */
function isOlder(outcome: ReadOutcome, has: Revision | null): boolean {
  if (outcome.kind === 'failed' || outcome.revision === null || has === null) return false;
  return isNewer(has, outcome.revision);
}

/** A page's part in the loop at its declaration. The page itself says what it has heard of the loop. */
export function subscriberOf(
  page: string,
  { loop: number, pace, interest, again = null, restart = false }: LoopDeclaration,
  hidden: boolean,
): Subscriber {
  const lacksBody = interest.body === false && !!again?.revision;
  return {
    page,
    number,
    pace,
    interest,
    hidden,
    abstains: false,
    told: null,
    has: lacksBody ? null : (again?.revision ?? null),
    lacksBody,
    // A page that has the loop restarted is told the answer.
    heardAt: again && !restart ? -Infinity : null,
    withheld: again?.behind ? 'news' : 'nothing',
    fresh: null,
  };
}

/** What a loop's pages want together: the pace of the fastest visible page, and every step that any listens for. */
export class Subscribers {
  readonly #all = new Set<Subscriber>();

  get size(): number {
    return this.#all.size;
  }

  has(subscriber: Subscriber): boolean {
    return this.#all.has(subscriber);
  }

  add(subscriber: Subscriber): void {
    this.#all.add(subscriber);
  }

  remove(subscriber: Subscriber): void {
    this.#all.delete(subscriber);
  }

  [Symbol.iterator](): Iterator<Subscriber> {
    return this.#all.values();
  }

  /** The fastest pace that a page wants while it is visible. */
  get pace(): Pace {
    const visible = [...this.#all].filter(
      ({ hidden, pace }) => !hidden || traitsOf(pace).hidden === 'continue',
    );
    const paces = [...(visible.length > 0 ? visible : this.#all)].map(({ pace }) => pace);
    return paces.reduce((one, other) => (periodOf(other) < periodOf(one) ? other : one));
  }

  /** Milliseconds between two requests as things are; Infinity where all pages are hidden and want none. */
  get period(): number {
    const periods = [...this.#all].map(({ pace, hidden }) => {
      const period = periodOf(pace);
      return hidden ? periodWhileHidden(pace, period) : period;
    });
    return Math.min(...periods);
  }

  /** When the loop asks. `plannedAt` is when it would ask if a page were visible. */
  dueAt(plannedAt: number, lastAskedAt: number | null): number {
    const instants = [...this.#all].map(({ pace, hidden }) =>
      hidden ? dueWhileHidden(pace, plannedAt, lastAskedAt) : plannedAt,
    );
    return Math.min(...instants);
  }

  get interest(): EventInterest {
    const all = [...this.#all].map(({ interest }) => interest);
    return {
      started: all.some(({ started }) => started),
      sent: all.some(({ sent }) => sent),
      progress: all.some(({ progress }) => progress),
    };
  }
}
