import type { Header } from '../../shared/header.ts';
import type { Failure } from '../../shared/failure.ts';
import type { Answered, Outcome } from '../../shared/outcome.ts';
import type { LogOffset, Progress, Ticked, Unsent } from '../../shared/delivery.ts';
import type { Again, LoopDeclaration, Pace, EventInterest } from '../../shared/protocol.ts';
import { Answers, Rows } from './answers.ts';
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
import { copyOf, isUnsent, open } from './open.ts';
import type { Copy } from './open.ts';

/** Whoever started a loop and hears its ticks. */
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

/** The loops that a page has declared, kept so that they can be declared again to the next life of the worker. */
export class DeclaredLoops {
  readonly #loops = new Map<number, Declared>();
  readonly #now: () => number;
  readonly #declare: (declaration: LoopDeclaration) => void;
  readonly #answers: Answers;
  /** Whether the page is hidden. */
  hidden = false;

  /** `declare` says a declaration anew to the worker that answers now. */
  constructor(
    now: () => number,
    declare: (declaration: LoopDeclaration) => void,
    answers: Answers = new Answers(),
  ) {
    this.#now = now;
    this.#declare = declare;
    this.#answers = answers;
  }

  get ids(): number[] {
    return [...this.#loops.keys()];
  }

  get size(): number {
    return this.#loops.size;
  }

  /** The declaration as it goes to the worker: of a loop that is restarted it says where the page is. */
  add(declaration: LoopDeclaration, listener: LoopListener): LoopDeclaration {
    const due = firstDue(declaration.firstIn, this.#now());
    const known = this.#loops.get(declaration.loop);
    const { heard = null, position = null, copy = null, isBehind = false } = known ?? {};
    const rows = known?.rows ?? new Rows(this.#answers.of(declaration.invocation));
    const declared = { declaration, listener, heard, position, said: null, copy, isBehind, rows };
    this.#loops.set(declaration.loop, { ...declared, due, told: false });
    const again = heardOf(declared);
    return { ...declaration, position, ...(again && { again: { ...again, overdueBy: 0 } }) };
  }

  remove(loop: number): void {
    this.#loops.delete(loop);
  }

  listener(loop: number): LoopListener | undefined {
    return this.#loops.get(loop)?.listener;
  }

  /** What has come of a loop's next body; undefined where it is not declared. */
  rows(loop: number): Rows | undefined {
    return this.#loops.get(loop)?.rows;
  }

  clearRows(): void {
    for (const { rows } of this.#loops.values()) rows.clear();
  }

  /** When a loop asks next, past while that request is out; null where it is not declared. */
  dueAt(loop: number): number | null {
    return this.#loops.get(loop)?.due.at ?? null;
  }

  setInterval(loop: number, interval: number): void {
    const declared = this.#loops.get(loop);
    if (declared?.declaration.pace.kind !== 'poll') return;
    declared.due = duePaced(declared.due, interval, this.#now());
    this.#change(loop, { pace: { ...declared.declaration.pace, interval } });
  }

  setInterest(loop: number, interest: EventInterest): void {
    this.#change(loop, { interest });
  }

  /** Whether the page wants whole answers of a loop, and has not got the last. */
  lacks(loop: number): boolean {
    const declared = this.#loops.get(loop);
    return !!declared?.isBehind && declared.declaration.interest.body !== false;
  }

  tick({ loop, outcome, entry, isCatchUp = false, ...said }: Omit<Ticked, 'kind'>): void {
    const declared = this.#loops.get(loop);
    const nextIn = nextFrom(said, this.#now());
    if (!declared || (entry && !this.#isNext(declared, entry, 1))) return;
    if (isUnsent(outcome)) return this.#tickUnsent(declared, outcome, nextIn);
    const opened = open(outcome, declared.copy, declared.rows);
    if (opened === null) return this.#askForWhole(declared);
    this.#hear(declared, opened, nextIn);
    if (entry) declared.position = entry;
    else if (opened.kind === 'answered' && !isCatchUp) {
      declared.copy = copyOf(outcome, opened);
      declared.isBehind = false;
    }
    // A state stands for all before it: what follows it may be of another log.
    else if (opened.kind === 'answered' && !opened.stale) declared.position = null;
    declared.listener.tick(opened, nextIn === null, isCatchUp);
  }

  /** What comes next of a feed is what follows this. */
  join(loop: number, position: LogOffset): void {
    const declared = this.#loops.get(loop);
    if (declared && this.#isNext(declared, position, 0)) declared.position = position;
  }

  /** Where it was is no place any more: what comes next is new to it, whatever it is. */
  reset(loop: number, failure: Failure): void {
    const declared = this.#loops.get(loop);
    if (!declared) return;
    declared.position = null;
    declared.listener.reset(failure);
  }

  /** Milliseconds until the worker is needed for a loop; 0 where it is all the time, null where it never is. */
  get neededIn(): number | null {
    const waits = [...this.#loops.values()].flatMap(
      (declared) => neededIn(declared.declaration.pace, this.hidden, this.#waitOf(declared)) ?? [],
    );
    return waits.length > 0 ? Math.min(...waits) : null;
  }

  /** Every declaration, as a greeting has it. */
  get declarations(): LoopDeclaration[] {
    return [...this.#loops.values()].map((declared) => this.#declarationOf(declared));
  }

  /** A worker has answered a greeting. */
  welcome(): void {
    for (const declared of this.#loops.values()) {
      declared.due = dueAgain(declared.due);
      declared.told = false;
    }
  }

  /** The network is back. The worker that hears of it may end before it has asked. */
  online(): void {
    for (const declared of this.#loops.values())
      declared.due = dueOnline(declared.due, declared.declaration.pace, this.#now());
  }

  /** There is no worker for them: each hears of it once, until there is one again. */
  tellOnce(outcome: Outcome): void {
    this.clearRows();
    // A list of its own: the handler of a failure may declare another.
    const untold = [...this.#loops.values()].filter(({ told }) => !told);
    for (const declared of untold) {
      declared.told = true;
      declared.listener.tick(outcome, false);
    }
  }

  /**
   * True where `offset` is `steps` after the page's own position in the feed. A worker may believe that the page is further
   * on, for example when the page greeted before it had heard what an earlier worker told it. The page then declares its
   * loop with its own position, and the worker tells what is missing.
   */
  #isNext(declared: Declared, { log, offset }: LogOffset, steps: number): boolean {
    const { position } = declared;
    if (!position) return true;
    const missing = position.log === log ? offset - position.offset - steps : 1;
    // It says so once, however many answers are on their way.
    if (missing > 0 && declared.said !== position) {
      declared.said = position;
      this.#declare(this.#declarationOf(declared));
    }
    return !missing;
  }

  #tickUnsent(declared: Declared, answered: Answered<Unsent>, nextIn: number | null): void {
    declared.isBehind = true;
    // A page that is hidden hears of it when it is told what has changed by then.
    if (declared.declaration.interest.body !== false) return this.#plan(declared, answered, nextIn);
    this.#hear(declared, answered, nextIn);
    // It may be large, and patches of it do not come any more.
    declared.copy = null;
    declared.listener.unsent(answered, nextIn === null);
  }

  #hear(declared: Declared, outcome: Outcome<unknown>, nextIn: number | null): void {
    this.#plan(declared, outcome, nextIn);
    declared.heard = heardBy(outcome, declared.heard);
  }

  #plan(declared: Declared, outcome: Outcome<unknown>, nextIn: number | null): void {
    const now = this.#now();
    if (nextIn === null) this.#loops.delete(declared.declaration.loop);
    else declared.due = dueAfter(declared.due, outcome, nextIn, now, now + this.#waitOf(declared));
  }

  /** With what is left of its wait, and with what was heard of it. */
  #declarationOf(declared: Declared): LoopDeclaration {
    const { declaration, due, position } = declared;
    const now = this.#now();
    const heard = heardOf(declared);
    return {
      ...declaration,
      firstIn: Math.max(0, waitOf(due, now)),
      again: heard && { ...heard, overdueBy: overdueBy(declaration.pace, this.#waitOf(declared)) },
      position,
      restart: false,
      askedAgo: due.askedAt === null ? null : askedAgo(due.askedAt, now),
    };
  }

  #waitOf({ declaration: { pace }, due }: Declared): number {
    const isSlow = this.hidden && pace.kind === 'poll' && pace.hidden === 'slow';
    return (isSlow ? slowWaitOf : waitOf)(due, this.#now());
  }

  /** The page says that it has nothing: it is then told the newest at once, of what is not stored by asking the server. */
  #askForWhole(declared: Declared): void {
    const restart = declared.copy?.revision === null;
    declared.copy = null;
    declared.heard &&= { ...declared.heard, revision: null };
    const firstIn = Math.max(0, waitOf(declared.due, this.#now()));
    this.#declare({ ...declared.declaration, firstIn, restart });
  }

  #change(loop: number, change: Partial<LoopDeclaration>): void {
    const declared = this.#loops.get(loop);
    if (declared) declared.declaration = { ...declared.declaration, ...change };
  }
}

interface Declared {
  declaration: LoopDeclaration;
  readonly listener: LoopListener;
  due: Due;
  /** Whether it has been told that there is no worker. */
  told: boolean;
  /** What was heard last; null before anything was. */
  heard: Heard | null;
  /** Of a feed, the last answer before those that are still to be heard; null where no worker has said. */
  position: LogOffset | null;
  /** The position with which it was declared again, since something else came next; null where it was not. */
  said: LogOffset | null;
  /** Of a state, the body that what changes is told of. */
  copy: Copy | null;
  /** What has come of the next body. */
  readonly rows: Rows;
  /** Whether the body of the last answer stayed with the worker. */
  isBehind: boolean;
}

/** Where a page is that may lack a body: if it wants that, what it has is what its copy is. */
function heardOf({
  declaration: { interest },
  heard,
  copy,
  isBehind,
}: Omit<Declared, 'due' | 'told' | 'position'>): Heard | null {
  if (!heard || !isBehind) return heard;
  const revision = interest.body === false ? heard.revision : (copy?.revision ?? null);
  return { ...heard, revision, behind: true };
}

/** Milliseconds until the next request, of which those have gone that a frozen page slept through. */
function nextFrom({ nextIn, at = Infinity }: Pick<Ticked, 'nextIn' | 'at'>, now: number): number | null {
  return nextIn === null ? null : nextIn - Math.max(0, now - at);
}

/** A long-poll that was due was out: it was held, and late with nothing. */
function overdueBy({ kind }: Pace, wait: number): number {
  return kind === 'long-poll' ? 0 : Math.max(0, -wait);
}

type Heard = Omit<Again, 'overdueBy'>;

/** A failure leaves the answer before it the last one. */
function heardBy(outcome: Outcome<unknown>, before: Heard | null): Heard {
  return { revision: outcome.kind === 'answered' ? outcome.revision : (before?.revision ?? null) };
}
