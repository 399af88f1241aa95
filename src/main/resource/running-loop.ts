import type { Failure } from '../../shared/failure.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { isSameRevision, unanswered } from '../../shared/outcome.ts';
import type { Answered, AnswerBody, Outcome, Revision } from '../../shared/outcome.ts';
import type { Unsent } from '../../shared/delivery.ts';
import { traitsOf, withInterval } from '../../shared/pace.ts';
import type { Pace } from '../../shared/pace.ts';
import type { EventInterest } from '../../shared/protocol.ts';
import { AskedRecord } from '../queries/records.ts';
import type { QueryRecord, Reply, Telling } from '../queries/record.ts';
import type { LoopListener, LoopView } from '../session/loop.ts';
import { unreadable } from './body.ts';
import type { InTurn } from './validate.ts';
import type { Ledger } from './ledger.ts';
import type { LoopControl } from './loop.ts';
import type { Link } from './link.ts';
import { assertInterval, isSameInterest, loopQuestion } from './loop-order.ts';
import type { LoopCall, LoopOrder, LoopRequest, Start } from './loop-order.ts';
import { progressNotice, resetNotice, sentNotice, settledNotice, sizeOf, startedNotice } from './notice.ts';
import type { Call, Notice } from './notice.ts';
import { TickUnderWay } from './ledger.ts';
import { validate } from './validate.ts';

export interface LoopEvents {
  readonly ledger: Ledger;
  readonly turns: InTurn;
  readonly notify: (notice: Notice) => void;
  /** Called at the end of each answered tick, before `notify`. Only here are ticks told whose body stayed behind. */
  readonly answered: (reply: Reply) => void;
  /** That loop may now ask at another time. */
  readonly changed: (loop: RunningLoop) => void;
}

export interface LoopOwner {
  isRunning(loop: RunningLoop): boolean;
  stop(loop: RunningLoop): void;
  restart(loop: RunningLoop): void;
  /** Removes a loop that the worker no longer keeps; true where it was running. */
  remove(loop: RunningLoop): boolean;
}

/** The page's stand-in for a body that stayed with the worker. */
const NOTHING: AnswerBody = { kind: 'value', value: null };

/**
 * One loop of a resource: declares it to the session, which keeps the record of it, and makes notices of its events. It
 * may be stopped and declared again.
 */
export class RunningLoop implements LoopControl {
  readonly action: string;
  readonly order: LoopOrder;
  readonly #owner: LoopOwner;
  readonly #events: LoopEvents;
  #link: Link;
  /** A new number as soon as the loop asks something else. */
  #number: number;
  #pace: Pace;
  /** The loop as last declared; null before that. */
  #view: LoopView | null = null;
  /** The question of the last declaration; null before the first. */
  #question: string | null = null;
  /** The revision told last; null where the last notice was a failure, is stale, or is not stored. */
  #fresh: Revision | null = null;
  readonly #ticking: TickUnderWay;
  readonly #record = new AskedRecord();
  /** Counts starts and stops, so that a body read late does not start what was stopped meanwhile. */
  #life = 0;
  /** See `PageIdentity.era`: of the last start. */
  #era = 0;
  /** What each tick asks; null before the first start. */
  #asked: LoopCall | null = null;

  constructor(order: LoopOrder, link: Link, owner: LoopOwner, events: LoopEvents) {
    this.action = order.action;
    this.order = order;
    this.#link = link;
    this.#owner = owner;
    this.#events = events;
    this.#ticking = new TickUnderWay(events.ledger, () => this.#link.nextId());
    this.#number = link.nextId();
    this.#pace = order.pace;
  }

  get era(): number {
    return this.#era;
  }

  get interval(): number | null {
    return traitsOf(this.#pace).interval;
  }

  /** The record of what it asks; null where it asks nothing. */
  get record(): QueryRecord | null {
    return this.#record.record;
  }

  /** True where nobody need ask beside it after a write: a poll asks at once, and what a feed has comes by its loop alone. */
  get keepsUp(): boolean {
    return this.interval !== null || this.#isFeed;
  }

  /** When it asks next; null where it is not declared. */
  get dueAt(): number | null {
    return this.#view?.dueAt ?? null;
  }

  /** Declares the loop, in place of `replaced`. Making its request may throw; then nothing has changed. */
  declare(link: Link, start: Start, replaced?: RunningLoop): void {
    const request = this.order.prepare(link);
    this.#life += 1;
    this.#era = link.session.signing.identity.era;
    this.#asked = request.call;
    if (this.#link !== link) this.#link.session.stop(this.#number);
    this.#link = link;
    const isOfLink = !!replaced && replaced.#link === link;
    const how = isOfLink ? { ...start, replaces: replaced.#number } : start;
    const { encoded, finish } = request.prepared;
    if (encoded instanceof Promise) void this.#sendLater(request, how);
    else this.#send(finish(encoded), request, how);
  }

  stop(): void {
    this.#owner.stop(this);
  }

  restart(): void {
    this.#owner.restart(this);
  }

  /** Drops answers that are still on their way. Where the loop ran, ends it and the tick under way. */
  end(ran: boolean): void {
    this.#life += 1;
    if (!ran) return;
    this.#ticking.abandon();
    this.#record.ask(null);
    this.#leave();
    this.#events.changed(this);
  }

  /** Ends the loop with that failure, whatever is on its way. */
  fail(failure: Failure): void {
    this.#life += 1;
    const call = this.#ticking.take() ?? (this.#asked && this.#ticking.another(this.#asked));
    this.#owner.remove(this);
    this.#leave();
    if (call) this.#tell(settledNotice(call, unanswered(failure)), null, 0);
    this.#events.changed(this);
  }

  cut(): void {
    this.#link.session.cut(this.#number);
  }

  setInterval(interval: number): void {
    assertInterval(this.action, interval);
    this.#pace = withInterval(this.#pace, interval);
    this.#link.session.setInterval(this.#number, interval);
    this.#events.changed(this);
  }

  /** The page's listeners may have changed; `isMore` is true where one has come. */
  updateInterest(isMore: boolean): void {
    const { interest, isQuiet } = this.order;
    const before = this.#view?.declaration.interest;
    const now = interest();
    if (before && (!isSameInterest(now, before) || (isMore && isQuiet))) this.#setInterest(now);
  }

  /** Makes the loop tell its next answer even if nothing changed. */
  tellNext(): void {
    if (this.#view) this.#setInterest(this.#view.declaration.interest);
  }

  #setInterest(interest: EventInterest): void {
    this.#fresh = null;
    this.#link.session.setInterest(this.#number, interest);
  }

  async #sendLater(request: LoopRequest, start: Start): Promise<void> {
    const life = this.#life;
    const { prepared, call } = request;
    const encoded = await Promise.resolve(prepared.encoded).catch((error: unknown) =>
      unreadable(call.action, error),
    );
    if (this.#life !== life) return;
    if ('code' in encoded) this.#tick(this.#ticking.current(call), null, unanswered(encoded), true);
    else this.#send(prepared.finish(encoded), request, start);
    this.#events.changed(this);
  }

  #send(invocation: Invocation, request: LoopRequest, start: Start): void {
    const { following = {} } = request;
    this.#ticking.abandon();
    this.#record.ask(this.#link.records.of(invocation));
    const question = loopQuestion(this.#pace, invocation, following);
    if (this.#question !== null && this.#question !== question) this.#renumber();
    this.#question = question;
    this.#fresh = null;
    const interest = this.order.interest();
    this.#view = this.#link.session.declare(
      { loop: this.#number, pace: this.#pace, invocation, interest, ...start, ...following },
      this.#listener(invocation, request),
    );
  }

  #listener(invocation: Invocation, { call, following, catchUp }: LoopRequest): LoopListener {
    const { notify, turns } = this.#events;
    return {
      ticking: () => notify(startedNotice(this.#ticking.current(call))),
      sent: (status, headers) => notify(sentNotice(this.#ticking.current(call), status, headers)),
      progress: (progress) => notify(progressNotice(this.#ticking.current(call), progress)),
      tick: (outcome, ended, isCatchUp) => {
        if (!isCatchUp) return this.#tick(this.#ticking.current(call), invocation, outcome, ended);
        const asked = following?.cursor?.catchUp ?? invocation;
        return this.#tick(this.#ticking.another(catchUp ?? call), asked, outcome, ended);
      },
      unsent: (answered, ended) => this.#tickUnsent(call, invocation, answered, ended),
      reset: (failure) => {
        const notice = resetNotice({ ...call, id: this.#link.nextId() }, failure);
        turns.tell(call, notice, notify);
      },
    };
  }

  /** The loop now asks something else: answers heard before, or still on their way, no longer count. */
  #renumber(): void {
    if (this.#owner.isRunning(this)) this.#leave();
    this.#number = this.#link.nextId();
  }

  #leave(): void {
    this.#events.ledger.closeLoop(this.#number);
    this.#link.session.stop(this.#number);
  }

  #tick(call: Call, invocation: Invocation | null, outcome: Outcome, ended: boolean): void {
    const { turns } = this.#events;
    const life = this.#life;
    const number = this.#number;
    this.#ticking.end(call);
    if (ended) this.#finish();
    const received = settledNotice(call, outcome);
    const size = sizeOf(outcome);
    turns.tell(call, validate(received, call.schema, call.timeout), (notice) => {
      // An answer of a feed counts even if the loop was restarted meanwhile: the answer does not come again.
      const isOfFeed = this.#isFeed && this.#number === number && this.#owner.isRunning(this);
      if (this.#life !== life && !isOfFeed) return this.#ticking.drop(call);
      const brought = { notice, received: received.response, size, isWhole: true };
      // Nothing was sent where the body could not be read.
      return this.#tell(notice, invocation && this.#replyOf(call, { ...brought, invocation }), size);
    });
    this.#events.changed(this);
  }

  /** A listener that has heard of this tick could ask for its result; that ends here. */
  #tickUnsent(
    call: LoopCall,
    invocation: Invocation,
    { answer, ...answered }: Answered<Unsent>,
    ended: boolean,
  ): void {
    const life = this.#life;
    this.#ticking.abandon();
    if (ended) this.#finish();
    const outcome = { ...answered, answer: { ...answer, body: NOTHING } };
    const notice = settledNotice({ ...call, id: this.#link.nextId() }, outcome);
    this.#events.turns.tell(call, notice, (told) => {
      if (this.#life !== life) return;
      const reply = { notice: told, received: null, size: 0, invocation, isWhole: false };
      this.#events.answered(this.#replyOf(call, reply));
    });
    this.#events.changed(this);
  }

  #tell(validated: Notice, reply: Reply | null, size: number): void {
    const { ledger, answered, notify } = this.#events;
    const notice = reply?.notice ?? validated;
    ledger.settleTick(this.#number, notice, size);
    if (reply) answered(reply);
    if (!this.#isNothingNew(notice)) notify(notice);
    this.#fresh = freshRevision(notice);
  }

  #replyOf({ asked, declared }: LoopCall, telling: Omit<Telling, 'asked' | 'declared' | 'isCall'>): Reply {
    this.#record.answered();
    const record = this.#link.records.of(telling.invocation);
    return record.take({ ...telling, asked, declared, isCall: false });
  }

  /** The worker no longer keeps the loop. */
  #finish(): void {
    this.#owner.remove(this);
    this.#record.ask(null);
  }

  #isNothingNew(notice: Notice): boolean {
    const revision = freshRevision(notice);
    const fresh = this.#fresh;
    return this.order.isQuiet && !this.#isFeed && !!fresh && !!revision && isSameRevision(fresh, revision);
  }

  get #isFeed(): boolean {
    return this.#view?.declaration.cursor?.kind === 'feed';
  }
}

function freshRevision({ type, stale, revision }: Notice): Revision | null {
  return type === 'success' && !stale ? revision : null;
}
