import { essenceOf, headerValue, isJsonType } from '../../shared/header.ts';
import type { Header } from '../../shared/header.ts';

/**
 * Whether an answer is the page of a captive portal rather than the server's own word: HTML where the last good
 * answer was JSON (invariant 4).
 */
export function looksLikePortal(previous: readonly Header[], headers: readonly Header[]): boolean {
  return isJsonType(headerValue(previous, 'content-type')) && isHtml(headerValue(headers, 'content-type'));
}

function isHtml(contentType: string | null): boolean {
  const essence = essenceOf(contentType);
  return essence === 'text/html' || essence === 'application/xhtml+xml';
}
