import type { LoopInspection } from '../../shared/inspection.ts';
import type { Failure } from '../../shared/failure.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { isAborted, unanswered } from '../../shared/outcome.ts';
import type { Outcome, Revision } from '../../shared/outcome.ts';
import type { LoopDeclaration, Tell } from '../../shared/protocol.ts';
import { parsed } from '../read-body.ts';
import type { ReadAnswered, ReadOutcome } from '../read-body.ts';
import type { System } from '../system.ts';
import { Arrivals } from './arrivals.ts';
import { Asking } from './asking.ts';
import type { LoopRequest } from './asking.ts';
import { CatchUps } from './catch-ups.ts';
import { Course } from './course.ts';
import { Feed } from './feed.ts';
import { Following } from './following.ts';
import { Loop } from './loop.ts';
import type { LoopTurnstile } from './loop.ts';
import type { Memory } from './memory.ts';
import { isHadElsewhere } from './newest.ts';
import type { Progress } from './plan.ts';
import { isNews } from './reply.ts';
import type { Reply } from './reply.ts';
import { Subscribers, subscriberOf } from './subscribers.ts';
import type { Subscriber } from './subscribers.ts';
import { Telling } from './telling.ts';
import type { TellingLine } from './telling.ts';

/** How loops ask and whom they tell. `page` names one session of one page. */
export interface SharedLoopPorts extends TellingLine {
  readonly invoke: (request: LoopRequest) => Promise<ReadOutcome>;
  /** What an invocation asks; null where it may not be asked. */
  readonly urlOf: (invocation: Invocation) => string | null;
  /** The newest answer that is stored; null where there is none. Never rejects. */
  readonly newest: (invocation: Invocation) => Promise<ReadAnswered | null>;
  /** Nothing is compared with what has this mark any more. */
  readonly forget: (mark: Revision) => void;
  /** Makes what a loop has to pass before each request; `held` is a long-poll. */
  readonly turnstile: (invocation: Invocation, held: boolean) => LoopTurnstile;
  /** What is remembered of the loop. */
  readonly memory: Memory;
}

/** One page's hold on a loop. */
export interface Membership {
  /** Whether the loop ends with it. */
  readonly isLast: boolean;
  setInterval(interval: number): void;
  setTell(tell: Tell): void;
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
  readonly #telling: Telling;
  readonly #memory: Memory;
  readonly #course: Course;
  readonly #asking: Asking;
  readonly #catchUps: CatchUps;
  readonly #feed: Feed | null;
  readonly #following: Following | null;
  readonly #loop: Loop;
  readonly #arrivals: Arrivals;

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
    this.#isHeld = pace.kind === 'long-poll';
    this.#ended = ended;
    this.#memory = ports.memory;
    this.#course = new Course(invocation, cursor, wait, this.#memory);
    this.#telling = new Telling({
      ...ports,
      url: ports.urlOf(invocation),
      isFeed: this.#course.isFeed,
      askedAt: () => (this.#isHeld ? null : this.#loop.lastAskedAt) ?? this.#now(),
      nextIn: () => this.#loop.nextIn,
      now: this.#now,
    });
    const [telling, subscribers, isHeld] = [this.#telling, this.#subscribers, this.#isHeld];
    const { reading } = this.#course;
    const { invoke, forget } = ports;
    const ahead = cursor === null;
    this.#asking = new Asking({ invoke, forget, telling, subscribers, isHeld, reading, ahead });
    this.#catchUps = this.#catchUpsOf(system);
    this.#feed = this.#course.isFeed ? new Feed({ clock, memory: this.#memory }) : null;
    this.#following = this.#feed && new Following(this.#feed, { telling, catchUps: this.#catchUps });
    this.#loop = this.#loopOf(declaration, system);
    this.#arrivals = new Arrivals({
      clock,
      random,
      loop: this.#loop,
      memory: this.#memory,
      subscribers,
      telling,
      following: this.#following,
      catchUps: this.#catchUps,
      newest: () => ports.newest(invocation),
      isHeld,
    });
    void this.#begin();
  }

  /** Has one more page follow the loop: that one is told the newest answer at once. */
  join(page: string, declaration: LoopDeclaration, hidden: boolean): Membership {
    const subscriber = subscriberOf(page, declaration, hidden);
    this.#subscribers.add(subscriber);
    this.#loop.reconsider();
    this.#arrivals.join(subscriber, declaration);
    return this.#membership(subscriber);
  }

  /** The network is back. Resolves once that is stored. */
  wakeUp(): Promise<void> {
    const noted = this.#arrivals.wakeUp();
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
      turnstile: () => this.#ports.turnstile(this.#invocation, this.#isHeld),
      ask: (...request) => this.#ask(...request),
      tick: (reply) => this.#tick(reply),
      remember: (progress, dueAt, outcome) => this.#remember(progress, dueAt, outcome),
    });
  }

  #catchUpsOf(system: Pick<System, 'clock' | 'random'>): CatchUps {
    return new CatchUps({
      ...system,
      telling: this.#telling,
      invocation: () => this.#course.ownCatchUp,
      ask: (...request) => this.#asking.forOne(...request),
      turnstile: (invocation) => this.#ports.turnstile(invocation, false),
      loop: () => this.#loop,
    });
  }

  async #begin(): Promise<void> {
    await this.#memory.recall();
    await this.#feed?.begin();
    await this.#arrivals.begin();
  }

  #membership(subscriber: Subscriber): Membership {
    const subscribers = this.#subscribers;
    return {
      get isLast() {
        return subscribers.size === 1;
      },
      setInterval: (interval) => {
        if (subscriber.pace.kind === 'poll') subscriber.pace = { ...subscriber.pace, interval };
        this.#loop.reconsider();
      },
      setTell: (tell) => this.#setTell(subscriber, tell),
      setHidden: (hidden) => {
        subscriber.hidden = hidden;
        this.#loop.reconsider();
        if (!hidden && subscriber.missed !== 'nothing') this.#arrivals.catchUp(subscriber);
      },
      cut: () => this.#cut(subscriber),
      leave: () => this.#remove(subscriber),
    };
  }

  #setTell(subscriber: Subscriber, tell: Tell): void {
    subscriber.tell = tell;
    // It has said so for it is to hear the next answer, whatever that is.
    subscriber.fresh = null;
    if (subscriber.lacksBody && tell.body !== false) this.#arrivals.catchUp(subscriber);
  }

  #remove(subscriber: Subscriber): void {
    this.#subscribers.remove(subscriber);
    this.#following?.leave(subscriber);
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
    this.#telling.tick(subscriber, unanswered({ code: 'aborted', message }));
  }

  #ask(signal: AbortSignal, sends: () => void): Promise<Reply> {
    for (const subscriber of this.#subscribers) {
      subscriber.abstains = false;
      this.#telling.started(subscriber);
    }
    return this.#course.ask({
      now: this.#now,
      invoke: (...request) => {
        sends();
        return this.#asking.forAll(signal, ...request);
      },
      signal,
      reset: (failure) => this.#reset(failure),
      renewed: () => this.#feed?.renew(),
      taken: () => this.#feed?.takenByAll ?? 0,
    });
  }

  #tick(reply: Reply): void {
    const { outcome, advanced, isCatchUp, entry } = reply;
    this.#arrivals.told(reply, !isHadElsewhere(reply, this.#feed !== null));
    // What is in the log goes to each page in its turn.
    if (this.#feed && entry !== null) return this.#feed.add({ n: entry, outcome: parsed(outcome) });
    if (!isCatchUp) this.#telling.note(outcome);
    for (const subscriber of this.#subscribers) {
      // What stands for all that was missed is told to those as well who have given up a request.
      if (subscriber.abstains && !isCatchUp) continue;
      if (isCatchUp) this.#telling.catchUp(subscriber, outcome);
      else this.#telling.tick(subscriber, outcome);
      if (isState(reply, this.#feed !== null)) this.#catchUps.end(subscriber);
    }
    // They know where they are in the new log once they have the state that it follows.
    if (isCatchUp && advanced) this.#feed?.catchUp();
    this.#arrivals.keep(reply);
  }

  /** Each failure is stored, and their end with the first answer. To be aborted says nothing of the server. */
  async #remember({ failures }: Progress, dueAt: number, outcome: Outcome<unknown>): Promise<void> {
    if (isAborted(outcome)) return;
    if (failures === 0) this.#arrivals.recover();
    if (failures === 0 && this.#memory.record.failures === 0) return;
    const failure = outcome.kind === 'failed' ? withoutBody(outcome.failure) : null;
    await this.#memory.note({ failures, notBefore: failures > 0 ? dueAt : 0, failure });
  }

  #reset(failure: Failure): void {
    if (this.#feed) return this.#feed.startAfresh(failure);
    for (const subscriber of this.#subscribers) this.#telling.reset(subscriber, failure);
  }
}

/** Whether whoever is told this needs no state of its own any more. */
function isState({ outcome, advanced, isCatchUp }: Reply, isOfFeed: boolean): boolean {
  return isOfFeed ? isCatchUp && advanced : isNews(outcome);
}

/** Of an answer that refuses, its body may be anybody's business. */
function withoutBody(failure: Failure): Failure {
  return failure.code === 'http' ? { ...failure, body: null } : failure;
}
