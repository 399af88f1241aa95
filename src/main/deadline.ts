/** Something has taken longer than it may; `timeout` is what it may take, in milliseconds. */
export class Late extends Error {
  override readonly name = 'Late';
  readonly timeout: number;

  constructor(what: string, timeout: number) {
    super(`${what} took longer than ${timeout} ms`);
    this.timeout = timeout;
  }
}

/** Settles like the promise, or rejects when it has not settled after so many milliseconds: no call can hang. */
export function within<T>(milliseconds: number, what: string, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Late(what, milliseconds));
    }, milliseconds);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Settles like the promise, or resolves to null when the signal aborts first. */
export function unlessAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const give = (): void => resolve(null);
    signal.addEventListener('abort', give);
    if (signal.aborted) give();
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', give));
  });
}
