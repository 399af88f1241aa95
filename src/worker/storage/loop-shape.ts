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
import type { FeedLog, Leaving } from './feed-log.ts';
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
    value: { value: anything, size: orMissing(count) },
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
