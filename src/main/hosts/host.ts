import type { EarlyEngine } from '../../shared/early.ts';

export interface Endpoint {
  /** Throws where there is no engine to post to. */
  post(message: unknown, transfer: readonly object[]): void;
  /** `receive` gets every message and returns true for those it handles. The returned function stops listening. */
  listen(receive: (data: unknown) => boolean): () => void;
}

/** Where the engine runs, as the page sees it. */
export interface Host {
  /** Null until it is decided; decided once `ready` has settled. */
  readonly kind: HostKind | null;
  /** The engine's own endpoint. It stays with that engine when the host moves. */
  readonly endpoint: Endpoint;
  /** Resolves once messages can be posted; rejects with the reason where that is impossible. */
  ready(): Promise<void>;
  /** Reports that a greeting was answered, or was not. */
  greeted(answered: boolean): void;
  /** True where a newer worker waits to replace the active one. */
  readonly waiting: boolean;
  /** Watches for changes of the host; the returned function stops that. */
  watch(watcher: HostWatcher): () => void;
  /** An engine for the first calls of a page that has no worker yet; null in any other page. Missing for never. */
  readonly early?: () => Promise<EarlyEngine | null> | null;
  /** A worker's script that is not there yet is fetched when this resolves: it would be in the way of the first answer. */
  readonly begin?: (calm: Promise<void>) => void;
  /** Makes the waiting worker replace the active one; resolves once it is active, rejects where it is not in time. */
  skipWaiting(): Promise<void>;
}

/** A host that can move between service worker and page, and says why it is where it is. */
export interface MovingHost extends Host {
  /** Why the engine does not run in a service worker, in words. Null where it does, and until that is decided. */
  readonly reason: string | null;
  close(): void;
}

export interface HostWatcher {
  readonly waiting?: () => void;
  /** The worker that got the last message is gone: replaced or unregistered. */
  readonly replaced?: () => void;
  /** Another engine has taken the lock from the page's engine: a worker is active. */
  readonly lockStolen?: () => void;
  /** Greet the engine elsewhere from now on: a service worker answers, where the page ran its own engine. */
  readonly moved?: () => void;
  readonly decided?: () => void;
}

export type HostKind = 'service-worker' | 'page';
