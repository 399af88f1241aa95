import type { Header } from '../../shared/header.ts';
import type { CacheInspection } from '../../shared/inspection.ts';
import type { Revision } from '../../shared/outcome.ts';
import type { ByteChange } from '../byte-change.ts';

/** What is known of a stored answer; its body lies apart, so that it is only read when somebody wants it. */
export interface StoredResponse {
  readonly key: string;
  readonly url: string;
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
  | { readonly kind: 'describe'; readonly stored: StoredResponse }
  | { readonly kind: 'replace'; readonly stored: StoredResponse; readonly body: ArrayBuffer }
  | {
      readonly kind: 'amend';
      readonly stored: StoredResponse;
      /** Makes the new bytes of those of the revision that is stored. */
      readonly change: ByteChange;
      /** The whole, for where the change alone is not worth storing; a function is only asked there. */
      readonly body: ArrayBuffer | (() => ArrayBuffer);
    };

/** Where the cache keeps its answers. All calls may reject: the cache then does without. */
export interface ResponseStore {
  find(partition: string, key: string): Promise<StoredResponse | null>;
  /** Those of all answers that are stored. */
  keys(partition: string): Promise<string[]>;
  /** Null where it is gone, damaged, or has been replaced since. */
  body(partition: string, stored: StoredResponse): Promise<ArrayBuffer | null>;
  /**
   * Asks `decide` with what is stored now and carries out what it says, both in one transaction, since other calls
   * and other hosts write too. `decide` may be asked again when a first try found no room.
   */
  update(partition: string, key: string, decide: (current: StoredResponse | null) => Change): Promise<Change>;
  remove(partition: string, key: string): Promise<void>;
  clear(partition: string): Promise<void>;
  /** The partition's salt; the candidate becomes it where there is none yet. */
  salt(partition: string, candidate: string): Promise<string>;
  inspect(partition: string): Promise<CacheInspection>;
}
