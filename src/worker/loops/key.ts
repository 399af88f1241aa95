import type { RequestBody } from '../../shared/invocation.ts';
import type { LoopDeclaration } from '../../shared/protocol.ts';
import { unreachable } from '../../shared/unreachable.ts';

/**
 * What makes two loops one: they ask the same of the same URL, with the same headers and body and under the same terms.
 * How often they ask is not in it. It may hold secrets: it is neither stored nor shown.
 */
export function loopKey(
  { invocation, pace, cursor, wait }: LoopDeclaration,
  url: string,
  pageSetHeaders: string,
): string {
  const { method, body, policy } = invocation;
  const { catchUp, ...place } = cursor ?? { catchUp: null };
  const asked = [pace.kind, method, url, pageSetHeaders, textOf(body), policy, place, wait ?? null];
  return JSON.stringify([
    ...asked,
    catchUp && [
      catchUp.method,
      catchUp.template,
      catchUp.baseUrl,
      catchUp.params,
      // What is stored under the keys of loops without stays theirs.
      ...(catchUp.policy.transform ?? []),
    ],
  ]);
}

function textOf(body: RequestBody): string {
  switch (body.kind) {
    case 'none':
    // It stands in the URL.
    case 'query':
      return '';
    case 'text':
      return `text ${body.text}`;
    case 'bytes':
      // Each byte is a character of its own in this encoding.
      return `bytes ${new TextDecoder('latin1').decode(body.bytes)}`;
    default:
      return unreachable(body);
  }
}
