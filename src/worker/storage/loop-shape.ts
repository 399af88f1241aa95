import { LIMITS } from '../../shared/limits.ts';
import type { Failure } from '../../shared/failure.ts';
import type { Header } from '../../shared/header.ts';
import type { Answer, AnswerBody, Outcome, Revision, SentRequest } from '../../shared/outcome.ts';
import {
  bytes,
  count,
  either,
  flag,
  integer,
  list,
  must,
  numberFrom,
  object,
  ordinal,
  orMissing,
  pair,
  text,
  variants,
  word,
} from '../../shared/shape.ts';
import type { Shape } from '../../shared/shape.ts';
import type { FeedEntry, LoopState } from '../contracts/loop-store.ts';

/** Milliseconds between two looks for forgotten loops. */
export const DAY: number = 24 * 60 * 60 * 1_000;

/** The loop, if it is whole: data on a disk may be damaged, or written by other code. */
export function intactLoop(value: unknown): StoredLoop | null {
  return isLoop(value) ? value : null;
}

export function intactEntry(value: unknown): FeedEntry | null {
  if (!isEntry(value)) return null;
  const { offset, outcome, size, receivedAt } = value;
  return receivedAt === undefined ? { offset, outcome, size } : { offset, outcome, size, receivedAt };
}

const nothing: Shape<null> = must((value) => value === null, 'be null');
const anything: Shape<unknown> = must(() => true, 'be there');
const finite: Shape<number> = must((value) => Number.isFinite(value), 'be a number');

const spoken = object<{ readonly code: string; readonly message: string }>({ code: text, message: text });
const failure: Shape<Failure> = must((value) => spoken(value) === null, 'be a failure');

const loop: Shape<StoredLoop> = object<StoredLoop>({
  key: text,
  record: object<LoopState>({
    key: text,
    failures: count,
    notBefore: finite,
    waitsSince: orMissing(finite),
    failure: either(nothing, failure),
    cursor: either(nothing, text),
    log: text,
    last: count,
    acknowledged: orMissing(count),
    answeredAt: finite,
  }),
  log: object<FeedLog>({
    first: ordinal,
    sizes: list(numberFrom(0)),
    leaving: orMissing(object<Leaving>({ upTo: integer, at: finite })),
  }),
  usedAt: finite,
});

const headers: Shape<readonly Header[]> = list(pair(text, text));

const answer: Shape<Answer> = object<Answer>({
  status: count,
  headers,
  body: variants<AnswerBody>({
    value: { value: anything, size: orMissing(count), isLeftOut: orMissing(flag) },
    bytes: { bytes, type: text },
  }),
});

const request: Shape<SentRequest> = object<SentRequest>({ method: text, url: text, headers });

const outcome: Shape<Outcome> = variants<Outcome>({
  answered: {
    answer,
    servedFrom: word({ network: true, cache: true }),
    confirmed: flag,
    stale: flag,
    age: finite,
    changed: flag,
    revision: either(nothing, object<Revision>({ lineage: text, number: finite })),
    request,
    asOf: orMissing(finite),
    endedAt: orMissing(finite),
  },
  failed: {
    failure,
    answer: either(nothing, answer),
    request: either(nothing, request),
    lost: orMissing(flag),
    servedFrom: orMissing(word({ cache: true })),
    age: orMissing(finite),
  },
});

const entry: Shape<FeedEntry> = object<FeedEntry>({
  offset: ordinal,
  outcome,
  size: numberFrom(0),
  receivedAt: orMissing(finite),
});

function isLoop(value: unknown): value is StoredLoop {
  return loop(value) === null;
}

function isEntry(value: unknown): value is FeedEntry {
  return entry(value) === null;
}

/** A loop as it is in the database, with what is known of its log; the entries are stored apart. */
export interface StoredLoop {
  readonly key: string;
  readonly record: LoopState;
  readonly log: FeedLog;
  /** Milliseconds of the epoch: when its record was written last. */
  readonly usedAt: number;
}

/**
 * True if the loop is unused for so long that no page will use it. Answers and failures are uses, and so is a page that
 * begins in its feed, which may have to wait long for the first answer.
 */
export function isForgotten({ usedAt, record }: Pick<StoredLoop, 'usedAt' | 'record'>, now: number): boolean {
  return now - Math.max(usedAt, record.notBefore) > LIMITS.loopLifetime;
}

/**
 * Call it in the write itself, which may come late. @throws Error if an answer newer than `known` is stored in the log.
 */
export function assertNotOvertaken(stored: LoopState | null, { key, log }: LoopState, known: number): void {
  if (stored?.log === log && stored.last > known)
    throw new Error(`Answer ${stored.last} of loop '${key}' has been stored meanwhile`);
}

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
  let weight = log.sizes.reduce((total, size) => total + size, 0);
  let dropped = Math.max(0, log.sizes.length - LIMITS.feedEntries);
  for (const size of log.sizes.slice(0, dropped)) weight -= size;
  for (const size of log.sizes.slice(dropped, -1)) {
    if (weight <= LIMITS.feedBytes) break;
    weight -= size;
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
