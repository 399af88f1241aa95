import { LIMITS } from '../../shared/limits.ts';
import { essenceOf, headerValue, isJsonType, saysJson, retryAfter } from '../../shared/header.ts';
import type { Header } from '../../shared/header.ts';
import type { ParseFailure, Failure } from '../../shared/failure.ts';
import { messageOf } from '../../shared/failure.ts';
import { leftOut } from '../../shared/outbox.ts';
import type { AnswerBody, Answer } from '../../shared/outcome.ts';
import type { ReadBody, Reading } from '../contracts/read-body.ts';
import { isIdempotent } from '../../shared/invocation.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { HALF } from '../contracts/rule.ts';

/** Milliseconds before the first repetition, on average; it doubles with each. */
const FIRST_WAIT = 300;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];

const [OPENS, CLOSES] = [new Set([0x5b, 0x7b]), new Set([0x5d, 0x7d])];

/** From this many bytes on, parsing the text costs a page less than having the parsed body copied. */
const LARGE = 65_536;

/** Below this many bytes, the whole answer is as cheap to send as a patch. */
const SMALL = 2_048;

export type Parsed<Body = AnswerBody> =
  | { readonly kind: 'parsed'; readonly body: Body }
  /** `text` is the body as it came. */
  | { readonly kind: 'unreadable'; readonly failure: ParseFailure; readonly text: string };

/** From this many bytes on, JSON is not parsed here. */
const LEAST: Readonly<Record<Reading, number>> = { parsed: Infinity, checked: LARGE, revised: SMALL };

/** JSON that the worker does not look into is recognized by its Content-Type only; a later reader validates it. */
export function readBody(
  bytes: ArrayBuffer,
  headers: readonly Header[],
  status: number,
  reading: Reading,
): Parsed<ReadBody> {
  const isLeft = bytes.byteLength >= LEAST[reading] && saysJson(headers);
  if (!isLeft) return parseBody(bytes, headers, status);
  return { kind: 'parsed', body: { kind: 'json', bytes, patchFrom: null, chunks: null } };
}

/** Reads a body by its Content-Type: JSON, text, or bytes; an empty one is null. */
export function parseBody(bytes: ArrayBuffer, headers: readonly Header[], status: number): Parsed {
  if (bytes.byteLength === 0) return parsed(null, 0);
  const contentType = headerValue(headers, 'content-type');
  if (isJsonType(contentType)) return parseJson(bytes, status, contentType);
  if (isText(contentType)) return parsed(decode(bytes, contentType), bytes.byteLength);
  return unparsed(bytes, headers);
}

/** A body as bytes, whatever its Content-Type says. */
export function unparsed(bytes: ArrayBuffer, headers: readonly Header[]): Parsed {
  return { kind: 'parsed', body: { kind: 'bytes', bytes, type: headerValue(headers, 'content-type') ?? '' } };
}

/** Always UTF-8, as RFC 8259 section 8.1 has it. `JSON.parse` makes `__proto__` a key like any other. */
function parseJson(bytes: ArrayBuffer, status: number, contentType: string | null): Parsed {
  const text = new TextDecoder().decode(bytes);
  const unreadable = (message: string): Parsed => {
    return { kind: 'unreadable', failure: { code: 'parse', message, status, contentType }, text };
  };
  if (isTooDeep(bytes)) return unreadable(`The answer is nested more than ${LIMITS.jsonLevels} levels deep`);
  try {
    return parsed(JSON.parse(text), bytes.byteLength);
  } catch (error) {
    return unreadable(`The answer says that it is ${contentType}, but it is not JSON: ${messageOf(error)}`);
  }
}

/** An answer without a Content-Type is taken for text. */
function isText(contentType: string | null): boolean {
  const essence = essenceOf(contentType);
  return (
    essence === '' || essence.startsWith('text/') || essence === 'application/xml' || essence.endsWith('+xml')
  );
}

function decode(bytes: ArrayBuffer, contentType: string | null): string {
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(contentType ?? '')?.[1] ?? 'utf-8';
  return decoder(charset).decode(bytes);
}

/** `TextDecoder` throws for a charset that the Encoding Standard does not know. */
function decoder(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

function parsed(value: unknown, size: number): Parsed {
  return { kind: 'parsed', body: { kind: 'value', value, size } };
}

/** True if JSON is nested deeper than the limit. Means nothing for a text that is not JSON. */
function isTooDeep(text: ArrayBuffer): boolean {
  const bytes = new Uint8Array(text);
  // A text this short cannot be nested so deep.
  if (bytes.length <= LIMITS.jsonLevels) return false;
  let depth = 0;
  for (let at = 0; at < bytes.length && depth <= LIMITS.jsonLevels; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (OPENS.has(byte)) depth += 1;
    else if (CLOSES.has(byte)) depth -= 1;
  }
  return depth > LIMITS.jsonLevels;
}

/** The offset of the quote that ends the string. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

interface Conclusion {
  readonly answer: Answer<ReadBody>;
  /** Why the answer is a failure; null if it is none. */
  readonly failure: Failure | null;
}

/**
 * Makes an answer of a whole body, and a failure if it is one. A body that cannot be parsed is told as text; a status
 * of failure says more than that. `request` names what was asked, for messages.
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
  // Parsing a larger refusal would hold up the worker, and it is hardly meant to be read.
  const refusal =
    bytes.byteLength > LIMITS.errorSize ? unparsed(bytes, headers) : parseBody(bytes, headers, status);
  return refused(request, status, headers, refusal);
}

function refused(request: string, status: number, headers: readonly Header[], reading: Parsed): Conclusion {
  const body = reading.kind === 'parsed' ? reading.body : ({ kind: 'value', value: reading.text } as const);
  const answer = { status, headers, body };
  const message = `${request} was answered with status ${status}`;
  const plain = body.kind === 'value' ? body.value : null;
  return { answer, failure: { code: 'http', message, status, body: plain } };
}

/** Why a request did not succeed. */
export type Setback =
  | { readonly kind: 'network' }
  /** `retryAfter` is the wait that the server asked for, in milliseconds. */
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter: number | null };

/**
 * Milliseconds until a request is repeated. Null if its method is not idempotent, its repetitions are used up, or the
 * answer would be the same; also if the wait outlasts `remaining`: the setback says more than a `timeout`.
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

/** Milliseconds until a request is sent again: `mean` on average, and above what `Retry-After` asked for (`floor`). */
export function beforeRepeating(mean: number, floor: number | null, random: number): number {
  const wait = HALF * mean + random * mean;
  return floor === null ? wait : Math.max(wait, floor + random * HALF * mean);
}

/** An answer whose headers have arrived. */
export interface Arrival {
  readonly response: Response;
  readonly headers: readonly Header[];
  readonly receivedAt: number;
  readonly delay: number;
}

/** Stands for a body that is not read. */
export const NO_BYTES: ArrayBuffer = new ArrayBuffer(0);

export function statusOf({ response, headers, receivedAt }: Arrival): Setback {
  return {
    kind: 'status',
    status: response.status,
    retryAfter: retryAfter(headers, receivedAt),
  };
}

export interface Refusal {
  readonly failure: Failure;
  readonly answer: Answer;
}

/**
 * The refusal that these headers tell, for instance when to ask again, though its body, which is left out, may never be read. Null if they
 * tell of none. `name` is that of the request.
 */
export function refusalIn(name: string, { response, headers }: Arrival): Refusal | null {
  const { answer, failure } = conclude(name, response.status, headers, NO_BYTES, 'parsed');
  return failure && { failure, answer: { ...answer, body: leftOut(0) } };
}
