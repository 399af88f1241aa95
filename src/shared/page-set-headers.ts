import type { Header } from './header.ts';

/** What a page sends that sets no `Accept` of its own. */
export const DEFAULT_ACCEPT = 'application/json, */*;q=0.5';

/**
 * The headers that the page set, as one text in which the order and case of names make no difference; empty where
 * it set none.
 */
export function pageSetHeaders(headers: readonly Header[]): string {
  const lines = headers
    .map(([name, value]): Header => [name.toLowerCase(), value.trim()])
    .filter(([name, value]) => name !== 'accept' || value !== DEFAULT_ACCEPT)
    .map((header) => JSON.stringify(header));
  return lines.toSorted().join('\n');
}
