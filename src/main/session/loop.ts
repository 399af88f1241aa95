import type { Header } from '../../shared/header.ts';
import type { Failure } from '../../shared/failure.ts';
import type { Answered, Outcome } from '../../shared/outcome.ts';
import type { LogOffset, Progress, Ticked, Unsent } from '../../shared/delivery.ts';
import { traitsOf, withInterval } from '../../shared/pace.ts';
import type { Pace } from '../../shared/pace.ts';
import type { Again, LoopDeclaration, EventInterest } from '../../shared/protocol.ts';
import type { Rows, Copy } from './answers.ts';
import {
  askedAgo,
  dueAfter,
  dueAgain,
  dueOnline,
  duePaced,
  firstDue,
  slowWaitOf,
  waitOf,
  neededIn,
} from './due.ts';
import type { Due } from './due.ts';
import { copyOf, isUnsent, open } from './answers.ts';

/** Hears what happens to a loop. */
export interface LoopListener {
  ticking(): void;
  sent(status: number, headers: readonly Header[]): void;
  progress(progress: Progress): void;
  /** `ended` where the worker does not keep the loop; `isCatchUp` where it is the answer to the request to catch up. */
  tick(outcome: Outcome, ended: boolean, isCatchUp?: boolean): void;
  /** A tick as `tick` tells it, whose body stays with the worker: nobody here has asked for it. */
  unsent(answered: Answered<Unsent>, ended: boolean): void;
  /** The loop has lost its place, and starts afresh. */
  reset(failure: Failure): void;
}

/** A loop as its resource sees it. */
export interface LoopView {
  /** As it was declared last, with what was changed since. */
  readonly declaration: LoopDeclaration;
  /** When it asks next, in milliseconds of the epoch, past while that request is out; null where it does not run. */
  readonly dueAt: number | null;
}

/** The page that a loop is declared for. */
export interface LoopPage {
  /** Milliseconds of the epoch. */
  readonly now: () => number;
  readonly hidden: boolean;
  /** Says a declaration anew to the worker that answers now. */
  readonly declare: (declaration: LoopDeclaration) => void;
  get(loop: number): DeclaredLoop | undefined;
  remove(loop: number): void;
}

/** All that a page knows of one loop that it has declared, so that it can declare it to the next worker instance too. */
export class DeclaredLoop implements LoopView {
  readonly listener: LoopListener;
  /** The rows that have come of the next body. */
  readonly rows: Rows;
  readonly #page: LoopPage;
  #declaration: LoopDeclaration;
  #due: Due;
  /** True once its listener has been told that there is no worker. */
  isTold = false;
  /** The answer that was heard last; null before the first. */
  #heard: Heard | null = null;
  /** In a feed, the last answer before those that are still to be heard; null where no worker has said. */
  #position: LogOffset | null = null;
  /** The position with which it was declared again, since something else came next; null where it was not. */
  #said: LogOffset | null = null;
  /** The body that patches of a state are applied to. */
  #copy: Copy | null = null;
  /** True where the body of the last answer stayed with the worker. */
  #isBehind = false;

  /** `before` is the loop of the same number until it is restarted. */
  constructor(
    declaration: LoopDeclaration,
    listener: LoopListener,
    page: LoopPage,
    rows: Rows,
    before: DeclaredLoop | undefined,
  ) {
    this.#declaration = declaration;
    this.listener = listener;
    this.#page = page;
    this.rows = rows;
    this.#due = firstDue(declaration.firstIn, page.now());
    if (!before) return;
    this.#heard = before.#heard;
    this.#position = before.#position;
    this.#copy = before.#copy;
    this.#isBehind = before.#isBehind;
  }

  get declaration(): LoopDeclaration {
    return this.#declaration;
  }

  get dueAt(): number | null {
    return this.#page.get(this.#declaration.loop) === this ? this.#due.at : null;
  }

  /** The declaration as it goes to the worker first: of a loop that is restarted it says where the page is. */
  get first(): LoopDeclaration {
    const again = this.#again;
    return {
      ...this.#declaration,
      position: this.#position,
      ...(again && { again: { ...again, overdueBy: 0 } }),
    };
  }

  /** The declaration for another worker instance: with what is left of its wait, and with what was heard of it. */
  get next(): LoopDeclaration {
    const now = this.#page.now();
    const heard = this.#again;
    const { askedAt } = this.#due;
    return {
      ...this.#declaration,
      firstIn: this.#firstIn,
      again: heard && { ...heard, overdueBy: overdueBy(this.#declaration.pace, this.#wait) },
      position: this.#position,
      restart: false,
      askedAgo: askedAt === null ? null : askedAgo(askedAt, now),
    };
  }

  /** Milliseconds until the worker is needed for it; 0 where it is all the time, null where it never is. */
  get neededIn(): number | null {
    return neededIn(this.#declaration.pace, this.#page.hidden, this.#wait);
  }

  /** True where the page wants whole answers, and has not got the last. */
  get isLacking(): boolean {
    return this.#isBehind && this.#wantsBody;
  }

  setInterval(interval: number): void {
    const { pace } = this.#declaration;
    if (traitsOf(pace).isHeld) return;
    this.#due = duePaced(this.#due, interval, this.#page.now());
    this.#declaration = { ...this.#declaration, pace: withInterval(pace, interval) };
  }

  setInterest(interest: EventInterest): void {
    this.#declaration = { ...this.#declaration, interest };
  }

  tick({ outcome, entry, isCatchUp = false, ...said }: Omit<Ticked, 'kind' | 'loop'>): void {
    const nextIn = nextFrom(said, this.#page.now());
    if (entry && !this.#isNext(entry, 1)) return;
    if (isUnsent(outcome)) return this.#tickUnsent(outcome, nextIn);
    const opened = open(outcome, this.#copy, this.rows);
    if (opened === null) return this.#askForWhole();
    this.#hear(opened, nextIn);
    if (entry) this.#position = entry;
    else if (opened.kind === 'answered' && !isCatchUp) {
      this.#copy = copyOf(outcome, opened);
      this.#isBehind = false;
    }
    // A state stands for all answers before it: the next one may be of another log.
    else if (opened.kind === 'answered' && !opened.stale) this.#position = null;
    this.listener.tick(opened, nextIn === null, isCatchUp);
  }

  /** The feed goes on after this position. */
  join(position: LogOffset): void {
    if (this.#isNext(position, 0)) this.#position = position;
  }

  /** Its position means nothing any more: the next answer is new to the page, whatever it is. */
  reset(failure: Failure): void {
    this.#position = null;
    this.listener.reset(failure);
  }

  /** A worker instance has answered a greeting, which declared it. */
  welcome(): void {
    this.#due = dueAgain(this.#due);
    this.isTold = false;
  }

  /** The network is back. The worker that hears of it may end before it has asked. */
  online(): void {
    this.#due = dueOnline(this.#due, this.#declaration.pace, this.#page.now());
  }

  /** There is no worker for it. */
  tell(outcome: Outcome): void {
    this.isTold = true;
    this.listener.tick(outcome, false);
  }

  /**
   * True where `offset` is `steps` after the page's own position in the feed. A worker may believe that the page is further
   * on, for example when the page greeted before it had heard what an earlier worker told it. The page then declares its
   * loop with its own position, and the worker tells what is missing.
   */
  #isNext({ log, offset }: LogOffset, steps: number): boolean {
    const position = this.#position;
    if (!position) return true;
    const missing = position.log === log ? offset - position.offset - steps : 1;
    // It says so once, however many answers are on their way.
    if (missing > 0 && this.#said !== position) {
      this.#said = position;
      this.#page.declare(this.next);
    }
    return !missing;
  }

  #tickUnsent(answered: Answered<Unsent>, nextIn: number | null): void {
    this.#isBehind = true;
    // A page that is hidden hears of it when it is told what has changed by then.
    if (this.#wantsBody) return this.#plan(answered, nextIn);
    this.#hear(answered, nextIn);
    // It may be large, and patches of it do not come any more.
    this.#copy = null;
    this.listener.unsent(answered, nextIn === null);
  }

  #hear(outcome: Outcome<unknown>, nextIn: number | null): void {
    this.#plan(outcome, nextIn);
    // A failure leaves the answer before it the last one.
    this.#heard = {
      revision: outcome.kind === 'answered' ? outcome.revision : (this.#heard?.revision ?? null),
    };
  }

  #plan(outcome: Outcome<unknown>, nextIn: number | null): void {
    const now = this.#page.now();
    if (nextIn === null) this.#page.remove(this.#declaration.loop);
    else this.#due = dueAfter(this.#due, outcome, nextIn, now, now + this.#wait);
  }

  /** The page says that it has nothing. It is then told the newest at once; where that is not stored, the server is asked. */
  #askForWhole(): void {
    const restart = this.#copy?.revision === null;
    this.#copy = null;
    this.#heard &&= { ...this.#heard, revision: null };
    this.#page.declare({ ...this.#declaration, firstIn: this.#firstIn, restart });
  }

  /** The revision that the page has. A page that wants bodies, and lacks the last, has the one of its copy. */
  get #again(): Heard | null {
    const heard = this.#heard;
    if (!heard || !this.#isBehind) return heard;
    const revision = this.#wantsBody ? (this.#copy?.revision ?? null) : heard.revision;
    return { ...heard, revision, behind: true };
  }

  get #wantsBody(): boolean {
    return this.#declaration.interest.body !== false;
  }

  get #firstIn(): number {
    return Math.max(0, waitOf(this.#due, this.#page.now()));
  }

  get #wait(): number {
    const isSlow = this.#page.hidden && traitsOf(this.#declaration.pace).hidden === 'slow';
    return (isSlow ? slowWaitOf : waitOf)(this.#due, this.#page.now());
  }
}

type Heard = Omit<Again, 'overdueBy'>;

/** Milliseconds until the next request, without those that a frozen page slept through. */
function nextFrom({ nextIn, at = Infinity }: Pick<Ticked, 'nextIn' | 'at'>, now: number): number | null {
  return nextIn === null ? null : nextIn - Math.max(0, now - at);
}

/** A loop whose requests are held is never late: when it was due, its request was out. */
function overdueBy(pace: Pace, wait: number): number {
  return traitsOf(pace).isHeld ? 0 : Math.max(0, -wait);
}
