import { handOver } from '../shared/engine.ts';
import { pageEngine } from './in-page.ts';
import { install } from './index.ts';
import type { WorkerScope } from './index.ts';

/** The part of the global scope that this worker uses beside the library's. */
interface ReadyMadeScope extends Pick<WorkerScope, 'location' | 'registration' | 'skipWaiting'> {
  readonly clients: WorkerScope['clients'] & { claim(): Promise<void> };
  readonly addEventListener: WorkerScope['addEventListener'] &
    ((type: 'activate', listener: (event: Activation) => void) => void) &
    ((type: 'install', listener: (event: Installation) => void) => void);
}

interface Activation {
  waitUntil(work: Promise<void>): void;
}

/** The Static Routing API of service workers: who answers a page's requests, as the browser is told when it installs. */
interface Installation {
  readonly addRoutes?: (routes: readonly Route[]) => Promise<void>;
}

interface Route {
  readonly condition: { readonly requestMode: RequestMode };
  readonly source: 'network';
}

/**
 * The network answers. Where such a route is taken for a page, Chromium starts the worker beside the request, so that it
 * has started when the page greets it. A race of the network with a listener for `fetch` starts it as well, but asks a
 * server twice that redirects or refuses before the worker runs: a link that is good for once would be spent.
 */
const ROUTES: readonly Route[] = (['navigate', 'cors', 'no-cors', 'same-origin'] as const).map(
  (requestMode): Route => ({ condition: { requestMode }, source: 'network' }),
);

declare const self: ReadyMadeScope;

if ('ServiceWorkerGlobalScope' in globalThis) serve();
// A page without a bundler loads this file where it has no service worker.
else handOver(pageEngine);

function serve(): void {
  install(self);
  startEarly();
  // Else no worker controls a page on its first visit, and a newer worker would replace this one unasked.
  self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
}

/** Not every browser has routes: elsewhere the page's greeting starts the worker. */
function startEarly(): void {
  self.addEventListener('install', (event) => void event.addRoutes?.(ROUTES).catch(() => {}));
}
