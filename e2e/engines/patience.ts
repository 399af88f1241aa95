import { setTimeout as sleep } from 'node:timers/promises';

/** Settles like the promise, or rejects after so many milliseconds. */
export async function within<T>(milliseconds: number, what: string, promise: Promise<T>): Promise<T> {
  const settled = new AbortController();
  const late = async (): Promise<never> => {
    await sleep(milliseconds, undefined, { signal: settled.signal });
    throw new Error(`${what} took longer than ${milliseconds} ms`);
  };
  try {
    return await Promise.race([promise, late()]);
  } finally {
    settled.abort();
  }
}

/** Tries again until there is something; rejects after so many milliseconds, with the last error if there was one. */
export async function attempt<T>(
  milliseconds: number,
  what: string,
  look: () => Promise<T | null>,
): Promise<T> {
  const end = performance.now() + milliseconds;
  let cause: unknown = null;
  while (performance.now() < end) {
    try {
      const found = await look();
      if (found !== null) return found;
    } catch (error) {
      cause = error;
    }
    await sleep(50);
  }
  throw new Error(`${what} took longer than ${milliseconds} ms`, { cause });
}
