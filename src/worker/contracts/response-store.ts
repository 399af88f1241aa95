import type { Header } from '../../shared/header.ts';
import type { CacheInspection } from '../../shared/inspection.ts';
import type { Revision } from '../../shared/outcome.ts';
import type { ByteDelta } from './byte-delta.ts';
import type { Lookup } from './lookup.ts';

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
  /** True once a write to its URL is done: it must be validated before it is fresh again. Missing for false. */
  readonly isOutdated?: boolean;
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
