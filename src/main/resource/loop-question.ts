import type { Invocation } from '../../shared/invocation.ts';
import { pageSetHeaders } from '../../shared/header.ts';
import type { LoopDeclaration } from '../../shared/protocol.ts';

/**
 * A text that names what a loop asks. Two texts differ wherever the worker keeps two loops (`worker/loops/loops.ts`): the
 * second knows nothing of what the first has told.
 */
export function loopQuestion(
  { kind }: LoopDeclaration['pace'],
  invocation: Invocation,
  { cursor, wait }: Pick<LoopDeclaration, 'cursor' | 'wait'>,
): string {
  const { baseUrl, template, documentUrl, headers, body } = invocation;
  // An app that navigates by `history.pushState` changes the document's URL, but not where an absolute one leads.
  const isAbsolute = /^(?:\/|\w+:)/.test(baseUrl || template);
  const asked = {
    ...invocation,
    documentUrl: isAbsolute || documentUrl,
    headers: pageSetHeaders(headers),
    body: 'bytes' in body ? String(new Uint8Array(body.bytes)) : body,
  };
  // The request to catch up is made of the loop's own parameters, headers and base URL.
  return JSON.stringify([kind, asked, { ...cursor, catchUp: cursor?.catchUp?.template }, wait]);
}
