/** The outside world as parameters. `browser-system.ts` makes the browser's; unit tests have a virtual clock. */
export interface System {
  readonly clock: Clock;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** False if the device certainly has no network; true is not certain. */
  readonly isOnline: () => boolean;
  /** Resolves once all other work that waits on this thread has had its turn. */
  readonly pause: () => Promise<void>;
  /** From 0 up to, not including, 1. */
  readonly random: () => number;
  /** A new unguessable name. */
  readonly uuid: () => string;
  /** SHA-256 in hexadecimal: equal digests are taken for equal bytes. */
  readonly digest: (bytes: Uint8Array<ArrayBuffer>) => Promise<string>;
  /** Null if the platform has no Web Locks. */
  readonly locks: Pick<LockManager, 'request'> | null;
  /** Null if the platform has no WebCrypto, as in a page that came over plain http. */
  readonly crypto: Pick<Crypto, 'subtle' | 'getRandomValues'> | null;
  /** A line of that name between all engines of the origin; null if the platform has none. */
  readonly channel: ((name: string) => PeerChannel) | null;
  /** Null if the platform has no IndexedDB. */
  readonly indexedDB: IDBFactory | null;
  /** Null if the platform has but one place for databases. */
  readonly spare: SparePlace | null;
}

/** Another place for databases of the origin, in files of its own: what damages the files of the others leaves these alone. */
export interface SparePlace {
  /** Resolves with true if somebody has opened it before. */
  isThere(): Promise<boolean>;
  /** Makes it where it is not there. */
  open(): Promise<IDBFactory>;
}

/** Reaches every other engine that has a line of that name. */
export interface PeerChannel {
  post(message: unknown): void;
  hear(listener: (message: unknown) => void): void;
  close(): void;
}

export interface Clock {
  /** Milliseconds of the epoch. */
  now(): number;
  /** Resolves after so many milliseconds, or as soon as the signal aborts; it never rejects. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}
