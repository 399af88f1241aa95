import type { Cursor, CursorSource, CursorTarget, Wait } from '../../shared/cursor.ts';
import { headerValue } from '../../shared/header.ts';
import type { Header } from '../../shared/header.ts';
import type { Answer, Outcome } from '../../shared/outcome.ts';
import { canCarry } from '../../shared/cursor.ts';
import { pointed } from '../../shared/part.ts';
import { unreachable } from '../../shared/unreachable.ts';
import type { Addition } from '../contracts/engine-request.ts';
import { textOf as textOfJson } from '../contracts/read-body.ts';
import type { ReadBody } from '../contracts/read-body.ts';

/** The cursor that an answer names for the next request; null where there is none that a request can carry. */
export function cursorIn(answer: Answer<ReadBody>, { from, plus, to }: Cursor): string | null {
  const cursorValue = textOf(found(answer, from), plus);
  return cursorValue === null || cursorValue === '' || !canCarry(to, cursorValue) ? null : cursorValue;
}

/** What a request says of its cursor (`initial` while none is known) and of how long it may be held. */
export function additionOf(cursor: Cursor | null, cursorValue: string | null, wait: Wait | null): Addition {
  const known = cursorValue ?? cursor?.initial ?? null;
  const parts = [
    ...(cursor === null || known === null ? [] : [placed(cursor.to, known)]),
    ...(wait === null ? [] : [waiting(wait)]),
  ];
  return {
    query: parts.flatMap(({ query }) => query),
    headers: parts.flatMap(({ headers }) => headers),
  };
}

/**
 * True where the server refuses the cursor itself: it is invalid, or so old that what came after it is gone, or longer
 * than the server takes or a URL may be.
 */
export function isRefused(outcome: Outcome<unknown>): boolean {
  if (outcome.kind === 'answered') return false;
  const { failure } = outcome;
  return failure.code === 'http'
    ? [400, 409, 410, 414, 431].includes(failure.status)
    : failure.code === 'url-too-long';
}

/** True where an answer has moved the cursor. Cursors are compared, not ordered: only the server knows their order. */
export function advances(before: string | null, after: string | null): boolean {
  return after !== null && after !== before;
}

function found({ headers, body }: Answer<ReadBody>, from: CursorSource): unknown {
  switch (from.kind) {
    case 'header':
      return headerValue(headers, from.name);
    case 'etag':
      return headerValue(headers, 'etag');
    case 'body':
      return pointed(valueOf(body), from.pointer);
    default:
      return unreachable(from);
  }
}

function valueOf(body: ReadBody): unknown {
  switch (body.kind) {
    case 'value':
      return body.value;
    case 'json':
      return JSON.parse(textOfJson(body));
    case 'bytes':
      return undefined;
    default:
      return unreachable(body);
  }
}

function textOf(value: unknown, plus: number): string | null {
  if (typeof value === 'string') return isInteger(value) && plus !== 0 ? sum(value, plus) : value;
  if (typeof value !== 'number' || !Number.isFinite(value)) return null;
  return Number.isInteger(value) ? sum(value, plus) : String(value + plus);
}

/** True for the text of a whole number. Longer texts are no counters, and costly to add to. */
function isInteger(text: string): boolean {
  return /^-?\d{1,100}$/.test(text);
}

/** Uses BigInt: a counter beyond 2 ** 53 has to reach its server exactly. */
function sum(number: string | number, plus: number): string {
  return String(BigInt(number) + BigInt(plus));
}

function placed(to: CursorTarget, cursorValue: string): Addition {
  switch (to.kind) {
    case 'query':
      return inQuery(to.name, cursorValue);
    case 'header':
      return inHeader(to.name, cursorValue);
    case 'if-none-match':
      return inHeader('If-None-Match', cursorValue);
    default:
      return unreachable(to);
  }
}

function waiting(wait: Wait): Addition {
  switch (wait.kind) {
    case 'prefer':
      return inHeader('Prefer', `wait=${wait.seconds}`);
    case 'query':
      return inQuery(wait.name, wait.value);
    default:
      return unreachable(wait);
  }
}

function inQuery(name: string, value: string): Addition {
  return { query: [[name, value]], headers: [] };
}

function inHeader(...header: Header): Addition {
  return { query: [], headers: [header] };
}
