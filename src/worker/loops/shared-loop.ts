import type { LoopInspection } from '../../shared/inspection.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { traitsOf, withInterval } from '../../shared/pace.ts';
import { isAborted, unanswered } from '../../shared/outcome.ts';
import type { Outcome, Revision } from '../../shared/outcome.ts';
import type { LoopDeclaration, EventInterest } from '../../shared/protocol.ts';
import type { TickRequest } from '../contracts/engine-request.ts';
import type { ReadAnswered, ReadOutcome } from '../contracts/read-body.ts';
import { inTime } from '../platform/waiting.ts';
import type { Clock, System } from '../platform/system.ts';
import { Joins } from './joins.ts';
import { Asking } from './asking.ts';
import { CatchUps } from './catch-ups.ts';
import { CursorTracker } from './cursor-tracker.ts';
import { Feed } from '../feeds/feed.ts';
import { EVERY_ANSWER, FeedAudience } from '../feeds/feed-audience.ts';
import { Loop } from '../scheduling/loop.ts';
import type { LoopAdmission } from '../scheduling/loop.ts';
import type { DurableState } from '../scheduling/durable-state.ts';
import type { LoopProgress } from '../scheduling/plan.ts';
import { Subscribers, subscriberOf, StateAudience } from '../states/state-audience.ts';
import type { Audience, Reply, Subscriber } from '../contracts/audience.ts';
import { storableFailure } from '../contracts/storing.ts';
import { NEWEST_ANSWER } from '../states/delivery-policy.ts';
import type { DeliveryRules } from '../states/delivery-policy.ts';
import { Publisher } from '../states/publisher.ts';
import type { PageDelivery } from '../states/publisher.ts';
import { unreachable } from '../../shared/unreachable.ts';
import type { Cursor } from '../../shared/cursor.ts';

/** Milliseconds that a loop waits for its engine to act before it goes on without. */
const LONGEST_WAIT = 1_000;

/** How loops ask, and how they tell their pages. `page` names one session of one page. */
export interface SharedLoopPorts extends PageDelivery {
  readonly invoke: (request: TickRequest) => Promise<ReadOutcome>;
  /** The URL of an invocation; null where it may not be asked. */
  readonly urlOf: (invocation: Invocation) => string | null;
  /** The newest stored answer; null where there is none. Never rejects. */
  readonly newest: (invocation: Invocation) => Promise<ReadAnswered | null>;
  /** Nothing is compared with this volatile revision any more. */
  readonly forget: (mark: Revision) => void;
  /** Makes what a loop passes before each request. `held` is true for a long-poll. */
  readonly admission: (invocation: Invocation, held: boolean) => LoopAdmission;
  readonly state: DurableState;
  /** Resolves as soon as this engine acts, or the signal aborts. */
  readonly acts: (signal: AbortSignal) => Promise<void>;
}

/** One page's part in a loop. */
export interface Membership {
  /** True where the loop ends when this page leaves. */
  readonly isLast: boolean;
  setInterval(interval: number): void;
  setInterest(tell: EventInterest): void;
  setHidden(hidden: boolean): void;
  /** Ends the request that is out, for this page alone; the loop goes on. */
  cut(): void;
  leave(): void;
}

/** One loop and all pages that follow it (invariant 6): it asks once and tells them all. */
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
  readonly #audience: Audience;
  readonly #loop: Loop;
  readonly #joins: Joins;

  /** `ended` is called when no page follows the loop any more. */
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
    const kind = cursor?.kind ?? 'state';
    this.#publisher = new Publisher({
      ...ports,
      url: ports.urlOf(invocation),
      rules: RULES[kind],
      askedAt: () => (this.#isHeld ? null : this.#loop.lastAskedAt) ?? this.#now(),
      nextIn: () => this.#loop.nextIn,
      now: this.#now,
    });
    this.#asking = this.#askingOf(cursor);
    this.#catchUps = this.#catchUpsOf(system);
    this.#audience = this.#audienceOf(kind, clock);
    this.#loop = this.#loopOf(declaration, system);
    this.#joins = new Joins({
      clock,
      random,
      loop: this.#loop,
      state: this.#state,
      subscribers: this.#subscribers,
      audience: this.#audience,
      acts: () => actsSoon(ports.acts, clock),
      isHeld: this.#isHeld,
    });
    void this.#begin();
  }

  /** One more page follows the loop. It is told the newest answer at once. */
  join(page: string, declaration: LoopDeclaration, hidden: boolean): Membership {
    const subscriber = subscriberOf(page, declaration, hidden);
    this.#subscribers.add(subscriber);
    this.#loop.reconsider();
    this.#joins.join(subscriber, declaration);
    return this.#membership(subscriber);
  }

  wakeUp(): Promise<boolean> {
    const noted = this.#joins.wakeUp();
    this.#catchUps.wakeUp();
    return noted;
  }

  /** What its URL shows has changed. */
  askAgain(isMeant: (url: string) => boolean): void {
    const url = this.#ports.urlOf(this.#invocation);
    if (url !== null && isMeant(url)) this.#loop.askAgain();
  }

  /** What is stored is being cleared away. A wait that a server has asked for is stored again (invariant 12). */
  async clear(cleared: Promise<void>): Promise<void> {
    this.#cursorTracker.forgetStored();
    await cleared;
    if (this.#state.record.failures > 0) await this.#state.note({});
  }

  inspect(): LoopInspection {
    return { ...this.#loop.inspect(), pages: this.#subscribers.size };
  }

  #askingOf(cursor: Cursor | null): Asking {
    const { invoke, forget } = this.#ports;
    return new Asking({
      invoke,
      forget,
      publisher: this.#publisher,
      subscribers: this.#subscribers,
      isHeld: this.#isHeld,
      reading: this.#cursorTracker.reading,
      writeBehind: cursor === null,
    });
  }

  /** Chooses by the loop's kind how its pages are told. */
  #audienceOf(kind: Cursor['kind'], clock: Clock): Audience {
    const parts = { subscribers: this.#subscribers, publisher: this.#publisher, catchUps: this.#catchUps };
    switch (kind) {
      case 'state': {
        const newest = (): Promise<ReadAnswered | null> => this.#ports.newest(this.#invocation);
        return new StateAudience({ ...parts, loop: () => this.#loop, newest, isHeld: this.#isHeld });
      }
      case 'feed':
        return new FeedAudience({ ...parts, feed: new Feed({ clock, state: this.#state }) });
      default:
        return unreachable(kind);
    }
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
    await this.#audience.begin();
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
        if (!hidden && subscriber.withheld !== 'nothing') void this.#audience.catchUp(subscriber, null);
      },
      cut: () => this.#cut(subscriber),
      leave: () => this.#remove(subscriber),
    };
  }

  #setInterest(subscriber: Subscriber, tell: EventInterest): void {
    subscriber.interest = tell;
    // The page is to hear the next answer even if nothing has changed.
    subscriber.fresh = null;
    if (subscriber.lacksBody && tell.body !== false) void this.#audience.catchUp(subscriber, null);
  }

  #remove(subscriber: Subscriber): void {
    this.#subscribers.remove(subscriber);
    this.#audience.leave(subscriber);
    this.#catchUps.leave(subscriber);
    if (this.#subscribers.size > 0) return this.#loop.reconsider();
    this.#loop.stop();
    this.#asking.end();
    this.#ended();
  }

  /** A request that other pages wait for goes on. Its answer is not told to the page that has given it up. */
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
      reset: (failure) => this.#audience.reset(failure),
      renewed: () => this.#audience.renew(),
      acknowledged: () => this.#audience.acknowledged,
    });
  }

  #tick(reply: Reply): void {
    this.#joins.ticked();
    this.#audience.publish(reply);
  }

  /** Stores each failure, and the first answer that ends a row of them. An abort says nothing of the server. */
  async #remember({ failures }: LoopProgress, dueAt: number, outcome: Outcome<unknown>): Promise<void> {
    if (isAborted(outcome)) return;
    if (failures === 0) this.#audience.recover();
    if (failures === 0 && this.#state.record.failures === 0 && !this.#state.isToSave) return;
    const failure = outcome.kind === 'failed' ? storableFailure(outcome.failure) : null;
    const notBefore = failures > 0 ? dueAt : 0;
    await this.#state.note({ failures, notBefore, waitsSince: this.#now(), failure });
  }
}

const RULES: Readonly<Record<Cursor['kind'], DeliveryRules>> = { state: NEWEST_ANSWER, feed: EVERY_ANSWER };

/** Waits for this engine to act, but not for long: while another engine acts, this one does not. */
async function actsSoon(acts: SharedLoopPorts['acts'], clock: Clock): Promise<void> {
  const waiting = new AbortController();
  const end = (): void => waiting.abort();
  await inTime(clock, LONGEST_WAIT, 'Another engine acts', acts(waiting.signal)).catch(end);
}
