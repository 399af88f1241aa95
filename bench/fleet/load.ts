/** Cells a second: a peak is the highest second wherever it begins, to a tenth. */
const CELLS = 10;
const CELL = 1_000 / CELLS;

/** How many requests came when. */
export class Load {
  readonly #cells: Uint32Array;

  constructor(end: number) {
    this.#cells = new Uint32Array(Math.ceil(end / CELL));
  }

  count(at: number): void {
    const cell = Math.floor(at / CELL);
    this.#cells[cell] = (this.#cells[cell] ?? 0) + 1;
  }

  /** Requests a second, on average from `from` to `until` (milliseconds). */
  mean(from: number, until: number): number {
    const cells = this.#between(from, until);
    return (CELLS * cells.reduce((sum, count) => sum + count, 0)) / cells.length;
  }

  /** The requests of the busiest second from `from` to `until`, and when it began. */
  peak(from: number, until: number): { readonly requests: number; readonly at: number } {
    const cells = this.#between(from, until);
    let highest = { requests: 0, at: from };
    let requests = 0;
    for (let cell = 0; cell < cells.length; cell += 1) {
      requests += (cells[cell] ?? 0) - (cells[cell - CELLS] ?? 0);
      if (requests > highest.requests) highest = { requests, at: from + (cell + 1 - CELLS) * CELL };
    }
    return highest;
  }

  /** The busiest second of each of so many equal parts of the time from `from` to `until`. */
  outline(from: number, until: number, parts: number): number[] {
    const width = Math.max(1_000, (until - from) / parts);
    const count = Math.floor((until - from) / width);
    return Array.from({ length: count }, (_, part) => {
      const start = from + part * width;
      return this.peak(start, start + width).requests;
    });
  }

  #between(from: number, until: number): Uint32Array {
    return this.#cells.subarray(Math.round(from / CELL), Math.round(until / CELL));
  }
}
