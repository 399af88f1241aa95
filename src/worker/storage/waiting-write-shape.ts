import type { Failure } from '../../shared/failure.ts';
import { sizeOfRequestBody } from '../../shared/invocation.ts';
import type { RequestBody } from '../../shared/invocation.ts';
import { invocation, requestBody } from '../../shared/message-shapes.ts';
import { isLeftOut } from '../../shared/outbox.ts';
import type { GivenId, WriteState } from '../../shared/outbox.ts';
import type { Answer } from '../../shared/outcome.ts';
import {
  count,
  flag,
  isRecord,
  list,
  must,
  object,
  ordinal,
  orMissing,
  orNull,
  text,
  word,
} from '../../shared/shape.ts';
import type { Shape } from '../../shared/shape.ts';
import type { WaitingWrite } from '../contracts/outbox-store.ts';
import { sizeOfAnswer } from '../contracts/storing.ts';

const finite: Shape<number> = must((value) => Number.isFinite(value), 'be a number');

const said = object<{ readonly code: string; readonly message: string }>({ code: text, message: text });
const failure: Shape<Failure> = must((value) => said(value) === null, 'be a failure');

export function isGivenId(value: unknown): value is GivenId {
  return typeof value === 'string' || Number.isFinite(value);
}

const answer: Shape<Answer> = must((value) => {
  const { status, headers, body } = Object(value);
  return count(status) === null && Array.isArray(headers) && isRecord(body);
}, 'be an answer');

/** Members that a write of an earlier version lacks, and what it has in their place. */
const LATER = { needsCredentials: false, busySince: null } satisfies Partial<WaitingWrite>;

type Later = keyof typeof LATER;
type StoredWrite = Omit<WaitingWrite, Later> & Partial<Pick<WaitingWrite, Later>>;

const write: Shape<StoredWrite> = object<StoredWrite>({
  place: ordinal,
  version: count,
  entry: text,
  resource: text,
  action: text,
  invocation,
  lane: text,
  key: text,
  state: word<WriteState>({
    queued: true,
    sending: true,
    paused: true,
    conflict: true,
    review: true,
    done: true,
    discarded: true,
  }),
  attempts: count,
  mayBeDone: flag,
  failures: count,
  notBefore: finite,
  floor: finite,
  failure: orNull(failure),
  queuedAt: finite,
  temporaryId: orNull(text),
  idAt: orNull(text),
  givenId: orNull(must<GivenId>(isGivenId, 'be a text or a number')),
  uses: list(text),
  answer: orNull(answer),
  url: orNull(text),
  matches: orNull(text),
  endedAt: orNull(finite),
  unclearSince: orNull(finite),
  isShown: flag,
  needsCredentials: orMissing(flag),
  busySince: orMissing(orNull(finite)),
});

/** The write, if it is whole: data on a disk may be damaged, or written by other code. */
export function intactWrite(value: unknown): WaitingWrite | null {
  return isWrite(value) ? { ...LATER, ...value } : null;
}

function isWrite(value: unknown): value is StoredWrite {
  return write(value) === null;
}

/** The same of a body. */
export function intactBody(value: unknown): RequestBody | null {
  return isBody(value) ? value : null;
}

function isBody(value: unknown): value is RequestBody {
  return requestBody(value) === null;
}

/** A positive whole number; 0 for anything else. */
export function numberIn(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

/** How many bytes that needs on the disk, about: a character of text has two. */
export function diskSizeOf(body: RequestBody): number {
  return sizeOfRequestBody(body) * (body.kind === 'bytes' ? 1 : 2);
}

/** How many bytes the stored answer to a write has, about: that of a refusal stays until somebody decides. One that was left out has none. */
export function storedSizeOf({ answer: stored }: Pick<WaitingWrite, 'answer'>): number {
  return stored && !isLeftOut(stored) ? sizeOfAnswer(stored) : 0;
}
