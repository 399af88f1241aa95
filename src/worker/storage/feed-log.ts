import { LIMITS } from '../../shared/limits.ts';

/** Which entries of a log are kept, and the bytes of each: known without reading them, since they may be large. */
export interface FeedLog {
  /** The number of the oldest entry; if there is none, that of the next. */
  readonly first: number;
  /** Bytes of each, the oldest first. */
  readonly sizes: readonly number[];
  /** The entries that go, and when: pages that may still want them have until then to come back. */
  readonly leaving?: Leaving;
}

export interface Leaving {
  /** The number of the last of them. */
  readonly upTo: number;
  /** Milliseconds of the epoch. */
  readonly at: number;
}

export const EMPTY: FeedLog = { first: 1, sizes: [] };

/**
 * Adds an entry, and drops the oldest ones as far as the log exceeds its bounds (invariant 7). If the new entry does
 * not follow the others, those go: a reader sees from `first` that it has missed some.
 */
export function extended(log: FeedLog, n: number, size: number): FeedLog {
  const follows = n === log.first + log.sizes.length;
  return bounded(follows ? { ...log, sizes: [...log.sizes, size] } : { first: n, sizes: [size] });
}

/**
 * Removes the entries up to and including `upTo`, which no present page wants. If absent pages have until `at` to come
 * back, the entries go with the first removal from then on. A wait that an earlier worker instance began ends at its
 * own time, however often workers have ended since: its pages have come back, or are too late.
 */
export function pruned(log: FeedLog, upTo: number, at: number, now: number): FeedLog {
  if (at <= now) return removed(log, upTo);
  const before = log.leaving;
  // No instance waits longer than the one after it: a later time is from a clock that was set back.
  const leaving = { upTo: Math.min(upTo, before?.upTo ?? upTo), at: Math.min(at, before?.at ?? at) };
  return leaving.at <= now ? pruned(removed(log, leaving.upTo), upTo, at, now) : { ...log, leaving };
}

/** The newest always stays, whatever its size: no page has seen it yet. */
function bounded(log: FeedLog): FeedLog {
  let bytes = log.sizes.reduce((total, size) => total + size, 0);
  let dropped = Math.max(0, log.sizes.length - LIMITS.feedEntries);
  for (const size of log.sizes.slice(0, dropped)) bytes -= size;
  for (const size of log.sizes.slice(dropped, -1)) {
    if (bytes <= LIMITS.feedBytes) break;
    bytes -= size;
    dropped += 1;
  }
  return without(log, dropped);
}

function without({ first, sizes, ...rest }: FeedLog, dropped: number): FeedLog {
  return { ...rest, first: first + dropped, sizes: sizes.slice(dropped) };
}

/** Entries that were leaving by then have gone, or are wanted again. */
function removed({ first, sizes }: FeedLog, upTo: number): FeedLog {
  return without({ first, sizes }, Math.min(Math.max(upTo - first + 1, 0), sizes.length));
}
