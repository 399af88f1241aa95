// A page that queues writes, whichever library keeps and sends them.

/**
 * @param {object} library
 * @param {() => Promise<unknown>} library.prepare What an app does once, before its first write.
 * @param {(writes: readonly { lane: string, number: number }[]) => Promise<number>} library.queue How many were accepted.
 * @param {() => Promise<number>} library.waiting How many are stored.
 */
export function offerOutbox({ prepare, queue, waiting }) {
  const errors = [];
  globalThis.addEventListener('error', ({ message }) => errors.push(message));
  globalThis.addEventListener('unhandledrejection', ({ reason }) => errors.push(String(reason)));
  globalThis.bench = {
    errors,
    prepare,
    /** Queues so many at once, by turns in each of the lanes. */
    queue: (count, lanes) =>
      queue(Array.from({ length: count }, (_, number) => ({ lane: `lane-${number % lanes}`, number }))),
    waiting,
    online: () => void globalThis.dispatchEvent(new Event('online')),
  };
}

/** One write, as an app sends it. */
export function send({ lane, number }, key) {
  return fetch(`/writes/${lane}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
    body: JSON.stringify({ number }),
  });
}
