import type { Header } from '../../shared/header.ts';
import type { CacheInspection } from '../../shared/inspection.ts';
import type { Revision } from '../../shared/outcome.ts';
import type { ByteDelta } from './byte-delta.ts';
import type { Lookup } from './lookup.ts';

/** What is known of a stored answer; its body lies apart, so that it is only read when somebody wants it. */
export interface StoredResponse {
  readonly key: string;
  readonly url: string;
  /** The origin that sent it, where a redirect led to another than the one that was asked. */
  readonly sender?: string;
  /** The URL of the origin that was asked that a redirect led to, where one did. */
  readonly finalUrl?: string;
  readonly status: number;
  readonly headers: readonly Header[];
  /** Milliseconds of the epoch at which its server last sent or confirmed it. */
  readonly receivedAt: number;
  /** Tells the body from others: see `digestInParts`. */
  readonly digest: string;
  /** Bytes of the body. */
  readonly size: number;
  readonly revision: Revision;
}

/** What a new answer means for what is stored. */
export type Change =
  | { readonly kind: 'keep' }
  | { readonly kind: 'remove' }
  | { readonly kind: 'describe'; readonly stored: StoredResponse }
  | { readonly kind: 'replace'; readonly stored: StoredResponse; readonly body: ArrayBuffer }
  | {
      readonly kind: 'amend';
      readonly stored: StoredResponse;
      readonly from: Revision;
      /** Makes the new bytes of those of that revision. */
      readonly change: ByteDelta;
      /** The whole, for where the change alone is not worth storing. */
      readonly body: ArrayBuffer;
    };

/** What is to be stored of an answer, and when that comes to pass, what it means for what is stored then. */
export interface Order {
  readonly key: string;
  /** What is found from now on; null for an answer that is removed. */
  readonly stored: StoredResponse | null;
  /** Its bytes; null where they are those from before. */
  readonly body: ArrayBuffer | null;
  /** Whether it builds on what was ordered before it, which is then stored as well. */
  readonly follows: boolean;
  readonly decide: (current: StoredResponse | null) => Change;
  /** It is not stored, nor will be. */
  readonly lost: () => void;
}

/**
 * Where the cache keeps its answers. Reads never reject: they find, find nothing, or do not know. What was ordered is
 * found at once, whenever it is stored.
 */
export interface ResponseStore {
  find(partition: string, key: string): Promise<Lookup<StoredResponse>>;
  /** So many keys after that one, in order, of what is stored; those between them that are on their way as well. */
  keys(partition: string, after: string | null, limit: number): Promise<Lookup<readonly string[]>>;
  /** Absent where it is gone, damaged, or has been replaced since. */
  body(partition: string, stored: StoredResponse): Promise<Lookup<ArrayBuffer>>;
  /** Has it stored by and by; tells whether it is, or something newer, once that is known. Never rejects. */
  write(partition: string, order: Order): Promise<boolean>;
  /** What was ordered so far is stored, or will not be soon. Never rejects. */
  settled(partition: string): Promise<void>;
  clear(partition: string): Promise<void>;
  /** The partition's salt; the candidate becomes it where there is none yet. */
  salt(partition: string, candidate: string): Promise<string>;
  inspect(partition: string): Promise<CacheInspection>;
}
