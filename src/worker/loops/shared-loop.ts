import type { LoopInspection } from '../../shared/inspection.ts';
import type { Failure } from '../../shared/failure.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { traitsOf, withInterval } from '../../shared/pace.ts';
import { isAborted, unanswered } from '../../shared/outcome.ts';
import type { Outcome, Revision } from '../../shared/outcome.ts';
import type { LoopDeclaration, EventInterest } from '../../shared/protocol.ts';
import type { TickRequest } from '../contracts/engine-request.ts';
import { parsed } from '../contracts/read-body.ts';
import type { ReadAnswered, ReadOutcome } from '../contracts/read-body.ts';
import { inTime } from '../platform/waiting.ts';
import type { Clock, System } from '../platform/system.ts';
import { Joins, isHadElsewhere } from './joins.ts';
import { Asking } from './asking.ts';
import { CatchUps } from './catch-ups.ts';
import { CursorTracker } from './cursor-tracker.ts';
import { Feed } from '../feeds/feed.ts';
import { Followers } from '../feeds/followers.ts';
import { Loop } from '../scheduling/loop.ts';
import type { LoopAdmission } from '../scheduling/loop.ts';
import type { DurableState } from '../scheduling/durable-state.ts';
import type { LoopProgress } from '../scheduling/plan.ts';
import { isNews } from '../scheduling/reply.ts';
import type { Reply } from '../scheduling/reply.ts';
import { Subscribers, subscriberOf } from '../states/subscribers.ts';
import type { Subscriber } from '../states/subscribers.ts';
import { Publisher } from '../states/publisher.ts';
import type { PageDelivery } from '../states/publisher.ts';

/** Milliseconds that an engine waits to act before it goes on without. */
const LONGEST_WAIT = 1_000;

/** How loops ask and whom they tell. `page` names one session of one page. */
export interface SharedLoopPorts extends PageDelivery {
  readonly invoke: (request: TickRequest) => Promise<ReadOutcome>;
  /** What an invocation asks; null where it may not be asked. */
  readonly urlOf: (invocation: Invocation) => string | null;
  /** The newest answer that is stored; null where there is none. Never rejects. */
  readonly newest: (invocation: Invocation) => Promise<ReadAnswered | null>;
  /** Nothing is compared with what has this mark any more. */
  readonly forget: (mark: Revision) => void;
  /** Makes what a loop has to pass before each request; `held` is a long-poll. */
  readonly admission: (invocation: Invocation, held: boolean) => LoopAdmission;
  /** What is remembered of the loop. */
  readonly state: DurableState;
  /** Resolves as soon as this engine acts, or the signal aborts. */
  readonly acts: (signal: AbortSignal) => Promise<void>;
}

/** One page's hold on a loop. */
export interface Membership {
  /** Whether the loop ends with it. */
  readonly isLast: boolean;
  setInterval(interval: number): void;
  setInterest(tell: EventInterest): void;
  setHidden(hidden: boolean): void;
  /** Ends the request that is out as far as this page goes; the loop goes on. */
  cut(): void;
  leave(): void;
}

/** One loop and all pages that follow it (invariant 6): it asks once, whoever listens hears of it. */
export class SharedLoop {
  readonly #ports: SharedLoopPorts;
  readonly #now: () => number;
  readonly #invocation: Invocation;
  readonly #isHeld: boolean;
  readonly #ended: () => void;
  readonly #subscribers = new Subscribers();
  readonly #publisher: Publisher;
  readonly #state: DurableState;
  readonly #cursorTracker: CursorTracker;
  readonly #asking: Asking;
  readonly #catchUps: CatchUps;
  readonly #feed: Feed | null;
  readonly #followers: Followers | null;
  readonly #loop: Loop;
  readonly #joins: Joins;

  /** The loop of the first page that asks for it. `ended` is told when nobody follows it any more. */
  constructor(
    declaration: LoopDeclaration,
    system: Pick<System, 'clock' | 'random'>,
    ports: SharedLoopPorts,
    ended: () => void,
  ) {
    const { clock, random } = system;
    const { invocation, pace, cursor = null, wait = null } = declaration;
    this.#ports = ports;
    this.#now = () => clock.now();
    this.#invocation = invocation;
    this.#isHeld = traitsOf(pace).isHeld;
    this.#ended = ended;
    this.#state = ports.state;
    this.#cursorTracker = new CursorTracker(invocation, cursor, wait, this.#state);
    this.#publisher = new Publisher({
      ...ports,
      url: ports.urlOf(invocation),
      isFeed: this.#cursorTracker.isFeed,
      askedAt: () => (this.#isHeld ? null : this.#loop.lastAskedAt) ?? this.#now(),
      nextIn: () => this.#loop.nextIn,
      now: this.#now,
    });
    const [telling, subscribers, isHeld] = [this.#publisher, this.#subscribers, this.#isHeld];
    const { reading } = this.#cursorTracker;
    const { invoke, forget } = ports;
    const writeBehind = cursor === null;
    this.#asking = new Asking({
      invoke,
      forget,
      publisher: telling,
      subscribers,
      isHeld,
      reading,
      writeBehind,
    });
    this.#catchUps = this.#catchUpsOf(system);
    this.#feed = this.#cursorTracker.isFeed ? new Feed({ clock, state: this.#state }) : null;
    this.#followers =
      this.#feed && new Followers(this.#feed, { publisher: telling, catchUps: this.#catchUps });
    this.#loop = this.#loopOf(declaration, system);
    this.#joins = new Joins({
      clock,
      random,
      loop: this.#loop,
      state: this.#state,
      subscribers,
      publisher: telling,
      following: this.#followers,
      catchUps: this.#catchUps,
      newest: () => ports.newest(invocation),
      acts: () => actsSoon(ports.acts, clock),
      isHeld,
    });
    void this.#begin();
  }

  /** Has one more page follow the loop: that one is told the newest answer at once. */
  join(page: string, declaration: LoopDeclaration, hidden: boolean): Membership {
    const subscriber = subscriberOf(page, declaration, hidden);
    this.#subscribers.add(subscriber);
    this.#loop.reconsider();
    this.#joins.join(subscriber, declaration);
    return this.#membership(subscriber);
  }

  /** The network is back. Resolves with whether that is stored. */
  wakeUp(): Promise<boolean> {
    const noted = this.#joins.wakeUp();
    this.#catchUps.wakeUp();
    return noted;
  }

  inspect(): LoopInspection {
    return { ...this.#loop.inspect(), pages: this.#subscribers.size };
  }

  #loopOf(declaration: LoopDeclaration, system: Pick<System, 'clock' | 'random'>): Loop {
    return new Loop(declaration, {
      ...system,
      demand: this.#subscribers,
      admission: () => this.#ports.admission(this.#invocation, this.#isHeld),
      ask: (...request) => this.#ask(...request),
      tick: (reply) => this.#tick(reply),
      remember: (progress, dueAt, outcome) => this.#remember(progress, dueAt, outcome),
    });
  }

  #catchUpsOf(system: Pick<System, 'clock' | 'random'>): CatchUps {
    return new CatchUps({
      ...system,
      publisher: this.#publisher,
      invocation: () => this.#cursorTracker.ownCatchUp,
      ask: (...request) => this.#asking.forOne(...request),
      admission: (invocation) => this.#ports.admission(invocation, false),
      loop: () => this.#loop,
    });
  }

  async #begin(): Promise<void> {
    await this.#state.recall();
    await this.#feed?.begin();
    await this.#joins.begin();
  }

  #membership(subscriber: Subscriber): Membership {
    const subscribers = this.#subscribers;
    return {
      get isLast() {
        return subscribers.size === 1;
      },
      setInterval: (interval) => {
        subscriber.pace = withInterval(subscriber.pace, interval);
        this.#loop.reconsider();
      },
      setInterest: (tell) => this.#setInterest(subscriber, tell),
      setHidden: (hidden) => {
        subscriber.hidden = hidden;
        this.#loop.reconsider();
        if (!hidden && subscriber.withheld !== 'nothing') this.#joins.catchUp(subscriber);
      },
      cut: () => this.#cut(subscriber),
      leave: () => this.#remove(subscriber),
    };
  }

  #setInterest(subscriber: Subscriber, tell: EventInterest): void {
    subscriber.interest = tell;
    // It has said so for it is to hear the next answer, whatever that is.
    subscriber.fresh = null;
    if (subscriber.lacksBody && tell.body !== false) this.#joins.catchUp(subscriber);
  }

  #remove(subscriber: Subscriber): void {
    this.#subscribers.remove(subscriber);
    this.#followers?.leave(subscriber);
    this.#catchUps.leave(subscriber);
    if (this.#subscribers.size > 0) return this.#loop.reconsider();
    this.#loop.stop();
    this.#asking.end();
    this.#ended();
  }

  /** A request that others wait for goes on, but its answer is not told to the page that has given it up. */
  #cut(subscriber: Subscriber): void {
    if (!this.#loop.isAsking || subscriber.abstains) return;
    if (this.#subscribers.size === 1) return this.#loop.cut();
    subscriber.abstains = true;
    const message = `'${this.#invocation.action}' was aborted`;
    this.#publisher.tick(subscriber, unanswered({ code: 'aborted', message }));
  }

  #ask(signal: AbortSignal, sends: () => void): Promise<Reply> {
    for (const subscriber of this.#subscribers) {
      subscriber.abstains = false;
      this.#publisher.started(subscriber);
    }
    return this.#cursorTracker.ask({
      now: this.#now,
      invoke: (...request) => {
        sends();
        return this.#asking.forAll(signal, ...request);
      },
      signal,
      reset: (failure) => this.#reset(failure),
      renewed: () => this.#feed?.renew(),
      acknowledged: () => this.#feed?.acknowledgedByAll ?? 0,
    });
  }

  #tick(reply: Reply): void {
    const { outcome, advanced, isCatchUp, entry } = reply;
    this.#joins.told(reply, !isHadElsewhere(reply, this.#feed !== null));
    // What is in the log goes to each page in its turn.
    if (this.#feed && entry !== null) return this.#feed.add({ offset: entry, outcome: parsed(outcome) });
    if (!isCatchUp) this.#publisher.note(outcome);
    for (const subscriber of this.#subscribers) {
      // What stands for all that was missed is told to those as well who have given up a request.
      if (subscriber.abstains && !isCatchUp) continue;
      if (isCatchUp) this.#publisher.catchUp(subscriber, outcome);
      else this.#publisher.tick(subscriber, outcome);
      if (isState(reply, this.#feed !== null)) this.#catchUps.end(subscriber);
    }
    // They know where they are in the new log once they have the state that it follows.
    if (isCatchUp && advanced) this.#feed?.catchUp();
    this.#joins.keep(reply);
  }

  /** Each failure is stored, and their end with the first answer. To be aborted says nothing of the server. */
  async #remember({ failures }: LoopProgress, dueAt: number, outcome: Outcome<unknown>): Promise<void> {
    if (isAborted(outcome)) return;
    if (failures === 0) this.#joins.recover();
    if (failures === 0 && this.#state.record.failures === 0) return;
    const failure = outcome.kind === 'failed' ? withoutBody(outcome.failure) : null;
    await this.#state.note({ failures, notBefore: failures > 0 ? dueAt : 0, failure });
  }

  #reset(failure: Failure): void {
    if (this.#feed) return this.#feed.startAfresh(failure);
    for (const subscriber of this.#subscribers) this.#publisher.reset(subscriber, failure);
  }
}

/** Waits until this engine acts, but not for long: while another does, it does not. */
async function actsSoon(acts: SharedLoopPorts['acts'], clock: Clock): Promise<void> {
  const waiting = new AbortController();
  const end = (): void => waiting.abort();
  await inTime(clock, LONGEST_WAIT, 'Another engine acts', acts(waiting.signal)).catch(end);
}

/** Whether whoever is told this needs no state of its own any more. */
function isState({ outcome, advanced, isCatchUp }: Reply, isOfFeed: boolean): boolean {
  return isOfFeed ? isCatchUp && advanced : isNews(outcome);
}

/** Of an answer that refuses, its body may be anybody's business. */
function withoutBody(failure: Failure): Failure {
  return failure.code === 'http' ? { ...failure, body: null } : failure;
}
