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
import type { Due, PageClock } from './due.ts';
import { copyOf, isChunked, isUnsent, open } from './answers.ts';

export interface LoopListener {
  ticking(): void;
  sent(status: number, headers: readonly Header[]): void;
  progress(progress: Progress): void;
  /** `ended`: the worker no longer keeps the loop. `isCatchUp`: this answers the catch-up request. */
  tick(outcome: Outcome, ended: boolean, isCatchUp?: boolean): void;
  /** A tick whose body stayed with the worker, since the page did not ask for it. */
  unsent(answered: Answered<Unsent>, ended: boolean): void;
  /** The loop has lost its place in the feed, and starts afresh. */
  reset(failure: Failure): void;
}

export interface LoopView {
  /** The last declaration, with later changes. */
  readonly declaration: LoopDeclaration;
  /** When it asks next, in milliseconds of the epoch: past while that request is out, null where it does not run. */
  readonly dueAt: number | null;
}

export interface LoopPage {
  readonly clock: Pick<PageClock, 'now' | 'back'>;
  readonly hidden: boolean;
  /** See `PageIdentity.era`. */
  readonly era: () => number;
  /** Sends a declaration again to the present worker. */
  readonly declare: (declaration: LoopDeclaration) => void;
  get(loop: number): DeclaredLoop | undefined;
  remove(loop: number): void;
}

/** Everything that a page knows of one declared loop, so that it can declare it to the next worker instance too. */
export class DeclaredLoop implements LoopView {
  readonly listener: LoopListener;
  /** The rows received so far of the next body. */
  readonly rows: Rows;
  readonly era: number;
  /** True while it waits to be declared: it is not known whose page this is. */
  isHeld = false;
  readonly #page: LoopPage;
  #declaration: LoopDeclaration;
  #due: Due;
  /** True once its listener knows that there is no worker. */
  isTold = false;
  #heard: Heard | null = null;
  /** In a feed, the position of the last answer heard; null where no worker has said one. */
  #position: LogOffset | null = null;
  /** The position with which it was last declared again because of a gap; null for none. */
  #said: LogOffset | null = null;
  /** The body to which patches are applied. */
  #copy: Copy | null = null;
  /** True where the body of the last answer stayed with the worker. */
  #isBehind = false;

  /** `before` is the loop with the same number before its restart. */
  constructor(
    declaration: LoopDeclaration,
    listener: LoopListener,
    page: LoopPage,
    rows: Rows,
    before: DeclaredLoop | undefined,
  ) {
    this.#declaration = declaration;
    this.listener = listener;
    this.era = page.era();
    this.#page = page;
    this.rows = rows;
    this.#due = firstDue(declaration.firstIn, this.#now);
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
    return this.#page.get(this.#declaration.loop) === this ? this.#due.at - this.#page.clock.back : null;
  }

  /** The declaration for the present worker; for a restarted loop it says where the page is. */
  get first(): LoopDeclaration {
    const again = this.#again;
    return {
      ...this.#declaration,
      position: this.#position,
      ...(again && { again: { ...again, overdueBy: 0 } }),
    };
  }

  /** The declaration for another worker instance, with the rest of its wait and with what was heard of it. */
  get next(): LoopDeclaration {
    const now = this.#now;
    const heard = this.#again;
    const { askedAt, last } = this.#due;
    return {
      ...this.#declaration,
      firstIn: this.#firstIn,
      again: heard && {
        ...heard,
        overdueBy: overdueBy(this.#declaration.pace, this.#wait),
        ...(last && { last }),
      },
      position: this.#position,
      restart: false,
      askedAgo: askedAt === null ? null : askedAgo(askedAt, now),
    };
  }

  /** Milliseconds until the worker is needed for it: 0 where it is always needed, null where it never is. */
  get neededIn(): number | null {
    return neededIn(this.#declaration.pace, this.#page.hidden, this.#wait);
  }

  /** True where the page wants whole answers and lacks the last. */
  get isLacking(): boolean {
    return this.#isBehind && this.#wantsBody;
  }

  setInterval(interval: number): void {
    const { pace } = this.#declaration;
    if (traitsOf(pace).isHeld) return;
    this.#due = duePaced(this.#due, interval, this.#now);
    this.#declaration = { ...this.#declaration, pace: withInterval(pace, interval) };
  }

  setInterest(interest: EventInterest): void {
    this.#declaration = { ...this.#declaration, interest };
  }

  tick({ outcome, entry, isCatchUp = false, ...said }: Omit<Ticked, 'kind' | 'loop'>): void {
    const nextIn = nextFrom(said, this.#page.clock.now());
    if (entry && !this.#isNext(entry, 1)) return;
    // Rows that came early were of an answer that is told in another way, or not at all.
    if (!isChunked(outcome)) this.rows.clear();
    if (isUnsent(outcome)) return this.#tickUnsent(outcome, nextIn);
    const opened = open(outcome, this.#copy, this.rows);
    if (opened === null) return this.#askForWhole();
    this.#hear(opened, nextIn);
    if (entry) this.#position = entry;
    else if (opened.kind === 'answered' && !isCatchUp) {
      this.#copy = copyOf(outcome, opened);
      this.#isBehind = false;
    }
    // A state stands for all answers before it, and the next may be of another log.
    else if (opened.kind === 'answered' && !opened.stale) this.#position = null;
    this.listener.tick(opened, nextIn === null, isCatchUp);
  }

  /** The feed goes on after this position. */
  join(position: LogOffset): void {
    if (this.#isNext(position, 0)) this.#position = position;
  }

  /** The old position means nothing any more, so the next answer is new to the page. */
  reset(failure: Failure): void {
    this.#position = null;
    this.listener.reset(failure);
  }

  /** A worker instance has answered a greeting that declared this loop. */
  welcome(): void {
    this.#due = dueAgain(this.#due);
    this.isTold = false;
  }

  /** The network is back. The page keeps track too, since the worker may end before it has asked. */
  online(): void {
    this.#due = dueOnline(this.#due, this.#declaration.pace, this.#now);
  }

  tell(outcome: Outcome): void {
    this.isTold = true;
    this.listener.tick(outcome, false);
  }

  /**
   * True where `offset` is `steps` after the page's own position in the feed. A worker may believe that the page is
   * further on, for example when the page greeted before it had heard an earlier worker's answers. The page then
   * declares its loop with its own position, and the worker tells the missing answers.
   */
  #isNext({ log, offset }: LogOffset, steps: number): boolean {
    const position = this.#position;
    if (!position) return true;
    const missing = position.log === log ? offset - position.offset - steps : 1;
    // Declares it once, however many answers are on their way.
    if (missing > 0 && this.#said !== position) {
      this.#said = position;
      this.#page.declare(this.next);
    }
    return !missing;
  }

  #tickUnsent(answered: Answered<Unsent>, nextIn: number | null): void {
    this.#isBehind = true;
    // A hidden page is told later, together with everything that has changed by then.
    if (this.#wantsBody) return this.#plan(answered, nextIn);
    this.#hear(answered, nextIn);
    // The copy may be large, and no more patches of it come.
    this.#copy = null;
    this.listener.unsent(answered, nextIn === null);
  }

  #hear(outcome: Outcome<unknown>, nextIn: number | null): void {
    this.#plan(outcome, nextIn);
    // After a failure, the answer before it is still the last.
    this.#heard = {
      revision: outcome.kind === 'answered' ? outcome.revision : (this.#heard?.revision ?? null),
    };
  }

  #plan(outcome: Outcome<unknown>, nextIn: number | null): void {
    const now = this.#now;
    if (nextIn === null) this.#page.remove(this.#declaration.loop);
    else this.#due = dueAfter(this.#due, outcome, nextIn, now, now + this.#wait);
  }

  /** Says that the page has nothing: the worker tells its newest answer, or asks the server where it stores none. */
  #askForWhole(): void {
    const restart = this.#copy?.revision === null;
    this.#copy = null;
    this.#heard &&= { ...this.#heard, revision: null };
    this.#page.declare({ ...this.#declaration, firstIn: this.#firstIn, restart });
  }

  /** The revision that the page has. A page that wants bodies and lacks the last has the revision of its copy. */
  get #again(): Heard | null {
    const heard = this.#heard;
    if (!heard || !this.#isBehind) return heard;
    const revision = this.#wantsBody ? (this.#copy?.revision ?? null) : heard.revision;
    return { ...heard, revision, behind: true };
  }

  get #wantsBody(): boolean {
    return this.#declaration.interest.body !== false;
  }

  /** Milliseconds of the epoch by a clock that is not set back: what is due is counted by it. */
  get #now(): number {
    const { clock } = this.#page;
    return clock.now() + clock.back;
  }

  get #firstIn(): number {
    return Math.max(0, waitOf(this.#due, this.#now));
  }

  get #wait(): number {
    const isSlow = this.#page.hidden && traitsOf(this.#declaration.pace).hidden === 'slow';
    return (isSlow ? slowWaitOf : waitOf)(this.#due, this.#now);
  }
}

type Heard = Omit<Again, 'overdueBy' | 'last'>;

/** Milliseconds until the next request, minus the time in which the page was frozen. */
function nextFrom({ nextIn, at = Infinity }: Pick<Ticked, 'nextIn' | 'at'>, now: number): number | null {
  return nextIn === null ? null : nextIn - Math.max(0, now - at);
}

/** A loop whose requests are held is never late: when it was due, its request was out. */
function overdueBy(pace: Pace, wait: number): number {
  return traitsOf(pace).isHeld ? 0 : Math.max(0, -wait);
}
