/** Where messages go to an engine, and come from. */
export interface Endpoint {
  /** Throws where there is nobody to post to. */
  post(message: unknown, transfer: readonly object[]): void;
  /** Hears every message, and says whether it was for it; the returned function ends that. */
  listen(receive: (data: unknown) => boolean): () => void;
}

/** Where the engine runs, seen from the page: something that can be posted to and that posts back. */
export interface Host {
  /** Null until it is decided, which it is once `ready` has settled. */
  readonly kind: HostKind | null;
  /** The engine's own endpoint: it stays that engine's when the host moves. */
  readonly endpoint: Endpoint;
  /** Resolves once messages can be posted; rejects with a reason where that cannot be had. */
  ready(): Promise<void>;
  /** A greeting was answered, or was not. */
  greeted(answered: boolean): void;
  /** Whether a newer worker waits to replace the one that is active. */
  readonly waiting: boolean;
  /** Hears of changes of the host; the returned function ends that. */
  watch(watcher: HostWatcher): () => void;
  /** Has the waiting worker replace the active one; resolves once it is active, rejects where it is not in time. */
  skipWaiting(): Promise<void>;
}

/** A host that may be the one or the other, and says why. */
export interface MovingHost extends Host {
  /** Why the engine does not run in a service worker, in words; null where it does, and while that is open. */
  readonly reason: string | null;
  /** Nobody needs it any more: it looks for nothing. */
  close(): void;
}

/** A listener for changes of the host. */
export interface HostWatcher {
  /** `waiting` may have changed. */
  readonly waiting?: () => void;
  /** The worker that was posted to last is no more: another has replaced it, or it was unregistered. */
  readonly replaced?: () => void;
  /** Another engine has taken the lock from the one in the page: a worker acts. */
  readonly lockStolen?: () => void;
  /** The engine is to be greeted elsewhere from now on: a service worker answers where the page ran its own. */
  readonly moved?: () => void;
  /** `kind` or `reason` may have changed. */
  readonly decided?: () => void;
}

export type HostKind = 'service-worker' | 'page';
