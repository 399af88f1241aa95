import type { Header } from '../../shared/header.ts';
import type { Outcome } from '../../shared/outcome.ts';
import type { Command, LoopDeclaration, Progress, Tell } from '../../shared/protocol.ts';
import { dueAfter, dueAgain, duePaced, firstDue } from './due.ts';
import type { Due } from './due.ts';
import { neededIn } from './rest.ts';

/** Whoever started a loop and hears its ticks. */
export interface LoopListener {
  ticking(): void;
  sent(status: number, headers: readonly Header[]): void;
  progress(progress: Progress): void;
  /** `ended` where the worker does not keep the loop. */
  tick(outcome: Outcome, ended: boolean): void;
}

/** The loops that a page has declared, kept so that they can be declared again to the next life of the worker. */
export class DeclaredLoops {
  readonly #loops = new Map<number, Declared>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  get size(): number {
    return this.#loops.size;
  }

  add(declaration: LoopDeclaration, listener: LoopListener): void {
    const due = firstDue(declaration.firstIn, this.#now());
    this.#loops.set(declaration.loop, { declaration, listener, due, told: false });
  }

  remove(loop: number): void {
    this.#loops.delete(loop);
  }

  listener(loop: number): LoopListener | undefined {
    return this.#loops.get(loop)?.listener;
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

  setTell(loop: number, tell: Tell): void {
    this.#change(loop, { tell });
  }

  tick(loop: number, outcome: Outcome, nextIn: number | null): void {
    const declared = this.#loops.get(loop);
    if (!declared) return;
    if (nextIn === null) this.#loops.delete(loop);
    else declared.due = dueAfter(declared.due, outcome, nextIn, this.#now());
    declared.listener.tick(outcome, nextIn === null);
  }

  /** Milliseconds until the worker is needed for a loop; 0 where it is all the time, null where it never is. */
  neededIn(hidden: boolean): number | null {
    const waits = [...this.#loops.values()].map(({ declaration: { pace }, due }) =>
      neededIn(pace, hidden, due.at - this.#now()),
    );
    const needed = waits.filter((wait) => wait !== null);
    return needed.length > 0 ? Math.min(...needed) : null;
  }

  /** The declarations for a new life of the worker, each with what is left of its wait. */
  declareAgain(): Command[] {
    return [...this.#loops.values()].map((declared) => {
      const firstIn = Math.max(0, declared.due.at - this.#now());
      declared.due = dueAgain(declared.due);
      declared.told = false;
      return { kind: 'declare', declaration: { ...declared.declaration, firstIn } };
    });
  }

  /** There is no worker for them: each hears of it once, until there is one again. */
  tellOnce(outcome: Outcome): void {
    for (const declared of this.#loops.values()) {
      if (declared.told) continue;
      declared.told = true;
      declared.listener.tick(outcome, false);
    }
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
}
