import { headerValue, isSecret, pageSetHeaders } from '../../shared/header.ts';
import type { Header } from '../../shared/header.ts';
import type { Invocation } from '../../shared/invocation.ts';

/**
 * Names what a GET asks for: two with the same key can share one exchange. `invocation` is as it is sent, after the
 * worker's own hook; `stored` are the headers of the last stored answer, null if none is known.
 */
export function exchangeKey(
  { headers, policy, documentUrl }: Invocation,
  url: string,
  stored: readonly Header[] | null,
): string {
  const { timeout: _timeout, storedFirst: _storedFirst, ...deciding } = policy;
  const compared = headers.filter(([name]) => decides(name, stored, policy.secretHeaders));
  return JSON.stringify([url, pageSetHeaders(compared), deciding, new URL(documentUrl).origin]);
}

/** Headers that say what is asked for, whatever the answer varies with. */
const ALWAYS = [
  'cache-control',
  'pragma',
  'range',
  'if-range',
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
];

/** True if calls that differ in this header differ in their answers: all may, unless the last answer's `Vary` says no. */
function decides(name: string, stored: readonly Header[] | null, secretHeaders: readonly string[]): boolean {
  if (stored === null || isSecret(name, secretHeaders)) return true;
  const lower = name.toLowerCase();
  const varying = (headerValue(stored, 'vary') ?? '').toLowerCase().split(',');
  return ALWAYS.includes(lower) || varying.some((each) => ['*', lower].includes(each.trim()));
}
