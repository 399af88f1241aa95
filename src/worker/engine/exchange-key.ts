import { pageSetHeaders } from '../../shared/header.ts';
import type { Invocation } from '../../shared/invocation.ts';

/**
 * Names what a GET asks for: two with the same key can share one exchange. The invocation is as it is sent, after the
 * worker's own hook. All headers count: which of them the answer will vary with, only the answer says.
 */
export function exchangeKey({ headers, policy, documentUrl }: Invocation, url: string): string {
  const { timeout: _timeout, storedFirst: _storedFirst, ...deciding } = policy;
  return JSON.stringify([url, pageSetHeaders(headers), deciding, new URL(documentUrl).origin]);
}
