/** Where the engine runs, seen from the page: something that can be posted to and that posts back. */
export interface Host {
  /** Null until it is decided, which it is once `ready` has settled. */
  readonly kind: HostKind | null;
  /** Resolves once messages can be posted; rejects with a reason where that cannot be had. */
  ready(): Promise<void>;
  /** Throws where there is nobody to post to. */
  post(message: unknown, transfer: readonly object[]): void;
  /** Hears every message, and says whether it was for it; the returned function ends that. */
  listen(receive: (data: unknown) => boolean): () => void;
  /** A greeting was answered, or was not: a worker that never answers is none. */
  greeted(answered: boolean): void;
  /** Whether a newer worker waits to replace the one that is active. */
  readonly waiting: boolean;
  /** Hears of changes of the worker; the returned function ends that. */
  watch(watcher: HostWatcher): () => void;
  /** Has the waiting worker replace the active one; resolves once it is active, rejects where it is not in time. */
  skipWaiting(): Promise<void>;
}

/** Who hears of changes of the worker. */
export interface HostWatcher {
  /** `waiting` may have changed. */
  readonly waiting?: () => void;
  /** The worker that was posted to last is no more: another has replaced it, or it was unregistered. */
  readonly replaced?: () => void;
}

export type HostKind = 'service-worker' | 'page';
