import type { Failure } from '../../shared/failure.ts';
import type { Header } from '../../shared/header.ts';
import type { Answer } from '../../shared/outcome.ts';
import { parseBody } from './body.ts';

export interface Conclusion {
  readonly answer: Answer;
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
): Conclusion {
  const parsed = parseBody(bytes, headers, status);
  const body = parsed.kind === 'parsed' ? parsed.body : ({ kind: 'value', value: parsed.text } as const);
  const answer: Answer = { status, headers, body };
  if (status < 400) return { answer, failure: parsed.kind === 'parsed' ? null : parsed.failure };
  const message = `${request} was answered with status ${status}`;
  const plain = body.kind === 'value' ? body.value : null;
  return { answer, failure: { code: 'http', message, status, body: plain } };
}
