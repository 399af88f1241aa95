import type { Lookup } from './response-store.ts';

/** What the root database holds. It names nobody: only who knows a name can tell whether it is the one. */
export interface RootRecord {
  /** The partition of the present identity: an opaque name, new with every change. */
  readonly partition: string;
  /** A salted digest of the identity's name; null while nobody is signed in. */
  readonly digest: string | null;
  /** See `Identity.epoch`. */
  readonly epoch: number;
  readonly salt: string;
  /**
   * Partitions that are to be deleted, and outboxes of which what has ended is to be deleted (`outboxOf`): their identities have been
   * signed out.
   */
  readonly doomed: readonly string[];
}

/** What the names of outboxes in `RootRecord.doomed` begin with: no partition's does. */
export const OUTBOX = 'outbox:';

/** That of the identity with that digest. */
export function outboxOf(digest: string | null): string {
  return `${OUTBOX}${digest ?? ''}`;
}

/** Where the partition of an identity is stored. */
export type Place =
  | InDatabase
  /** There is no database to be had, for this reason. */
  | InMemory;

export interface InDatabase {
  readonly kind: 'database';
  readonly partition: string;
  /** The digest of who is signed in; null for nobody. */
  readonly owner: string | null;
  /** How that digest is made; missing for nobody. */
  readonly digests?: OwnerDigests;
}

export interface OwnerDigests {
  /** The present one. */
  readonly salt: string;
  /** The digest by another salt. Resolves once the name of who is signed in is known: that is not stored. */
  readonly by: (salt: string) => Promise<string>;
}

export interface InMemory {
  readonly kind: 'memory';
  readonly reason: string;
  /** Only where the disk is late: resolves with where it is once the disk answers, for what memory cannot stand for. */
  readonly later?: Promise<Place>;
}

/** The answer of the root database. `unknown`: it has failed or is late. */
export type RootLookup = Exclude<Lookup<RootRecord>, { readonly kind: 'absent' }> | RootMemory;

/** No database can be had; `isLate`: perhaps later. */
export interface RootMemory {
  readonly kind: 'memory';
  readonly reason: string;
  readonly isLate?: boolean;
}

/** Where something is whose place memory cannot take: that of the database, however late it is. */
export async function lasting(place: Promise<Place>): Promise<Place> {
  const located = await place;
  return located.kind === 'memory' && located.later ? located.later : located;
}

/** Where it is stored who is signed in. */
export interface RootStore {
  /** The stored record. Where there is none, `blank` becomes it. Never rejects. */
  read(blank: RootRecord): Promise<RootLookup>;
  /** Replaces the record, in one transaction; resolves with the new one. Rejects if that fails or is late. */
  update(change: (stored: RootRecord | null) => RootRecord): Promise<RootRecord>;
}

/** The first partition: nobody's, until somebody signs in. */
export const FIRST = 'default';

/** News of a database: only memory is left, it is open, or it is full. */
export type StorageNews =
  /** It cannot be opened: from now on there is only memory. */
  | { readonly kind: 'memory'; readonly reason: string }
  /** It is open. One that was made at another time has been deleted since, with all that it held. */
  | { readonly kind: 'opened'; readonly name: string; readonly madeAt: number }
  /** The browser had no more room for it, so stored answers were removed. */
  | { readonly kind: 'full' };

export type TellStorage = (news: StorageNews) => void;
