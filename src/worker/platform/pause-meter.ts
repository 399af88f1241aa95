/** Bytes that are looked at between two pauses: a tenth of a millisecond to scan, half of one to parse. */
export const STRIDE = 65_536;

/** Says when work has gone far enough to offer a pause. */
export class PauseMeter {
  readonly #stride: number;
  #left: number;

  constructor(stride: number = STRIDE) {
    this.#stride = stride;
    this.#left = stride;
  }

  /** Whether it is time, after work worth so many bytes. */
  isDue(work: number): boolean {
    this.#left -= work;
    if (this.#left > 0) return false;
    this.#left = this.#stride;
    return true;
  }
}
