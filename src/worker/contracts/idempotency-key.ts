import { headerValue, withHeader } from '../../shared/header.ts';
import type { Invocation } from '../../shared/invocation.ts';

/** The key is a string of a structured field (RFC 8941). One that the page has set itself stays. */
export function withKey(invocation: Invocation, key: string): Invocation {
  if (headerValue(invocation.headers, 'idempotency-key') !== null) return invocation;
  return { ...invocation, headers: withHeader(invocation.headers, 'Idempotency-Key', `"${key}"`) };
}
