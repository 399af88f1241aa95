/** The promise of a query's first data. */
export class Loading<Data> {
  #waiting: Waiting<Data> | null = null;

  /** The present promise, else a new one, for which `begin` makes the query load; it returns what ends that. */
  wait(begin: () => () => void): Promise<Data> {
    if (this.#waiting) return this.#waiting.promise;
    let settle: Omit<Waiting<Data>, 'promise' | 'end'> | null = null;
    const promise = handled(new Promise<Data>((resolve, reject) => (settle = { resolve, reject })));
    if (settle) this.#waiting = Object.assign(settle, { promise, end: begin() });
    return promise;
  }

  resolve(data: Data): void {
    this.#end()?.resolve(data);
  }

  reject(error: unknown): void {
    this.#end()?.reject(error);
  }

  #end(): Waiting<Data> | null {
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.end();
    return waiting;
  }
}

interface Waiting<Data> {
  readonly promise: Promise<Data>;
  readonly resolve: (data: Data) => void;
  readonly reject: (error: unknown) => void;
  readonly end: () => void;
}

/** The promise itself; a rejection that nobody waits for is not reported. */
export function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
