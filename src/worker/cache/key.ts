/**
 * The key of an answer within its partition. Of the headers, the credentials mode and the functions that it went through, only
 * a salted digest is in it, so that no secret is ever stored, nor can be told by trying (invariant 14). A fragment is no part of the request (RFC 9110 section 7.1).
 */
export function cacheKey(url: string, digest: string): string {
  return `${digest} ${url.split('#', 1)[0] ?? ''}`;
}
