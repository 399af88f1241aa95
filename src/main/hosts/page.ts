import type { LoadFunctions, PageEngine, Source } from '../../shared/engine.ts';
import { isEnvelope } from '../../shared/guard.ts';
import { loadEngineModule } from './engine-module.ts';
import type { Endpoint, Host, HostWatcher } from './host.ts';

/** The engine in the page or in Node, behind a channel: messages are cloned and arrive later, as between threads. */
export class PageHost implements Host, Endpoint {
  readonly kind = 'page';
  readonly #load: () => Promise<PageEngine>;
  readonly #watchers = new Set<HostWatcher>();
  #port: MessagePort | null = null;

  /** All hosts of a page and scope share one engine: two would compete for the lock that lets only one act. */
  constructor(load: () => Promise<PageEngine>) {
    this.#load = load;
  }

  async ready(): Promise<void> {
    const engine = await this.#load();
    if (this.#port) return;
    this.#port = portTo(engine);
    engine.onLockStolen(() => {
      for (const watcher of this.#watchers) watcher.lockStolen?.();
    });
  }

  get endpoint(): Endpoint {
    return this;
  }

  post(message: unknown, transfer: readonly object[]): void {
    if (!this.#port) throw new Error('The engine is not loaded');
    this.#port.postMessage(message, [...transfer] as Transferable[]);
  }

  greeted(): void {}

  /** The engine in a page is never older than the page, so no newer one waits. */
  get waiting(): boolean {
    return false;
  }

  watch(watcher: HostWatcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  async skipWaiting(): Promise<void> {}

  listen(receive: (data: unknown) => boolean): () => void {
    const port = this.#port;
    if (!port) return () => {};
    const listener = (event: MessageEvent): void => void receive(event.data);
    port.addEventListener('message', listener);
    letProcessEnd(port);
    return () => port.removeEventListener('message', listener);
  }
}

/** Loads the engine of a scope, and lets it rest while the page is in the back/forward cache. */
export async function loadEngine(
  scope: string,
  functions: LoadFunctions,
  encrypts: boolean,
): Promise<PageEngine> {
  const makeEngine = await loadEngineModule();
  const engine = makeEngine(scope, functions, encrypts);
  if (typeof document !== 'undefined') {
    addEventListener('pagehide', () => engine.rest());
    addEventListener('pageshow', ({ persisted }) => (persisted ? engine.resume() : undefined));
  }
  return engine;
}

function portTo(engine: PageEngine): MessagePort {
  const { port1, port2 } = new MessageChannel();
  const source: Source = {
    id: 'page',
    postMessage: (message, transfer) => port2.postMessage(message, [...transfer] as Transferable[]),
  };
  port2.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    // The reply tells of failures. A service worker's event would swallow the error too.
    if (isEnvelope(data)) engine.receive(source, data).catch(() => {});
  });
  port1.start();
  port2.start();
  letProcessEnd(port2);
  return port1;
}

/** Node does not exit while a port is listened to. Work under way keeps Node alive through its deadline's timer. */
function letProcessEnd(port: object): void {
  if ('unref' in port && typeof port.unref === 'function') port.unref();
}
