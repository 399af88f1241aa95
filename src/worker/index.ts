import { ENCRYPT } from '../shared/engine.ts';
import type { WorkerFunctions } from '../shared/engine.ts';
import { isEnvelope, isCall, refusal } from '../shared/guard.ts';
import { browserSystem } from './platform/browser-system.ts';
import { compose } from './compose.ts';
import type { WorkerEngine } from './compose.ts';
import type { ConfigureWorkerRequest } from './engine/request-context.ts';
import type { Envelope } from '../shared/guard.ts';
import { WORKER_CALLS } from '../shared/protocol.ts';

export type { ConfigureWorkerRequest, WorkerRequest } from './engine/request-context.ts';
export type { WorkerFunction, WorkerFunctions } from '../shared/engine.ts';

/** The part of a service worker's global scope that Offstage uses; `self` is one. */
export interface WorkerScope {
  readonly location: { readonly origin: string; readonly search?: string };
  readonly registration: { readonly scope: string; readonly sync?: BackgroundSync };
  readonly clients: { get(id: string): Promise<unknown> };
  /** The worker itself; not every browser has that. */
  readonly serviceWorker?: OwnState;
  addEventListener(type: 'message', listener: (event: WorkerMessage) => void): void;
  addEventListener(type: 'sync' | 'periodicsync', listener: (event: WorkerWake) => void): void;
  skipWaiting(): Promise<void>;
}

/** The part of a SyncManager that Offstage uses; not every browser has one. */
export interface BackgroundSync {
  register(tag: string): Promise<void>;
}

/** The part of a SyncEvent, and of a PeriodicSyncEvent, that Offstage uses. */
export interface WorkerWake {
  readonly tag: string;
  /** True where the browser does not try again. */
  readonly lastChance?: boolean;
  waitUntil(work: Promise<unknown>): void;
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

/** The options of an app's own worker. */
export interface InstallOptions {
  /**
   * Called with every request right before it is sent, those of loops included: the place for what must be fresh each
   * time. If it throws, the call fails with the code `protocol`.
   */
  readonly configureRequest?: ConfigureWorkerRequest;
  /**
   * Which pages are served (default: all windows of the origin). The calls of another page, or of one for which this
   * throws, fail with the code `not-connected`.
   */
  readonly allow?: AllowClient;
  /**
   * Pure functions, and Standard Schemas, that pages use by name: as the `transform` of an action, or as the `filter`
   * or the `sorter` of a window. A name that is not there fails with the code `function`.
   */
  readonly functions?: WorkerFunctions;
  /**
   * True: what is stored on the device is encrypted (default: as pages say by `connect({ encrypt: true })`). What was
   * stored in the clear is deleted.
   */
  readonly encrypt?: boolean;
}

/**
 * Makes an app's own service worker answer the app's resources: `install(self)`. It listens to messages of its own, and
 * leaves all other messages and the app's fetch events alone. Nothing runs before the first message, except that a
 * worker that is active opens what is stored when the browser starts it. A waiting worker replaces the active one when a
 * page asks it to (`connection.update`).
 */
export function install(
  scope: WorkerScope,
  {
    configureRequest = () => {},
    allow = () => true,
    functions = {},
    encrypt = saysEncrypt(scope),
  }: InstallOptions = {},
): void {
  let house: WorkerEngine | null = null;
  const isPresent = async (id: string): Promise<boolean> => (await scope.clients.get(id)) !== undefined;
  const retired = (): void => {
    house = null;
  };
  // A worker whose registration was taken away, by Clear-Site-Data for one, runs on: the next one runs the loops.
  const own = scope.serviceWorker;
  const retire = (): void => {
    if (own?.state === 'redundant') house?.rest();
  };
  own?.addEventListener('statechange', retire);
  const askForSync = (): void => void scope.registration.sync?.register(SYNC).catch(() => {});
  const engine = (): WorkerEngine => {
    if (house) return house;
    house = compose(browserSystem(), {
      scope: pathOf(scope.registration),
      host: 'service-worker',
      isPresent,
      configureRequest,
      functions: () => functions,
      encrypts: encrypt,
      retired,
      askForSync,
    });
    retire();
    return house;
  };
  // The browser starts it for the app's page, which needs a while until it has something to say.
  if (own?.state === 'activated') engine().warm();
  // The network is back, or the browser gives it some time: no page need be there.
  const wake = async ({ lastChance = false }: WorkerWake): Promise<void> => {
    if (await engine().wake()) return;
    // Where a page is there, the browser begins anew; without one it takes no such wish, and only what fails comes again.
    if (lastChance) askForSync();
    throw new Error('Writes wait for their server');
  };
  for (const type of ['sync', 'periodicsync'] as const)
    scope.addEventListener(type, (event) => {
      if (event.tag === SYNC) event.waitUntil(wake(event));
    });
  scope.addEventListener('message', (event) => {
    const { data, origin, source } = event;
    if (origin !== scope.location.origin || !isWindow(source)) return;
    if (isSkip(data) && isAllowed(allow, source)) void scope.skipWaiting();
    if (!isEnvelope(data)) return;
    if (!isAllowed(allow, source)) {
      turnAway(source, data);
      return;
    }
    event.waitUntil(engine().receive(source, data));
  });
}

/** The tag by which the browser is asked to wake the worker for what waits. */
const SYNC = 'offstage';

/** The script's URL has it from the page that registered it. */
function saysEncrypt({ location }: Pick<WorkerScope, 'location'>): boolean {
  return new URLSearchParams(location.search).has(ENCRYPT);
}

/** Scopes of one origin differ in their paths. */
function pathOf({ scope }: WorkerScope['registration']): string {
  const { pathname, search } = new URL(scope);
  return pathname + search;
}

/** The message by which workbox-window has a waiting worker replace the active one. */
function isSkip(data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'type' in data && data.type === 'SKIP_WAITING';
}

/** A page as the app's own predicate sees it. */
export interface ClientDescription {
  readonly url: string;
  readonly frameType: string;
}

/** Which pages are served. */
export type AllowClient = (client: ClientDescription) => boolean;

/** A page, not another worker or a port: the part of a WindowClient that Offstage uses. */
interface WindowSource extends ClientDescription {
  readonly id: string;
  readonly type: 'window';
  postMessage(message: unknown, transfer: readonly object[]): void;
}

function isWindow(source: unknown): source is WindowSource {
  if (typeof source !== 'object' || source === null) return false;
  return 'id' in source && 'postMessage' in source && 'type' in source && source.type === 'window';
}

/** A predicate that throws has not allowed anything. */
function isAllowed(allow: AllowClient, { url, frameType }: WindowSource): boolean {
  try {
    return allow({ url, frameType });
  } catch {
    return false;
  }
}

/** A page that is not served is told so, instead of being left to wait. */
function turnAway(source: WindowSource, { offstage: session, message }: Envelope): void {
  if (!isCall(message, WORKER_CALLS)) return;
  const failure = { code: 'not-connected', message: `The worker does not serve ${source.url}` } as const;
  source.postMessage({ offstage: session, message: refusal(message.id, failure) }, []);
}
