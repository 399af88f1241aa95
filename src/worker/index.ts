import { isEnvelope } from '../shared/guard.ts';
import { browserSystem } from './browser-system.ts';
import { compose } from './compose.ts';
import type { House } from './compose.ts';
import type { ConfigureWorkerRequest } from './configure.ts';

export type { ConfigureWorkerRequest, WorkerRequest } from './configure.ts';

/** The part of a service worker's global scope that Offstage uses; `self` is one. */
export interface WorkerScope {
  readonly clients: { get(id: string): Promise<unknown> };
  addEventListener(type: 'message', listener: (event: WorkerMessage) => void): void;
}

/** The part of an ExtendableMessageEvent that Offstage uses. */
export interface WorkerMessage {
  readonly data: unknown;
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
}

/**
 * Makes an app's own service worker answer the app's resources: `install(self)`. It listens to messages of its own and
 * leaves all other messages, and the app's fetch events, alone. Nothing runs before the first message.
 */
export function install(scope: WorkerScope, { configureRequest = () => {} }: InstallOptions = {}): void {
  let house: House | null = null;
  const isPresent = async (id: string): Promise<boolean> => (await scope.clients.get(id)) !== undefined;
  scope.addEventListener('message', (event) => {
    const { data, source } = event;
    if (!isEnvelope(data) || !isWindow(source)) return;
    house ??= compose(browserSystem(), { isPresent, configureRequest });
    event.waitUntil(house.receive(source, data));
  });
}

interface WindowSource {
  readonly id: string;
  postMessage(message: unknown, transfer: readonly object[]): void;
}

/** A page, as against another worker or a port. */
function isWindow(source: unknown): source is WindowSource {
  return typeof source === 'object' && source !== null && 'id' in source && 'postMessage' in source;
}
