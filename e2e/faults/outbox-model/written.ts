import type { User, WriteAction } from './plan.ts';

/** A row of a list. Its tag stays the same, whatever its id. */
export interface Row {
  readonly id: number | string;
  readonly tag: string;
  readonly title: string;
  readonly likes?: number;
}

/** A call that changes the list, and all that the model knows of it. Times are those of the timeline. */
export interface Written {
  /** Counts the calls: data of the write have it as `w`. */
  readonly n: number;
  readonly action: WriteAction;
  readonly user: User;
  /** The life of the page that has made it. */
  readonly page: object;
  /** Counts the users of that page, one after the other. */
  readonly era: number;
  /** The tag of the row that it creates or changes. */
  readonly tag: string;
  /** The writes that have created what it names by a temporary id. */
  readonly maker: Written | null;
  readonly calledAt: number;
  /** The titles that it may give, as somebody has edited it: one, unless an edit is under way. */
  titles: readonly string[];
  /** The titles before the last edit, and when that was known to be made; null where nobody has edited it. */
  edited: { readonly titles: readonly string[]; readonly at: number } | null;
  /** What came of the call: `called` until that is known. A call that has failed may have been queued all the same. */
  call: 'called' | 'queued' | 'failed' | 'answered';
  queuedAt: number | null;
  entry: string | null;
  /** The version of the list that has it; null before. */
  version: number | null;
  /** The id that its server has given to what it has created. */
  givenId: number | null;
  /** True where a worker may not have heard what the server has performed. */
  isLost: boolean;
  /** When a worker heard last that it is performed. */
  answeredAt: number | null;
  /** When the server has refused it last, and when it was sent on after that. */
  refusedAt: number | null;
  resumedAt: number | null;
  /** When a page has heard that it was refused. */
  reviewedAt: number | null;
  /** Its lane has gone on without it. */
  wasAside: boolean;
  /** How often all databases had been lost before it was called. */
  readonly losses: number;
  /** It was lost since, and may come back later than its lane waits for it. */
  comesLate: boolean;
  discard: 'none' | 'called' | 'done';
  discardedAt: number | null;
  /** A retry of what is in review is under way, and when one was last; null before. */
  isRetried: boolean;
  retriedAt: number | null;
}

/** True where it waits for its server, as far as the model knows. */
export function isWaiting(write: Written): boolean {
  return write.version === null && write.discard !== 'done' && !isAside(write);
}

/** True where its server has refused it, and nobody has sent it on. */
export function isAside({ refusedAt, resumedAt }: Written): boolean {
  return refusedAt !== null && refusedAt > (resumedAt ?? -Infinity);
}

/** True where what it names may never be created, so that it may be in review without having been sent. */
export function isOrphan({ maker }: Written): boolean {
  return maker !== null && (maker.discard !== 'none' || isOrphan(maker));
}

export function isQueued({ action }: Written): boolean {
  return action !== 'like';
}

/** Writes to rows keep one order; those that only count another. */
export function laneOf({ action }: Written): string {
  return action === 'love' ? 'loves' : 'photos';
}

/** True where a function of the app's own shows it. */
export function isByApp({ action }: Written): boolean {
  return action === 'love' || action === 'like';
}
