/** Something took longer than `timeout` milliseconds. */
export class Late extends Error {
  override readonly name = 'Late';
  readonly timeout: number;

  constructor(what: string, timeout: number) {
    super(`${what} took longer than ${timeout} ms`);
    this.timeout = timeout;
  }
}

/** A timer that fires this many milliseconds late shows that the page was frozen or busy, not that a worker is slow. */
const FROZEN = 1_000;

/** Milliseconds in which the page may process the messages that came meanwhile. */
const HEARING = 1_000;

/** Calls `act` after that many milliseconds; a frozen page first hears its messages. Returns the cancel function. */
export function after(milliseconds: number, act: () => void): () => void {
  const due = Date.now() + milliseconds;
  let timer = setTimeout(() => {
    if (Date.now() - due < FROZEN) act();
    else timer = setTimeout(act, Math.min(milliseconds, HEARING));
  }, milliseconds);
  return () => clearTimeout(timer);
}

/** Settles like the promise, or rejects with `Late` after so many milliseconds: no call can hang. */
export function within<T>(milliseconds: number, what: string, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = after(milliseconds, () => reject(new Late(what, milliseconds)));
    promise.then(resolve, reject).finally(stop);
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
