import type { Invocation } from '../../shared/invocation.ts';
import { LIMITS } from '../../shared/limits.ts';
import { isSameRevision, unanswered } from '../../shared/outcome.ts';
import type { Answered, AnswerBody, Outcome, Revision } from '../../shared/outcome.ts';
import type { Unsent } from '../../shared/delivery.ts';
import type { LoopDeclaration, Pace, EventInterest } from '../../shared/protocol.ts';
import { unreadable } from './body.ts';
import type { InTurn } from './in-turn.ts';
import type { Ledger } from './ledger.ts';
import type { Link } from './link.ts';
import { Loop } from './loop.ts';
import { loopQuestion } from './loop-question.ts';
import { progressNotice, resetNotice, sentNotice, settledNotice, sizeOf, startedNotice } from './notice.ts';
import type { Call, Notice } from './notice.ts';
import type { Reply } from './followers.ts';
import type { Prepared } from './prepare.ts';
import type { Seen } from './seen.ts';
import { validate } from './validate.ts';

/** A loop as it was asked for. */
export interface LoopOrder {
  readonly action: string;
  /** The loop that the same action with the same parameters replaces. */
  readonly key: string;
  readonly pace: Pace;
  /** Makes the request afresh, as at the start and at every restart. */
  readonly prepare: (link: Link) => LoopRequest;
  readonly interest: () => EventInterest;
  /** Whether what has not changed makes no event. */
  readonly isQuiet: boolean;
}

/** A loop's request, and how it keeps its place. */
export interface LoopRequest {
  readonly prepared: Prepared;
  readonly call: LoopCall;
  readonly place?: LoopPlace;
  /** What its request to catch up is called with. */
  readonly catchUp?: LoopCall | null;
}

export type LoopPlace = Pick<LoopDeclaration, 'cursor' | 'wait' | 'spread'>;

/** What the loops of a resource are made with. */
export interface ResourceLoopsPorts {
  /** Looked up at every start and restart alone: a loop stays with the connection that it was declared on. */
  readonly link: () => Link;
  readonly ledger: Ledger;
  readonly turns: InTurn;
  readonly seen: Seen;
  readonly notify: (notice: Notice) => void;
  /** Hears the end of each tick that was answered, before `notify`; only here those whose body stayed with the worker. */
  readonly answered: (reply: Reply) => void;
  /** When a loop asks next may have changed. */
  readonly changed: () => void;
}

/** The loops of one resource. They run in the worker; here they are declared, and their ticks become notices. */
export class ResourceLoops {
  readonly #ports: ResourceLoopsPorts;
  readonly #running = new Map<number, Running>();
  /** What `stopAction` has ended, by key. */
  readonly #stopped = new Map<string, Running>();

  constructor(ports: ResourceLoopsPorts) {
    this.#ports = ports;
  }

  /** Starts a loop, `firstIn` milliseconds before its first request. */
  start(order: LoopOrder, firstIn: number): Loop {
    const link = this.#ports.link();
    const number = link.nextId();
    const { pace } = order;
    const running = {
      order,
      link,
      number,
      question: null,
      pace,
      isFeed: false,
      fresh: null,
      interest: null,
      call: null,
      life: 0,
    };
    this.#run(running, link, { firstIn, restart: false });
    const interval = order.pace.kind === 'poll' ? order.pace.interval : null;
    return new Loop(order.action, interval, {
      stop: () => this.#stop(running),
      restart: () => this.#run(running, this.#ports.link(), RESTART),
      pace: (milliseconds) => this.#setInterval(running, milliseconds),
    });
  }

  /** Ends the requests that loops have out: of one action, or all. */
  cut(action: string): void {
    for (const running of this.#running.values()) {
      if (running.order.action === action) running.link.session.cut(running.number);
    }
  }

  /** When a loop of the action asks next, the soonest of them; null where none is declared. */
  nextPollAt(action: string): number | null {
    const loops = [...this.#running.values()].filter(({ order }) => order.action === action);
    const times = loops.map(({ link, number }) => link.session.dueAt(number)).filter((time) => time !== null);
    return times.length > 0 ? Math.min(...times) : null;
  }

  stopAll(): void {
    for (const running of this.#running.values()) this.#stop(running);
    this.#stopped.clear();
  }

  /** Ends the loops of an action, until `restartAction`. */
  stopAction(action: string): void {
    for (const running of [...this.#running.values()].filter(({ order }) => order.action === action)) {
      this.#stop(running);
      this.#stopped.set(running.order.key, running);
    }
  }

  /** Has the loops of an action ask at once and go on from there, those that `stopAction` has ended included. */
  restartAction(action: string): void {
    const loops = [...this.#running.values(), ...this.#stopped.values()];
    for (const running of loops.filter(({ order }) => order.action === action)) {
      this.#run(running, this.#ports.link(), RESTART);
    }
  }

  /**
   * What the page listens for may have changed: the worker hears of it where it has. `isMore` where somebody has begun to
   * listen, who hears the next answer of a quiet loop whatever it is.
   */
  retell(isMore = false): void {
    for (const running of this.#running.values()) {
      const tell = running.order.interest();
      if (running.interest === null || (isSame(tell, running.interest) && !(isMore && running.order.isQuiet)))
        continue;
      this.#retell(running, tell);
    }
  }

  /** Has the quiet loops of an action tell the next answer, whatever it is: a call says that not all is well. */
  rehear(action: string): void {
    for (const running of this.#running.values()) {
      const { order, interest } = running;
      if (order.action === action && order.isQuiet && interest !== null) this.#retell(running, interest);
    }
  }

  #retell(running: Running, tell: EventInterest): void {
    running.interest = tell;
    running.fresh = null;
    running.link.session.setInterest(running.number, tell);
  }

  /** Runs a loop in the place of the one that asks for the same. */
  #run(running: Running, link: Link, start: Start): void {
    const { key } = running.order;
    const replaced = [...this.#running.values()].find((each) => each !== running && each.order.key === key);
    const isOfLink = replaced?.link === link;
    this.#declare(running, link, isOfLink ? { ...start, replaces: replaced.number } : start);
    this.#stopped.delete(key);
    this.#running.set(running.number, running);
    if (replaced) this.#stop(replaced);
    this.#ports.changed();
  }

  #stop(running: Running): void {
    running.life += 1;
    if (this.#stopped.get(running.order.key) === running) this.#stopped.delete(running.order.key);
    if (!this.#running.delete(running.number)) return;
    this.#abandon(running);
    this.#ports.ledger.closeLoop(running.number);
    running.link.session.stop(running.number);
    this.#ports.changed();
  }

  #setInterval(running: Running, interval: number): void {
    assertInterval(running.order.action, interval);
    if (running.pace.kind === 'poll') running.pace = { ...running.pace, interval };
    running.link.session.setInterval(running.number, interval);
    this.#ports.changed();
  }

  #declare(running: Running, link: Link, start: Start): void {
    const request = running.order.prepare(link);
    const { encoded, finish } = request.prepared;
    running.life += 1;
    if (running.link !== link) running.link.session.stop(running.number);
    running.link = link;
    if (encoded instanceof Promise) void this.#declareLater(running, request, start);
    else this.#send(running, finish(encoded), request, start);
  }

  async #declareLater(running: Running, request: LoopRequest, start: Start): Promise<void> {
    const { life, order } = running;
    const { prepared, call } = request;
    const encoded = await Promise.resolve(prepared.encoded).catch((error: unknown) =>
      unreadable(order.action, error),
    );
    if (running.life !== life) return;
    if ('code' in encoded) this.#tick(running, this.#current(running, call), null, unanswered(encoded), true);
    else this.#send(running, prepared.finish(encoded), request, start);
    this.#ports.changed();
  }

  #send(running: Running, invocation: Invocation, { call, place, catchUp }: LoopRequest, start: Start): void {
    const { order, pace } = running;
    const { notify } = this.#ports;
    this.#abandon(running);
    const question = loopQuestion(pace, invocation, place ?? {});
    if (running.question !== null && running.question !== question) this.#renumber(running);
    running.question = question;
    const { link, number } = running;
    const interest = order.interest();
    running.interest = interest;
    running.isFeed = place?.cursor?.kind === 'feed';
    running.fresh = null;
    link.session.declare(
      { loop: number, pace, invocation, interest, ...start, ...place },
      {
        ticking: () => notify(startedNotice(this.#current(running, call))),
        sent: (status, headers) => notify(sentNotice(this.#current(running, call), status, headers)),
        progress: (progress) => notify(progressNotice(this.#current(running, call), progress)),
        tick: (outcome, ended, isCatchUp) =>
          this.#tick(
            running,
            isCatchUp ? this.#new(running, catchUp ?? call) : this.#current(running, call),
            (isCatchUp ? place?.cursor?.catchUp : null) ?? invocation,
            outcome,
            ended,
          ),
        unsent: (answered, ended) => this.#tickUnsent(running, call, invocation, answered, ended),
        reset: (failure) => {
          const notice = resetNotice({ ...call, id: running.link.nextId() }, failure);
          this.#ports.turns.tell(call.action, notice, notify);
        },
      },
    );
  }

  /** It asks something else than before: what it has heard, and what is still on its way to it, does not count. */
  #renumber(running: Running): void {
    const { link, number } = running;
    running.number = link.nextId();
    if (!this.#running.delete(number)) return;
    this.#running.set(running.number, running);
    this.#ports.ledger.closeLoop(number);
    link.session.stop(number);
  }

  /** Whoever has heard of this tick on its way, and so could ask for its result, hears of it no more. */
  #tickUnsent(
    running: Running,
    call: LoopCall,
    invocation: Invocation,
    { answer, ...answered }: Answered<Unsent>,
    ended: boolean,
  ): void {
    const { life } = running;
    this.#abandon(running);
    if (ended) this.#running.delete(running.number);
    const outcome = { ...answered, answer: { ...answer, body: NOTHING } };
    const notice = settledNotice({ ...call, id: running.link.nextId() }, outcome);
    this.#ports.turns.tell(call.action, notice, (told) => {
      if (running.life !== life) return;
      this.#ports.answered({ notice: told, invocation, isWhole: false, isCall: false });
    });
    this.#ports.changed();
  }

  #tick(running: Running, call: Call, invocation: Invocation | null, outcome: Outcome, ended: boolean): void {
    const { life, number } = running;
    // What a feed has told once it does not tell again, though the loop is restarted meanwhile.
    const isStillHeard = (): boolean =>
      running.life === life || (running.isFeed && this.#running.get(number) === running);
    if (running.call === call) running.call = null;
    if (ended) this.#running.delete(running.number);
    const notice = validate(settledNotice(call, outcome), call.schema, call.timeout);
    this.#ports.turns.tell(call.action, notice, (judged) => {
      if (isStillHeard())
        this.#tell(running, this.#ports.seen.judge(judged, call.schema), invocation, sizeOf(outcome));
      else this.#ports.ledger.settle(stoppedNotice(call), 0);
    });
    this.#ports.changed();
  }

  #tell(running: Running, notice: Notice, invocation: Invocation | null, size: number): void {
    this.#ports.ledger.settleTick(running.number, notice, size);
    if (invocation) this.#ports.answered({ notice, invocation, isWhole: true, isCall: false });
    if (!isNothingNew(running, notice)) this.#ports.notify(notice);
    running.fresh = freshRevision(notice);
  }

  /** The tick that is under way; it gets its id with the first that is heard of it. */
  #current(running: Running, call: LoopCall): Call {
    if (running.call) return running.call;
    running.call = this.#new(running, call);
    return running.call;
  }

  #new(running: Running, call: LoopCall): Call {
    const id = running.link.nextId();
    this.#ports.ledger.open(id);
    return { ...call, id };
  }

  /** Ends the tick that something was heard of: whoever asked for its result must not wait for ever. */
  #abandon(running: Running): void {
    if (!running.call) return;
    this.#ports.ledger.settle(stoppedNotice(running.call), 0);
    running.call = null;
  }
}

/** When a loop asks first, and whether it does so though a loop of another page asks for the same. */
type Start = Pick<LoopDeclaration, 'firstIn' | 'restart' | 'replaces'>;

/** What the page has of a body that stayed with the worker. */
const NOTHING: AnswerBody = { kind: 'value', value: null };

const RESTART: Start = { firstIn: 0, restart: true };

/** What all ticks of a loop are called with; each has an id of its own. */
type LoopCall = Omit<Call, 'id'>;

interface Running {
  readonly order: LoopOrder;
  /** What it was declared on last. */
  link: Link;
  /** Another as soon as it asks something else. */
  number: number;
  /** The question of its last declaration; null before the first. */
  question: string | null;
  pace: Pace;
  /** Whether every answer counts, as the worker was told last. */
  isFeed: boolean;
  /** The revision that was told last; null where that was a failure, is stale, or is not stored. */
  fresh: Revision | null;
  /** What the worker was told that the page listens for; null before it was told anything. */
  interest: EventInterest | null;
  /** The tick that is under way, once anything is heard of it. */
  call: Call | null;
  /** Counts starts and stops, so that a body read late does not start what was stopped meanwhile. */
  life: number;
}

function isNothingNew({ order, isFeed, fresh }: Running, notice: Notice): boolean {
  const revision = freshRevision(notice);
  return order.isQuiet && !isFeed && !!fresh && !!revision && isSameRevision(fresh, revision);
}

function freshRevision({ type, stale, revision }: Notice): Revision | null {
  return type === 'success' && !stale ? revision : null;
}

function stoppedNotice(call: Call): Notice {
  return settledNotice(call, unanswered({ code: 'aborted', message: `'${call.action}' was stopped` }));
}

function isSame(one: EventInterest, other: EventInterest): boolean {
  return (
    one.started === other.started &&
    one.sent === other.sent &&
    one.progress === other.progress &&
    one.body === other.body
  );
}

/** @throws RangeError where a poll would ask too often. */
export function assertInterval(action: string, interval: number): void {
  if (Number.isFinite(interval) && interval >= LIMITS.pollInterval) return;
  throw new RangeError(`Interval of '${action}' must be at least ${LIMITS.pollInterval} ms, got ${interval}`);
}
