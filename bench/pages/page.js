// What every page of the benchmarks offers, whichever library fills it.

/**
 * @param {object} library
 * @param {(told: () => void) => Promise<void>} [library.prepare] What an app does once, before its first request.
 * @param {(url: string, interval: number, told: () => void) => void} library.start Polls; `told` whenever there is new data.
 * @param {() => any} library.data What an app would show now.
 * @param {(name: string) => Promise<unknown>} library.call One small request.
 */
export function offer({ prepare = async () => {}, start, data, call }) {
  let told = null;
  let before = new Set();
  const errors = [];
  globalThis.addEventListener('error', ({ message }) => errors.push(message));
  globalThis.addEventListener('unhandledrejection', ({ reason }) => errors.push(String(reason)));
  globalThis.bench = {
    errors,
    ticks: 0,
    prepare,
    start: (url, interval) =>
      start(url, interval, () => {
        globalThis.bench.ticks += 1;
        told?.();
      }),
    /** Until the first data is there. */
    first: (url, interval) =>
      new Promise((resolve) => {
        told = () => {
          if (Array.isArray(data())) resolve(null);
        };
        globalThis.bench.start(url, interval);
      }),
    async digest() {
      const bytes = new TextEncoder().encode(JSON.stringify(data() ?? null));
      const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
      return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
    },
    remember() {
      before = new Set(data());
    },
    /** How many rows are the very objects that were remembered. */
    kept: () => data().filter((row) => before.has(row)).length,
    call,
    /** Milliseconds of each of some small requests, one after the other with a pause between them. */
    async calls(count, pause) {
      const times = [];
      for (let index = 0; index < count; index += 1) {
        const began = performance.now();
        await call(`call-${index}`);
        times.push(performance.now() - began);
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
      return times;
    },
  };
}

export const fetchJson = (url) => fetch(url).then((response) => response.json());

export const fetchSmall = (name) => fetchJson(`/small/${name}`);
