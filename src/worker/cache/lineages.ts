import { newLineage, ordinalOf } from '../../shared/lineage.ts';
import type { Revision } from '../../shared/outcome.ts';

/** Ordinals in a millisecond: as many lines may begin in it without running ahead of the clock. */
const GRAIN = 1_000;

/**
 * The latest that a clock is believed, in ordinals: the year 2096. By one beyond that lines are counted on from there. What
 * is as far ahead of the clock again was made by none and is not heeded: ordinals stay safe integers, which messages need.
 */
const LATEST = 4_000_000_000_000_000;

/**
 * Names new lines of revisions, each younger than all that this worker, its storage or a page knows. The clock is where
 * counting begins, so that a worker whose storage is lost goes on above what it had; where the clock was set back, what
 * is stored or what a page says in its greeting shows it.
 */
export class Lineages {
  readonly #now: () => number;
  readonly #uuid: () => string;
  #highest = 0;
  /** Lines below this began by a clock that was behind what some page knows. */
  #floor = 0;

  constructor(now: () => number, uuid: () => string) {
    this.#now = now;
    this.#uuid = uuid;
  }

  /** The name of a line that begins now. */
  begin(): string {
    this.#highest = Math.max(this.#highest + 1, this.#clock);
    return newLineage(this.#highest, this.#uuid());
  }

  /** There is a line of this ordinal: none that begins later is older. */
  heed(ordinal: number): void {
    if (ordinal > this.#clock + LATEST) return;
    const isAhead = ordinal > Math.max(this.#highest, this.#clock);
    this.#highest = Math.max(this.#highest, ordinal);
    if (isAhead) this.#floor = ordinal;
  }

  /**
   * Whether a page may know something younger of the same answer, which it does not leave for this line: its next answer
   * begins another.
   */
  isBehind({ lineage }: Revision): boolean {
    return ordinalOf(lineage) < this.#floor;
  }

  get #clock(): number {
    return Math.min(this.#now() * GRAIN, LATEST);
  }
}

/**
 * The lines of revisions that this life of the worker has begun. It alone knows what it has told of them, so no other
 * goes on with them; nor does it itself, once something of what it told is lost.
 */
export class Lines {
  readonly #uuid: () => string;
  #name: string | null = null;
  #begun = 0;

  /** `uuid` makes a new unguessable name. */
  constructor(uuid: () => string) {
    this.#uuid = uuid;
  }

  /** Something unguessable that no other line has. */
  next(): string {
    this.#name ??= this.#uuid();
    this.#begun += 1;
    return `${this.#name}.${this.#begun}`;
  }

  isOwn(line: string): boolean {
    return this.#name !== null && line.includes(`-${this.#name}.`);
  }

  /** Something that was told is not stored: its number may not be given once more. */
  abandon(): void {
    this.#name = null;
  }
}
