/**
 * What an action's relative URL is resolved against: the document's base, or, where there is no document as in Node,
 * the resource's `baseUrl`, whose origin then counts as the page's own.
 * @throws TypeError where there is neither.
 */
export function documentUrlOf(baseUrl: string, action: string): string {
  if (typeof document !== 'undefined') return document.baseURI;
  if (/^https?:\/\//i.test(baseUrl) && URL.canParse(baseUrl)) return baseUrl;
  throw new TypeError(
    `'${action}' has no document to resolve its URL against: its baseUrl must be absolute, not '${baseUrl}'`,
  );
}
