/**
 * The outside world as parameters: time, network, randomness, locks and storage. The browser's is made in
 * `browser-system.ts`; unit tests run the same rooms under a virtual clock.
 */
export interface System {
  readonly clock: Clock;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Whether the device believes it has a network: false is certain, true is not. */
  readonly isOnline: () => boolean;
  /** Resolves once whatever else waits on this thread has had its turn. */
  readonly pause: () => Promise<void>;
  /** From 0 up to, not including, 1. */
  readonly random: () => number;
  /** A new unguessable name. */
  readonly uuid: () => string;
  /** SHA-256 in hexadecimal: equal digests are taken for equal bytes. */
  readonly digest: (bytes: Uint8Array<ArrayBuffer>) => Promise<string>;
  /** Null where the platform has no Web Locks. */
  readonly locks: Pick<LockManager, 'request'> | null;
  /** Null where the platform has no IndexedDB. */
  readonly indexedDB: IDBFactory | null;
}

export interface Clock {
  /** Milliseconds of the epoch. */
  now(): number;
  /** Resolves after so many milliseconds, or as soon as the signal aborts; it never rejects. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}
