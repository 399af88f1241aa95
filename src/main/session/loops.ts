import type { Outcome } from '../../shared/outcome.ts';
import type { LoopDeclaration } from '../../shared/protocol.ts';
import { QueryRecords } from '../queries/records.ts';
import { Rows } from './answers.ts';
import { DeclaredLoop } from './loop.ts';
import type { LoopListener, LoopPage } from './loop.ts';

export class DeclaredLoops implements LoopPage {
  readonly clock: LoopPage['clock'];
  readonly declare: (declaration: LoopDeclaration) => void;
  readonly era: LoopPage['era'];
  readonly #loops = new Map<number, DeclaredLoop>();
  readonly #records: QueryRecords;
  hidden = false;

  /** `declare` sends a declaration again to the present worker. */
  constructor(
    clock: LoopPage['clock'],
    declare: (declaration: LoopDeclaration) => void,
    records: QueryRecords = new QueryRecords(),
    era: LoopPage['era'] = () => 0,
  ) {
    this.clock = clock;
    this.era = era;
    this.declare = declare;
    this.#records = records;
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

  /** A restarted loop keeps what the page knows of it. */
  add(declaration: LoopDeclaration, listener: LoopListener): DeclaredLoop {
    const before = this.get(declaration.loop);
    const rows = before?.rows ?? new Rows(this.#records.of(declaration.invocation).received);
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

  /** Milliseconds until the worker is needed for a loop: 0 where it is always needed, null where it never is. */
  get neededIn(): number | null {
    const waits = [...this.#loops.values()].flatMap((loop) => loop.neededIn ?? []);
    return waits.length > 0 ? Math.min(...waits) : null;
  }

  get declarations(): LoopDeclaration[] {
    return [...this.#loops.values()].map(({ next }) => next);
  }

  /** All loops, or that one, wait until it is known whose page this is. */
  hold(loop?: number): void {
    for (const each of loop === undefined ? this.#loops.values() : [this.get(loop)])
      if (each) each.isHeld = true;
  }

  /** The declarations of the loops that have waited. */
  takeHeld(): LoopDeclaration[] {
    const held = [...this.#loops.values()].filter(({ isHeld }) => isHeld);
    for (const each of held) each.isHeld = false;
    return held.map(({ next }) => next);
  }

  /** Ends the loops of these eras: their users have gone. */
  endOf(isEnded: (era: number) => boolean, outcome: Outcome): void {
    for (const [number, { listener }] of [...this.#loops].filter(([, { era }]) => isEnded(era))) {
      this.#loops.delete(number);
      listener.tick(outcome, true);
    }
  }

  welcome(): void {
    for (const loop of this.#loops.values()) loop.welcome();
  }

  online(): void {
    for (const loop of this.#loops.values()) loop.online();
  }

  /** There is no worker: each loop hears of it once, until there is one again. */
  tellOnce(outcome: Outcome): void {
    this.clearRows();
    // A copy of the list: the handler of a failure may declare another loop.
    for (const loop of [...this.#loops.values()].filter(({ isTold }) => !isTold)) loop.tell(outcome);
  }
}
