import { handOver } from '../shared/engine.ts';
import { pageEngine } from './in-page.ts';
import { install } from './index.ts';
import type { WorkerScope } from './index.ts';

/** The part of the global scope that this worker uses beside the library's. */
interface ReadyMadeScope extends Pick<WorkerScope, 'location' | 'registration' | 'skipWaiting'> {
  readonly clients: WorkerScope['clients'] & { claim(): Promise<void> };
  readonly addEventListener: WorkerScope['addEventListener'] &
    ((type: 'activate', listener: (event: Activation) => void) => void) &
    ((type: 'install', listener: (event: Installation) => void) => void) &
    ((type: 'fetch', listener: (event: { readonly request: unknown }) => void) => void);
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
  readonly source: 'race-network-and-fetch-handler' | 'network';
}

/**
 * The browser starts this worker while it asks for a page, so that it has started when the page greets it. The network
 * answers: of the two that race, this worker lets each request pass.
 */
const ROUTES: readonly Route[] = [
  { condition: { requestMode: 'navigate' }, source: 'race-network-and-fetch-handler' },
  ...(['cors', 'no-cors', 'same-origin'] as const).map((requestMode): Route => ({
    condition: { requestMode },
    source: 'network',
  })),
];

declare const self: ReadyMadeScope;
/** Not every browser has that. */
declare const InstallEvent: { readonly prototype: object } | undefined;

if ('ServiceWorkerGlobalScope' in globalThis) serve();
// A page without a bundler loads this file where it has no service worker.
else handOver(pageEngine);

function serve(): void {
  install(self);
  startEarly();
  // Else no worker controls a page on its first visit, and a newer worker would replace this one unasked.
  self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
}

/** Without such routes a listener for `fetch` would hold up every request of the page, so there is none. */
function startEarly(): void {
  if (typeof InstallEvent === 'undefined' || !('addRoutes' in InstallEvent.prototype)) return;
  self.addEventListener('install', (event) => void event.addRoutes?.(ROUTES).catch(() => {}));
  // A browser would skip a listener that does nothing, and warn of it.
  self.addEventListener('fetch', (event) => event.request);
}
