import type { WorkerFunctions } from '../shared/engine.ts';
import { isEnvelope } from '../shared/guard.ts';
import { isAllowed, isWindow, turnAway } from './client-access.ts';
import type { AllowClient } from './client-access.ts';
import { browserSystem } from './platform/browser-system.ts';
import { compose } from './compose.ts';
import type { WorkerEngine } from './compose.ts';
import type { ConfigureWorkerRequest } from './engine/configure.ts';

export type { AllowClient, ClientDescription } from './client-access.ts';
export type { ConfigureWorkerRequest, WorkerRequest } from './engine/configure.ts';
export type { WorkerFunction, WorkerFunctions } from '../shared/engine.ts';

/** The part of a service worker's global scope that Offstage uses; `self` is one. */
export interface WorkerScope {
  readonly location: { readonly origin: string };
  readonly registration: { readonly scope: string };
  readonly clients: { get(id: string): Promise<unknown> };
  /** The worker itself; not every browser has that. */
  readonly serviceWorker?: OwnState;
  addEventListener(type: 'message', listener: (event: WorkerMessage) => void): void;
  skipWaiting(): Promise<void>;
}

/** The part of a ServiceWorker that Offstage uses. */
export interface OwnState {
  readonly state: string;
  addEventListener(type: 'statechange', listener: () => void): void;
}

/** The part of an ExtendableMessageEvent that Offstage uses. */
export interface WorkerMessage {
  readonly data: unknown;
  readonly origin: string;
  readonly source: unknown;
  waitUntil(work: Promise<unknown>): void;
}

/** What an app's own worker may add. */
export interface InstallOptions {
  /**
   * Sees every request right before it is sent, those of loops included: the place for what must be fresh each time.
   * What it throws makes the call fail with the code `protocol`.
   */
  readonly configureRequest?: ConfigureWorkerRequest;
  /**
   * Which pages are served (default: all windows of the origin). Another one's calls fail with the code
   * `not-connected`, as they do where this throws.
   */
  readonly allow?: AllowClient;
  /**
   * Pure functions, and Standard Schemas, that pages use by name: as the `transform` of an action, the `filter` or the
   * `sorter` of a window. What is not there fails with the code `function`.
   */
  readonly functions?: WorkerFunctions;
}

/**
 * Makes an app's own service worker answer the app's resources: `install(self)`. It listens to messages of its own and
 * leaves all other messages, and the app's fetch events, alone. Nothing runs before the first message; a worker that
 * waits replaces the active one when a page has it do so (`connection.update`).
 */
export function install(
  scope: WorkerScope,
  { configureRequest = () => {}, allow = () => true, functions = {} }: InstallOptions = {},
): void {
  let house: WorkerEngine | null = null;
  const isPresent = async (id: string): Promise<boolean> => (await scope.clients.get(id)) !== undefined;
  const retired = (): void => {
    house = null;
  };
  // It runs on where its registration was taken away, by Clear-Site-Data for one: the next one runs the loops then.
  const own = scope.serviceWorker;
  const retire = (): void => {
    if (own?.state === 'redundant') house?.rest();
  };
  own?.addEventListener('statechange', retire);
  scope.addEventListener('message', (event) => {
    const { data, origin, source } = event;
    if (origin !== scope.location.origin || !isWindow(source)) return;
    if (isSkip(data) && isAllowed(allow, source)) void scope.skipWaiting();
    if (!isEnvelope(data)) return;
    if (!isAllowed(allow, source)) {
      turnAway(source, data);
      return;
    }
    if (!house) {
      house = compose(browserSystem(), {
        scope: pathOf(scope.registration),
        host: 'service-worker',
        isPresent,
        configureRequest,
        functions: () => functions,
        retired,
      });
      retire();
    }
    event.waitUntil(house.receive(source, data));
  });
}

/** Of one origin the path tells scopes apart. */
function pathOf({ scope }: WorkerScope['registration']): string {
  const { pathname, search } = new URL(scope);
  return pathname + search;
}

/** The message by which workbox-window has a waiting worker replace the active one. */
function isSkip(data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'type' in data && data.type === 'SKIP_WAITING';
}
