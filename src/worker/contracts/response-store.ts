import type { Header } from '../../shared/header.ts';
import type { CacheInspection } from '../../shared/inspection.ts';
import type { Revision } from '../../shared/outcome.ts';

/** A stored answer without its body, which lies apart, so that it is read only when it is needed. */
export interface StoredResponse {
  readonly key: string;
  readonly url: string;
  /** The origin that sent it, where a redirect led to another origin than the one that was asked. */
  readonly sender?: string;
  /** The URL that a redirect led to, on the origin that was asked; missing where there was none. */
  readonly finalUrl?: string;
  readonly status: number;
  readonly headers: readonly Header[];
  /** Milliseconds of the epoch: when its server last sent or confirmed it. */
  readonly receivedAt: number;
  /** Milliseconds from the request to the answer's headers; missing for 0. */
  readonly delay?: number;
  /** Tells the body from others: see `digestInParts`. */
  readonly digest: string;
  /** Bytes of the body. */
  readonly size: number;
  readonly revision: Revision;
  /**
   * A salt and a digest: the headers that it varies by, where the worker's hook or a loop's cursor made them others than
   * the page did, which the key has. Missing where they are the page's.
   */
  readonly selectedBy?: string;
  /** Names the secret headers of its request, which this worker instance alone knows. Missing where none count. */
  readonly proof?: string;
  /** True if another origin keeps its `Vary` to itself: any header that its request did not have may select another. */
  readonly hidesVary?: boolean;
  /** True once a write may have changed what its URL says: it must be validated before it is fresh again. Missing for false. */
  readonly isOutdated?: boolean;
  /**
   * The ETag of a newer version that was seen, or that a write of ours has made; empty where that is not known. Missing where no other
   * is known than its own.
   */
  readonly newer?: string;
}

/** How a new answer changes what is stored. */
export type Change =
  | { readonly kind: 'keep' }
  | { readonly kind: 'remove' }
  | { readonly kind: 'describe'; readonly stored: StoredResponse }
  | { readonly kind: 'replace'; readonly stored: StoredResponse; readonly body: ArrayBuffer }
  | {
      readonly kind: 'amend';
      readonly stored: StoredResponse;
      readonly from: Revision;
      /** Makes the new bytes from those of that revision. */
      readonly change: ByteDelta;
      /** The whole, for where the change alone is not worth storing. */
      readonly body: ArrayBuffer;
    };

/** An order to store an answer. When it is carried out, `decide` says how it changes what is stored by then. */
export interface Order {
  readonly key: string;
  /** The answer that is found from now on; null for one that is removed. */
  readonly stored: StoredResponse | null;
  /** Its bytes; null where they stay the same. */
  readonly body: ArrayBuffer | null;
  /** True where it builds on the order before it, which is then stored as well. */
  readonly follows: boolean;
  /** True for the answer of a loop, which the next one follows: it may wait until others are written as well. */
  readonly isPatient?: boolean;
  readonly decide: (current: StoredResponse | null) => Change;
  /** It is not stored, and will not be. */
  readonly lost: () => void;
}

/** Begins what keys call a URL while it is not known what they call it in the storage: under another name, perhaps. */
export const UNNAMED = 'unnamed:';

/** Where the cache keeps its answers: those of one partition. Reads never reject. What was ordered is found at once, stored or not. */
export interface ResponseStore {
  find(key: string): Promise<Lookup<StoredResponse>>;
  /** At most `limit` stored keys after `after`, in order, and those between them that are still to be stored. */
  keys(after: string | null, limit: number): Promise<Lookup<readonly string[]>>;
  /** Absent where it is gone or damaged, or has been replaced. */
  body(stored: StoredResponse): Promise<Lookup<ArrayBuffer>>;
  /** Has it stored later. Resolves with whether it, or something newer, is stored. Never rejects. */
  write(order: Order): Promise<boolean>;
  /** Resolves when what was ordered so far is stored, or will not be soon. Never rejects. */
  settled(): Promise<void>;
  clear(): Promise<void>;
  /** True if keys call URLs by digests. */
  readonly hidesUrls: boolean;
  /** What keys call that URL: itself, or its digest where what is stored is encrypted. */
  nameOf(url: string): string | Promise<string>;
  /** The salt of what is stored. The candidate becomes it where there is none yet. */
  salt(candidate: string): Promise<string>;
  inspect(): Promise<CacheInspection>;
}

/** The change from the bytes of a revision to new bytes. */
export interface DeltaFrom {
  readonly from: Revision;
  readonly change: ByteDelta;
}

/** Makes new bytes from the bytes before. */
export interface ByteDelta {
  /** Pairs: a start in the old bytes, or -1 for the next of `literal`, and a number of bytes. */
  readonly runs: readonly number[];
  readonly literal: ArrayBuffer;
  /** Bytes of the result. */
  readonly size: number;
}

/**
 * The answer of a storage. It is `unknown` where the storage failed or was late: what may still be there must not be
 * overwritten, pruned or begun anew then.
 */
export type Lookup<T> =
  | { readonly kind: 'found'; readonly value: T }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown'; readonly error: unknown };

export const ABSENT: Lookup<never> = { kind: 'absent' };

/** Reads. Null means absent, and a rejection means unknown. Never rejects. */
export async function lookUp<T>(read: () => Promise<T | null>): Promise<Lookup<T>> {
  try {
    const value = await read();
    return value === null ? ABSENT : { kind: 'found', value };
  } catch (error) {
    return { kind: 'unknown', error };
  }
}

/** Reads a list: an empty one is absent. Never rejects. */
export function lookUpAll<T>(read: () => Promise<readonly T[]>): Promise<Lookup<readonly T[]>> {
  return lookUp(async () => {
    const all = await read();
    return all.length > 0 ? all : null;
  });
}

/** The value that was found; null where there is none, and where that is unknown. */
export function foundIn<T>(lookup: Lookup<T>): T | null {
  return lookup.kind === 'found' ? lookup.value : null;
}

export async function orElse<T>(otherwise: T, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch {
    return otherwise;
  }
}
