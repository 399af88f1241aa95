import type { Failure } from '../../shared/failure.ts';
import type { Header } from '../../shared/header.ts';
import { LIMITS } from '../../shared/limits.ts';
import type { Answer } from '../../shared/outcome.ts';
import type { ReadBody, Reading } from '../contracts/read-body.ts';
import { parseBody, readBody, unparsed } from './body.ts';
import type { Parsed } from './body.ts';
import { isIdempotent } from '../../shared/invocation.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { HALF } from '../contracts/rule.ts';

/** Milliseconds before the first repetition, on average; it doubles with each. */
const FIRST_WAIT = 300;

export interface Conclusion {
  readonly answer: Answer<ReadBody>;
  /** What makes a failure of it; null where nothing does. */
  readonly failure: Failure | null;
}

/**
 * What a whole answer comes to. One that cannot be parsed is told with its text; a status that means failure says
 * more than a body that cannot be read. `request` names what was asked, for messages.
 */
export function conclude(
  request: string,
  status: number,
  headers: readonly Header[],
  bytes: ArrayBuffer,
  reading: Reading,
): Conclusion {
  if (status < 400) {
    const read = readBody(bytes, headers, status, reading);
    if (read.kind === 'parsed') return { answer: { status, headers, body: read.body }, failure: null };
    const { failure, text } = read;
    return { answer: { status, headers, body: { kind: 'value', value: text } }, failure };
  }
  // To parse what is larger would hold up the worker, and it is hardly meant to be read.
  const parsed =
    bytes.byteLength > LIMITS.errorSize ? unparsed(bytes, headers) : parseBody(bytes, headers, status);
  return refused(request, status, headers, parsed);
}

function refused(request: string, status: number, headers: readonly Header[], parsed: Parsed): Conclusion {
  const body = parsed.kind === 'parsed' ? parsed.body : ({ kind: 'value', value: parsed.text } as const);
  const answer = { status, headers, body };
  const message = `${request} was answered with status ${status}`;
  const plain = body.kind === 'value' ? body.value : null;
  return { answer, failure: { code: 'http', message, status, body: plain } };
}

/** What stood against a request. */
export type Setback =
  | { readonly kind: 'network' }
  /** `retryAfter` is what the server asked for, in milliseconds. */
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter: number | null };

/**
 * Milliseconds to wait before a request is repeated; null where it is not: the method has other effects when it is
 * sent twice, the repetitions are used up, the answer will be the same again, or the wait would outlast the
 * `remaining` time, where the setback itself says more than a `timeout` would.
 */
export function waitBeforeRepeating(
  invocation: Invocation,
  repetitions: number,
  setback: Setback,
  random: number,
  remaining: number,
): number | null {
  if (!isIdempotent(invocation.method) || repetitions >= invocation.policy.retry) return null;
  if (setback.kind === 'status' && !isPassing(setback.status)) return null;
  const floor = setback.kind === 'status' ? setback.retryAfter : null;
  const wait = beforeRepeating(FIRST_WAIT * 2 ** repetitions, floor, random);
  return wait < remaining ? wait : null;
}

function isPassing(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

/** The wait before a request is sent again: `mean` on average, and above what `Retry-After` asked for (`floor`). */
export function beforeRepeating(mean: number, floor: number | null, random: number): number {
  const wait = HALF * mean + random * mean;
  return floor === null ? wait : Math.max(wait, floor + random * HALF * mean);
}
