/** While an engine acts: from when the lock is granted until it is given back or taken away. */
export class Term {
  /** Aborts when the term ends. */
  readonly signal: AbortSignal;
  /** The highest generation that the engine had before: whatever it raises to is above that. */
  readonly #before: number;
  readonly #raise: (above: number) => Promise<number | null>;
  #generation: number | null = null;
  #beganWithout = true;
  #raising: Promise<number | null> | null = null;

  constructor(signal: AbortSignal, before: number, raise: (above: number) => Promise<number | null>) {
    this.signal = signal;
    this.#before = before;
    this.#raise = raise;
  }

  /** The stored generation that is the engine's own; null where it could not be stored. */
  get generation(): number | null {
    return this.#generation;
  }

  /** The highest that it has had up to now. */
  get last(): number {
    return this.#generation ?? this.#before;
  }

  /** Raises the generation; without one the term begins all the same. */
  async begin(): Promise<void> {
    await this.raise(null).catch(() => null);
    this.#beganWithout = this.#generation === null;
  }

  /** Whether that was the engine's own generation at some time of this term. */
  has(generation: number | null): boolean {
    return generation === null ? this.#beganWithout : generation > this.#before && generation <= this.last;
  }

  /** Raises the generation above the one that was refused, once for all writes that were; rejects where that fails. */
  async raise(refused: number | null): Promise<number | null> {
    if (this.#generation !== refused) return this.#generation;
    this.#raising ??= this.#raiseAbove(this.last);
    return this.#raising;
  }

  async #raiseAbove(above: number): Promise<number | null> {
    try {
      this.#generation = await this.#raise(above);
      return this.#generation;
    } finally {
      this.#raising = null;
    }
  }
}
