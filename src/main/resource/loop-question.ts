import type { Invocation } from '../../shared/invocation.ts';
import { pageSetHeaders } from '../../shared/page-set-headers.ts';
import type { LoopDeclaration } from '../../shared/protocol.ts';

/**
 * What a loop asks, as one text: it differs wherever the worker has another loop for it (`worker/loops/key.ts`), which
 * knows nothing of what this one has told.
 */
export function loopQuestion(
  { kind }: LoopDeclaration['pace'],
  invocation: Invocation,
  { cursor, wait }: Pick<LoopDeclaration, 'cursor' | 'wait'>,
): string {
  const catchUp = cursor?.catchUp && asked(cursor.catchUp);
  return JSON.stringify([kind, asked(invocation), { ...cursor, catchUp }, wait]);
}

function asked(invocation: Invocation): object {
  const { baseUrl, template, documentUrl, headers, body } = invocation;
  // An app that navigates by `history.pushState` changes the document's URL, but not where this leads.
  const isAbsolute = /^(?:\/|[a-z]+:)/i.test(baseUrl || template);
  return {
    ...invocation,
    documentUrl: isAbsolute ? '' : documentUrl,
    headers: pageSetHeaders(headers),
    // Each byte is a character of its own in this encoding.
    body: body.kind === 'bytes' ? new TextDecoder('latin1').decode(body.bytes) : body,
  };
}
