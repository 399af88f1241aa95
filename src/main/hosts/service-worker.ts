import { DATABASES } from '../../shared/engine.ts';
import type { Standing } from './choose.ts';
import type { WorkerHost } from './moving-host.ts';
import type { Endpoint, HostWatcher } from './host.ts';

/** The base URL in Node, or where the document's base URL resolves nothing: then only the scope's path counts. */
const NOWHERE = 'http://localhost';

/** Milliseconds after which the browser is asked whether there is a newer script. */
const CHECK_AFTER = 1_000;

export interface ServiceWorkerOptions extends ScriptAndScope {
  readonly type: 'classic' | 'module';
}

/**
 * The engine in a service worker. Messages go to `registration.active`, read anew for every message: `controller` is
 * null after a hard reload, and a port dies silently with the worker. Every message wakes the worker.
 */
export class ServiceWorkerHost implements WorkerHost, Endpoint {
  readonly kind = 'service-worker';
  readonly #options: ServiceWorkerOptions;
  readonly #watchers = new Set<HostWatcher>();
  readonly #receivers = new Set<(data: unknown) => boolean>();
  readonly #end = new AbortController();
  #begin: () => void = () => {};
  /** Resolves once an active worker is found, or the first one is being registered. */
  readonly begun: Promise<void> = new Promise((resolve) => {
    this.#begin = resolve;
  });
  #calm: Promise<void> = Promise.resolve();
  #registration: ServiceWorkerRegistration | null = null;
  /** The worker that got the last message. */
  #posted: ServiceWorker | null = null;

  constructor(options: ServiceWorkerOptions) {
    this.#options = options;
  }

  get endpoint(): Endpoint {
    return this;
  }

  get isPossible(): boolean {
    try {
      return containerOf() !== null;
    } catch {
      return false;
    }
  }

  get standing(): Standing {
    const worker = this.#active;
    if (worker?.state !== 'activated' || worker !== this.#posted) return 'changing';
    return worker.scriptURL === this.#script ? 'ours' : 'foreign';
  }

  async ready(): Promise<void> {
    this.#hear(containerOf());
    // Registering again would make the browser fetch the script each time a worker is woken.
    if (this.#active) return;
    const known = await this.#known();
    // An active worker serves at once. The check for a newer one comes after the page's first calls, and may fail offline.
    if (known) this.#checkLater();
    else await this.#calm;
    this.#begin();
    const registration = known ?? (await this.#register());
    await activation(registration);
    this.#lookForNewer(registration);
  }

  begin(calm: Promise<void>): void {
    this.#calm = calm;
  }

  /** True where no worker of this scope is active, nor anything stored by an earlier one. */
  async isFirstVisit(): Promise<boolean> {
    const scope = scopeOf(this.#options, document.baseURI).href;
    const databases = indexedDB.databases().catch(() => [{ name: DATABASES }]);
    const registration = await containerOf().getRegistration(scope);
    if (registration?.active && registration.scope === scope) return false;
    return !(await databases).some(({ name = '' }) => name.startsWith(DATABASES));
  }

  #checkLater(): void {
    const timer = setTimeout(() => void this.#register().catch(() => {}), CHECK_AFTER);
    this.#end.signal.addEventListener('abort', () => clearTimeout(timer));
  }

  post(message: unknown, transfer: readonly object[]): void {
    const worker = this.#active;
    if (!worker) throw new Error('There is no active service worker');
    if (worker !== this.#posted) this.#follow(worker);
    worker.postMessage(message, [...transfer] as Transferable[]);
  }

  listen(receive: (data: unknown) => boolean): () => void {
    this.#receivers.add(receive);
    return () => this.#receivers.delete(receive);
  }

  greeted(): void {}

  get waiting(): boolean {
    return this.#waiting !== null;
  }

  watch(watcher: HostWatcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  async skipWaiting(): Promise<void> {
    const { messageSW } = await import('workbox-window/build/workbox-window.prod.mjs');
    let active = false;
    // A waiting worker is itself replaced when a newer one is installed.
    for (let worker = this.#waiting; worker && !active; worker = this.#waiting) {
      void messageSW(worker, { type: 'SKIP_WAITING' });
      active = await becomesActive(worker);
    }
  }

  close(): void {
    this.#end.abort();
  }

  /** Removes every listener of this host when it closes: the container and the workers live as long as the page. */
  get #listening(): AddEventListenerOptions {
    return { signal: this.#end.signal };
  }

  readonly #receive = (event: MessageEvent): void => {
    const isOurs = [...this.#receivers].filter((receive) => receive(event.data)).length > 0;
    if (isOurs) event.stopImmediatePropagation();
  };

  /** Stops Offstage's own messages before workbox-window makes events of them; so it must be the first to listen. */
  #hear(container: ServiceWorkerContainer): void {
    // Adding it again does nothing.
    container.addEventListener('message', this.#receive, this.#listening);
    // With `addEventListener`, messages otherwise wait until the document is parsed.
    container.startMessages();
  }

  get #active(): ServiceWorker | null {
    const worker = this.#registration?.active;
    return worker && worker.state !== 'redundant' ? worker : null;
  }

  get #waiting(): ServiceWorker | null {
    return this.#registration?.waiting ?? null;
  }

  get #script(): string {
    return new URL(this.#options.script, document.baseURI).href;
  }

  /** The registration of this very scope and script; the browser returns a wider scope where this one has none. */
  async #known(): Promise<ServiceWorkerRegistration | null> {
    const scope = scopeOf(this.#options, document.baseURI).href;
    const registration = await containerOf().getRegistration(scope);
    if (registration?.scope !== scope) return null;
    return registration.active?.scriptURL === this.#script ? registration : null;
  }

  async #register(): Promise<ServiceWorkerRegistration> {
    const { script, scope, type } = this.#options;
    const { Workbox } = await import('workbox-window/build/workbox-window.prod.mjs');
    const workbox = new Workbox(script, scope === null ? { type } : { type, scope });
    const registration = await workbox.register({ immediate: true });
    if (!registration) throw new Error(`The service worker ${script} could not be registered`);
    return registration;
  }

  /** Tells of every worker that begins or ceases to wait; workbox-window tells of the first two only. */
  #lookForNewer(registration: ServiceWorkerRegistration): void {
    if (registration === this.#registration) return;
    this.#registration = registration;
    const tell = (): void => {
      for (const watcher of this.#watchers) watcher.waiting?.();
    };
    const follow = (): void =>
      registration.installing?.addEventListener('statechange', tell, this.#listening);
    registration.addEventListener('updatefound', follow, this.#listening);
    // One that is being installed already, for another page, is not found again.
    follow();
    registration.waiting?.addEventListener('statechange', tell, this.#listening);
    tell();
  }

  #follow(worker: ServiceWorker): void {
    this.#posted = worker;
    worker.addEventListener(
      'statechange',
      () => {
        if (worker.state === 'redundant' && worker === this.#posted) void this.#tellReplaced();
      },
      this.#listening,
    );
  }

  /** The old worker becomes redundant a moment before the registration has the new one. */
  async #tellReplaced(): Promise<void> {
    this.#posted = null;
    await this.#known().catch(() => {});
    for (const watcher of this.#watchers) watcher.replaced?.();
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

type Workers = Pick<ServiceWorkerRegistration, 'installing' | 'waiting' | 'active'>;

/** Resolves once the registration has an active worker; rejects where its first worker fails to install. */
export async function activation(registration: Workers): Promise<void> {
  if (registration.active) return;
  const worker = registration.installing ?? registration.waiting;
  if (!worker) throw new Error('The service worker is gone before it was active');
  if (!(await becomesActive(worker)))
    throw new Error(`The service worker ${worker.scriptURL} did not install`);
}

/**
 * Resolves to true once the worker is active, to false once it never will be. A worker that is `activating` already
 * takes messages: Chromium spends a second in that state where the old worker was at work.
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

/** The URL of a worker's script, and its scope; a null scope is the folder of the script. */
interface ScriptAndScope {
  readonly script: string;
  readonly scope: string | null;
}

/** The scope that the worker has, or would have, in a document with that base URL. */
export function scopeOf({ script, scope }: ScriptAndScope, base: string): URL {
  return scope === null ? new URL('.', new URL(script, base)) : new URL(scope, base);
}

/** The name by which all engines of a scope find each other. The path is enough, since they share an origin. */
export function scopeName(worker: ScriptAndScope): string {
  const base = typeof document === 'undefined' ? NOWHERE : document.baseURI;
  const { pathname, search } = scopeIn(worker, base) ?? scopeOf(worker, NOWHERE);
  return pathname + search;
}

function scopeIn(worker: ScriptAndScope, base: string): URL | null {
  try {
    return scopeOf(worker, base);
  } catch {
    return null;
  }
}
