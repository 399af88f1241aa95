import type { Outcome } from '../../shared/outcome.ts';
import type { LoopDeclaration } from '../../shared/protocol.ts';
import { Answers, Rows } from './answers.ts';
import { DeclaredLoop } from './loop.ts';
import type { LoopListener, LoopPage } from './loop.ts';

/** The loops that a page has declared. */
export class DeclaredLoops implements LoopPage {
  readonly now: () => number;
  readonly declare: (declaration: LoopDeclaration) => void;
  readonly #loops = new Map<number, DeclaredLoop>();
  readonly #answers: Answers;
  /** True while the page is hidden. */
  hidden = false;

  /** `declare` says a declaration anew to the worker that answers now. */
  constructor(
    now: () => number,
    declare: (declaration: LoopDeclaration) => void,
    answers: Answers = new Answers(),
  ) {
    this.now = now;
    this.declare = declare;
    this.#answers = answers;
  }

  get ids(): number[] {
    return [...this.#loops.keys()];
  }

  get size(): number {
    return this.#loops.size;
  }

  get(loop: number): DeclaredLoop | undefined {
    return this.#loops.get(loop);
  }

  /** A loop that is restarted keeps what the page has of it. */
  add(declaration: LoopDeclaration, listener: LoopListener): DeclaredLoop {
    const before = this.get(declaration.loop);
    const rows = before?.rows ?? new Rows(this.#answers.of(declaration.invocation));
    const declared = new DeclaredLoop(declaration, listener, this, rows, before);
    this.#loops.set(declaration.loop, declared);
    return declared;
  }

  remove(loop: number): void {
    this.#loops.delete(loop);
  }

  clearRows(): void {
    for (const { rows } of this.#loops.values()) rows.clear();
  }

  /** Milliseconds until the worker is needed for a loop; 0 where it is all the time, null where it never is. */
  get neededIn(): number | null {
    const waits = [...this.#loops.values()].flatMap((loop) => loop.neededIn ?? []);
    return waits.length > 0 ? Math.min(...waits) : null;
  }

  /** Every declaration, as a greeting has it. */
  get declarations(): LoopDeclaration[] {
    return [...this.#loops.values()].map(({ next }) => next);
  }

  /** A worker has answered a greeting. */
  welcome(): void {
    for (const loop of this.#loops.values()) loop.welcome();
  }

  /** The network is back. */
  online(): void {
    for (const loop of this.#loops.values()) loop.online();
  }

  /** There is no worker for them: each hears of it once, until there is one again. */
  tellOnce(outcome: Outcome): void {
    this.clearRows();
    // A list of its own: the handler of a failure may declare another.
    for (const loop of [...this.#loops.values()].filter(({ isTold }) => !isTold)) loop.tell(outcome);
  }
}
