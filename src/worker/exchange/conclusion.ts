import type { Failure } from '../../shared/failure.ts';
import type { Header } from '../../shared/header.ts';
import { LIMITS } from '../../shared/limits.ts';
import type { Answer } from '../../shared/outcome.ts';
import type { ReadBody, Reading } from '../contracts/read-body.ts';
import { parseBody, readBody, unparsed } from './body.ts';
import type { Parsed } from './body.ts';

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
