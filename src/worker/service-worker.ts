import { handOver } from '../shared/engine.ts';
import { pageEngine } from './in-page.ts';
import { install } from './index.ts';
import type { WorkerScope } from './index.ts';

/** The part of the global scope that this worker uses beside the library's. */
interface ReadyMadeScope extends Pick<WorkerScope, 'location' | 'registration' | 'skipWaiting'> {
  readonly clients: WorkerScope['clients'] & { claim(): Promise<void> };
  readonly addEventListener: WorkerScope['addEventListener'] &
    ((type: 'activate', listener: (event: Activation) => void) => void);
}

interface Activation {
  waitUntil(work: Promise<void>): void;
}

declare const self: ReadyMadeScope;

if ('ServiceWorkerGlobalScope' in globalThis) serve();
// A page without a bundler loads this file where it has no service worker.
else handOver(pageEngine);

function serve(): void {
  install(self);
  // Else no worker controls a page on its first visit, and a newer worker would replace this one unasked.
  self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
}
