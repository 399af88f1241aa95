import type { Host } from './host.ts';

/** Which worker: the URL of its script, and how it is registered. */
export interface ServiceWorkerOptions {
  readonly script: string;
  readonly scope: string | null;
  readonly type: 'classic' | 'module';
}

/**
 * The engine in a service worker. Messages go to `registration.active`, read anew at every send: `controller` is null
 * after a hard reload, and a port dies silently with the worker. Every message wakes the worker.
 */
export class ServiceWorkerHost implements Host {
  readonly kind = 'service-worker';
  readonly #options: ServiceWorkerOptions;
  #registration: ServiceWorkerRegistration | null = null;

  constructor(options: ServiceWorkerOptions) {
    this.#options = options;
  }

  async ready(): Promise<void> {
    // Registering again would have the browser fetch the script each time that a worker is woken.
    if (this.#registration?.active) return;
    const known = await this.#known();
    const registering = this.#register();
    if (known) {
      // An active worker serves at once; whether there is a newer one is found out beside it, and may fail offline.
      this.#registration = known;
      registering.catch(() => {});
      return;
    }
    const registration = await registering;
    await activation(registration);
    this.#registration = registration;
  }

  post(message: unknown, transfer: readonly object[]): void {
    const worker = this.#registration?.active;
    if (!worker) throw new Error('There is no active service worker');
    worker.postMessage(message, [...transfer] as Transferable[]);
  }

  listen(receive: (data: unknown) => void): () => void {
    if (!('serviceWorker' in navigator)) return () => {};
    const container = navigator.serviceWorker;
    const listener = (event: MessageEvent): void => receive(event.data);
    container.addEventListener('message', listener);
    // Without this, messages wait for the end of parsing when they are listened to in this way.
    container.startMessages();
    return () => container.removeEventListener('message', listener);
  }

  async #known(): Promise<ServiceWorkerRegistration | null> {
    const { script, scope } = this.#options;
    const container = containerOf();
    const url = new URL(script, document.baseURI).href;
    const registration = await container.getRegistration(scope ?? new URL('.', url).href);
    return registration?.active?.scriptURL === url ? registration : null;
  }

  async #register(): Promise<ServiceWorkerRegistration> {
    const { script, scope, type } = this.#options;
    const { Workbox } = await import('workbox-window');
    const workbox = new Workbox(script, scope === null ? { type } : { type, scope });
    const registration = await workbox.register({ immediate: true });
    if (!registration) throw new Error(`The service worker ${script} could not be registered`);
    return registration;
  }
}

function containerOf(): ServiceWorkerContainer {
  if (typeof navigator === 'undefined' || !('serviceWorker' in navigator)) {
    throw new Error(
      'This page has no service workers: they need https or localhost, and a window that allows them',
    );
  }
  return navigator.serviceWorker;
}

/** Resolves once the registration has an active worker; rejects where its first one fails to install. */
async function activation(registration: ServiceWorkerRegistration): Promise<void> {
  if (registration.active) return;
  const worker = registration.installing ?? registration.waiting;
  if (!worker) throw new Error('The service worker is gone before it was active');
  await new Promise<void>((resolve, reject) => {
    const look = (): void => {
      if (worker.state === 'activated') resolve();
      if (worker.state === 'redundant')
        reject(new Error(`The service worker ${worker.scriptURL} did not install`));
    };
    worker.addEventListener('statechange', look);
    look();
  });
}
