import type { Clock } from './system.ts';

/** Settles like the work, or rejects with that message when it has not settled after so many milliseconds. */
export async function inTime<T>(
  clock: Pick<Clock, 'sleep'>,
  milliseconds: number,
  message: string,
  work: Promise<T>,
): Promise<T> {
  const settled = new AbortController();
  const late = async (): Promise<never> => {
    await clock.sleep(milliseconds, settled.signal);
    throw new Error(message);
  };
  try {
    return await Promise.race([work, late()]);
  } finally {
    settled.abort();
  }
}
