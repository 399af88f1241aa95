/** Bytes that are looked at between two pauses: a tenth of a millisecond to scan, half of one to parse. */
export const STRIDE = 65_536;

/** Says when a generator has done enough to offer a pause. */
export class Pace {
  #left = STRIDE;

  /** Whether it is time, after work worth so many bytes. */
  isDue(work: number): boolean {
    this.#left -= work;
    if (this.#left > 0) return false;
    this.#left = STRIDE;
    return true;
  }
}
