import { LIMITS } from '../../shared/limits.ts';
import type { Failure } from '../../shared/failure.ts';
import { isAborted, unanswered } from '../../shared/outcome.ts';
import type { Again, LoopDeclaration } from '../../shared/protocol.ts';
import { inTime, Deferred } from '../platform/waiting.ts';
import type { ReadAnswered, ReadOutcome } from '../contracts/read-body.ts';
import { afterRestart } from '../scheduling/schedule.ts';
import type { System } from '../platform/system.ts';
import type { CatchUps } from './catch-ups.ts';
import type { Followers } from '../feeds/followers.ts';
import type { Loop } from '../scheduling/loop.ts';
import type { DurableState } from '../scheduling/durable-state.ts';
import { isNews } from '../scheduling/reply.ts';
import type { Subscriber, Subscribers } from '../states/subscribers.ts';
import type { Publisher } from '../states/publisher.ts';
import { isNewer } from '../../shared/lineage.ts';
import type { Revision } from '../../shared/outcome.ts';

export interface JoinsPorts extends Pick<System, 'clock' | 'random'> {
  readonly loop: Loop;
  readonly state: DurableState;
  readonly subscribers: Subscribers;
  readonly publisher: Publisher;
  /** Null where the loop is no feed. */
  readonly following: Followers | null;
  readonly catchUps: CatchUps;
  /** Resolves as soon as this engine acts, or after a moment. */
  readonly acts: () => Promise<void>;
  /** The newest answer that is stored; null where there is none. */
  readonly newest: () => Promise<ReadAnswered | null>;
  /** Whether the server holds the loop's requests. */
  readonly isHeld: boolean;
}

/** A page that comes, and how it declares the loop. */
interface Join {
  readonly subscriber: Subscriber;
  readonly declaration: LoopDeclaration;
  /** When it wants the first request. */
  readonly dueAt: number;
  /** When its last request was, as far as it knows. */
  readonly askedAt: number | null;
}

/** How pages come to a loop: the first of them start it, where an earlier life of the worker left off. */
export class Joins {
  readonly #ports: JoinsPorts;
  /** Who has come before it was known what is remembered; null once the loop has begun. */
  #early: Join[] | null = [];
  /** Drawn once: the least of what twenty pages draw would be no spread. */
  readonly #chance: number;
  /** Resolves once the loop has begun. */
  readonly #begun = new Deferred();
  /** Whether it is stored that the network is back; null where nobody has said so since the loop was told of last. */
  #wakeNote: Promise<boolean> | null = null;
  #ticks = 0;
  /** How many of those told an answer. */
  #answers = 0;
  /** What was told last that is not to be had from what is stored: a failure, or an answer that is not kept. */
  #unstored: Told | null = null;
  /** The newest answer, as long as a page is behind: what is stored may be cleared away. */
  #kept: ReadAnswered | null = null;

  constructor(ports: JoinsPorts) {
    this.#ports = ports;
    this.#chance = ports.random();
  }

  join(subscriber: Subscriber, declaration: LoopDeclaration): void {
    const now = this.#ports.clock.now();
    const { firstIn, askedAgo = null } = declaration;
    const askedAt = askedAgo === null ? null : now - askedAgo;
    const arrival = { subscriber, declaration, dueAt: now + firstIn, askedAt };
    if (this.#early) this.#early.push(arrival);
    else this.#admit(arrival);
  }

  /**
   * The network is back. Resolves with whether that is stored: should this life end before the loop asks, the next does
   * not go on waiting. However many pages say so, it is stored once.
   */
  async wakeUp(): Promise<boolean> {
    if (!this.#early) this.#ports.loop.wakeUp();
    this.#wakeNote ??= this.#noteWake();
    const isStored = await this.#wakeNote;
    if (!isStored) this.#wakeNote = null;
    return isStored;
  }

  /** A page that has heard of an answer without its body, or has been hidden, wants it after all: it is told the newest. */
  catchUp(subscriber: Subscriber): void {
    void this.#tellNewest(subscriber, null);
  }

  /** Once it is known what an earlier life of the worker has left. */
  async begin(): Promise<void> {
    const { loop, clock, subscribers, following, isHeld } = this.#ports;
    const early = (this.#early ?? []).filter(({ subscriber }) => subscribers.has(subscriber));
    this.#early = null;
    if (early.length === 0) return this.#begun.resolve();
    const dueAt = Math.min(...early.map((arrival) => this.#dueOf(arrival)));
    loop.resumeAfter(lastAskedAt(early));
    if (early.every(({ declaration }) => declaration.again)) loop.postpone(dueAt);
    loop.hasten(dueAt);
    const isRestart = early.some(({ declaration }) => declaration.restart);
    if (isRestart) loop.restart();
    else this.#resume();
    if (this.#wakeNote) loop.wakeUp();
    this.#begun.resolve();
    for (const { subscriber, declaration } of early)
      following?.join(subscriber, declaration.position ?? null);
    // A held request tells nothing before there is news, and one that has to wait tells nothing for a while.
    const waits = !isRestart && (isHeld || loop.progress.failures > 0);
    const lacking = early.filter(
      ({ declaration: { again } }) => waits || (isHeld && !again) || again?.behind,
    );
    const told = lacking.map(({ subscriber, declaration }) =>
      this.#tellNewest(subscriber, declaration.again ?? null),
    );
    // What is stored may have to wait for the app's functions: the network does not.
    await inTime(clock, LIMITS.storedFirst, 'What is stored is late', Promise.all(told)).catch(() => {});
    void loop.run();
  }

  /** The pages that there are have been told; `unstored` where one that comes later does not find it elsewhere. */
  told(told: Told, unstored: boolean): void {
    this.#ticks += 1;
    this.#wakeNote = null;
    if (told.outcome.kind === 'answered') this.#answers += 1;
    // That is nobody's business but the page's that did it.
    if (!isAborted(told.outcome)) this.#unstored = unstored ? told : null;
  }

  /** The pages that there are have been told, each as much as is for it now. */
  keep({ outcome, isCatchUp }: Told): void {
    const isBehind = [...this.#ports.subscribers].some(({ withheld }) => withheld === 'news');
    if (!isBehind || isCatchUp) this.#kept = null;
    else if (isNews(outcome)) this.#kept = outcome;
  }

  /** All is well, though what has come is nothing new. */
  recover(): void {
    if (this.#unstored?.outcome.kind === 'failed') this.#unstored = null;
  }

  /** Only the engine that acts may store it. */
  async #noteWake(): Promise<boolean> {
    const { loop, state, clock, acts } = this.#ports;
    await this.#begun.promise;
    if (!loop.progress.cutOff) return true;
    await acts();
    return state.note({ notBefore: clock.now() + loop.nextIn });
  }

  /** Goes on with the patience of the life before: its death does not make a server any better. */
  #resume(): void {
    const { loop, state } = this.#ports;
    const { failures, notBefore, failure } = state.record;
    if (failures === 0) return;
    loop.resume(failures, notBefore, isCutOff(failure));
    this.#unstored = failure && { outcome: unanswered(failure), isCatchUp: false };
  }

  #admit(arrival: Join): void {
    const { loop, following, isHeld } = this.#ports;
    const { subscriber, declaration } = arrival;
    if (declaration.restart) loop.restart();
    following?.join(subscriber, declaration.position ?? null);
    // Of a request that is held, who has heard nothing yet would hear nothing before there is news.
    if (declaration.restart && !(isHeld && !declaration.again)) return;
    // What waits because of a failure waits for all.
    const isUnderWay = this.#ticks > 0 || loop.progress.failures > 0;
    if (!isUnderWay) loop.hasten(this.#dueOf(arrival));
    if (isUnderWay || isHeld || declaration.again?.behind)
      void this.#tellNewest(subscriber, declaration.again ?? null);
  }

  /** What an ended worker was late with is spread, however many pages say so. */
  #dueOf({ declaration: { again = null }, dueAt }: Join): number {
    if (!again) return dueAt;
    const { clock, loop } = this.#ports;
    const now = clock.now();
    return Math.max(dueAt, afterRestart(now - again.overdueBy, loop.period, now, this.#chance));
  }

  /** What a page has missed that has only just come: the newest answer, and that it can be had no more. */
  async #tellNewest(subscriber: Subscriber, again: Again | null): Promise<void> {
    const { loop, subscribers, publisher, following, catchUps, newest, isHeld } = this.#ports;
    const [ticks, answers] = [this.#ticks, this.#answers];
    const stored = following ? null : ((await newest()) ?? this.#kept);
    if (!subscribers.has(subscriber)) return;
    // An answer that was told meanwhile is newer; but it may have been told to others alone.
    if (this.#answers !== answers)
      return subscriber.withheld === 'nothing' ? undefined : this.catchUp(subscriber);
    // A failure that was told meanwhile is told again: it is since what is stored.
    const told = newestOf(stored, this.#unstored, loop.progress.cutOff);
    for (const { outcome, isCatchUp } of told) {
      if (isKnown(outcome, again, ticks > 0) || isOlder(outcome, subscriber.has)) continue;
      if (isCatchUp) publisher.catchUp(subscriber, outcome);
      else publisher.tick(subscriber, outcome);
    }
    if (following || told.some(({ outcome }) => outcome.kind === 'answered')) return;
    // Of what is never stored, a page is taken to have what another life has told.
    if (ticks === 0 && again?.revision === null) return;
    // What was stored has been cleared away, and it may be long until the next.
    const isAsked = catchUps.start(subscriber, () => {});
    if (!isAsked && isHeld && ticks > 0 && loop.progress.failures === 0) loop.restart();
  }
}

/** When an earlier life of the worker has asked last, as the pages say; null where none knows. */
function lastAskedAt(early: readonly Join[]): number | null {
  const known = early.flatMap(({ askedAt }) => askedAt ?? []);
  return known.length > 0 ? Math.max(...known) : null;
}

/** Without a failure, it was told what was stored before. */
function isCutOff(failure: Failure | null): boolean {
  return failure === null || failure.code === 'network' || failure.code === 'offline';
}

/** What pages were told. */
interface Told {
  readonly outcome: ReadOutcome;
  /** Whether it is the answer to the request to catch up. */
  readonly isCatchUp: boolean;
}

/** What stands for the ticks so far: the newest answer, after it the failure since then. */
function newestOf(stored: ReadAnswered | null, unstored: Told | null, cutOff: boolean): Told[] {
  if (unstored?.outcome.kind === 'answered') return [unstored];
  // Where the network is gone, an answer that says so tells of the failure as well.
  if (stored && cutOff) return [{ outcome: { ...stored, stale: true }, isCatchUp: false }];
  const all = [stored && { outcome: stored, isCatchUp: false }, unstored];
  return all.filter((told) => told !== null);
}

/** Whether a page that comes later has an answer from elsewhere: of a feed from its log, or by catching up itself. */
export function isHadElsewhere({ outcome, isCatchUp }: Told, isOfFeed: boolean): boolean {
  if (outcome.kind === 'failed') return false;
  // What is stored of a request to catch up is not found under the loop's own.
  return isOfFeed || (outcome.revision !== null && !isCatchUp);
}

/**
 * To a page that followed the loop before, only what is newer than what it has heard is news: what is stored may be older,
 * where a worker ended before it had stored what it told. Where that cannot be compared, the page is told what this life of
 * the worker has told last, for it may have missed it (invariant 8); what an earlier life has left may be older.
 */
export function isKnown(outcome: ReadOutcome, again: Again | null, isOfThisLife: boolean): boolean {
  if (again === null) return false;
  if (outcome.kind === 'failed') return true;
  if (outcome.revision === null || again.revision === null) return !isOfThisLife && !again.behind;
  return !isNewer(outcome.revision, again.revision);
}

/** Whether a page that has revision `has` was told something newer: a worker may end before it has stored what it told. */
function isOlder(outcome: ReadOutcome, has: Revision | null): boolean {
  if (outcome.kind === 'failed' || outcome.revision === null || has === null) return false;
  return isNewer(has, outcome.revision);
}
