import type { Clock, System } from './system.ts';

/** The system of the browser's worker that this runs in. */
export function browserSystem(): System {
  return {
    clock: browserClock,
    fetch: (url, init) => fetch(url, init),
    isOnline: () => navigator.onLine,
    random: () => Math.random(),
    uuid: () => crypto.randomUUID(),
    digest,
    locks: 'locks' in navigator ? navigator.locks : null,
    indexedDB: 'indexedDB' in globalThis ? indexedDB : null,
  };
}

/** A timer of more milliseconds fires at once. Who sleeps so long looks at the clock again. */
const LONGEST = 2 ** 31 - 1;

const browserClock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const wake = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, Math.min(milliseconds, LONGEST));
      signal?.addEventListener('abort', wake);
    }),
};

async function digest(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', bytes);
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
