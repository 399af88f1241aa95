/**
 * Resolves when the named lock is free, that is milliseconds after its holder's death, or when the signal aborts. It
 * asks in `shared` mode and gives back at once: a page in the back/forward cache that holds its turn in an exclusive
 * queue would keep all others waiting.
 */
export async function released(lock: string, signal: AbortSignal): Promise<void> {
  try {
    await navigator.locks.request(lock, { mode: 'shared', signal }, () => {});
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
