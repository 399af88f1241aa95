/** The workers of a registration. */
type Workers = Pick<ServiceWorkerRegistration, 'installing' | 'waiting' | 'active'>;

/** Resolves once the registration has an active worker; rejects where its first one fails to install. */
export async function activation(registration: Workers): Promise<void> {
  if (registration.active) return;
  const worker = registration.installing ?? registration.waiting;
  if (!worker) throw new Error('The service worker is gone before it was active');
  if (!(await becomesActive(worker)))
    throw new Error(`The service worker ${worker.scriptURL} did not install`);
}

/**
 * Resolves to whether a worker has become active, once it has or never will. While it is activating it takes messages
 * already: Chromium spends a second on that where the old worker was at work.
 */
export async function becomesActive(worker: ServiceWorker): Promise<boolean> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (worker.state === 'activating' || worker.state === 'activated') resolve(true);
      if (worker.state === 'redundant') resolve(false);
    };
    worker.addEventListener('statechange', look);
    look();
  });
}
