import { headerValue, withHeader, withoutHeader } from '../../shared/header.ts';
import type { Header } from '../../shared/header.ts';
import type { Invocation } from '../../shared/invocation.ts';

// Requests for a part of an answer (RFC 9110 section 14). One range of bytes is cut from a stored, whole answer that may
// be served; all else is asked for. Parts that servers send are not stored.

/** Headers by which a server sends something else than the whole. */
const CONDITIONS = ['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since'];

/** A whole answer, or the part that is cut from it. */
export interface Whole {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly bytes: ArrayBuffer;
}

/** True if a part of the answer is asked for. */
export function asksForPart({ method, headers }: Pick<Invocation, 'method' | 'headers'>): boolean {
  return method === 'GET' && headerValue(headers, 'range') !== null;
}

/**
 * True if the part could be cut from a stored answer: it is a range of bytes as its server sends them. Another origin need
 * not let anybody read that its answer was compressed on the way (Fetch, CORS-safelisted response-header names).
 */
export function mayBeCut({ headers, policy, documentUrl }: Invocation, url: string): boolean {
  if (new URL(url).origin !== new URL(documentUrl).origin) return false;
  if (policy.transform || CONDITIONS.some((name) => headerValue(headers, name) !== null)) return false;
  return specOf(headers) !== null;
}

/** The invocation that asks for the whole. */
export function askingForWhole(invocation: Invocation): Invocation {
  return { ...invocation, headers: withoutHeader(withoutHeader(invocation.headers, 'range'), 'if-range') };
}

/** The part that is asked for, as its server would send it; null where only the server can tell. */
export function cut(asking: readonly Header[], { status, headers, bytes }: Whole): Whole | null {
  const spec = specOf(asking);
  const isEncoded = (headerValue(headers, 'content-encoding') ?? 'identity') !== 'identity';
  if (!spec || status !== 200 || isEncoded || !isStillIt(asking, headers)) return null;
  const size = bytes.byteLength;
  const first = spec.first ?? Math.max(0, size - (spec.last ?? 0));
  const last = spec.first === null ? size - 1 : Math.min(spec.last ?? Infinity, size - 1);
  if (first > last) return null;
  const length = last - first + 1;
  const described = withHeader(headers, 'content-range', `bytes ${first}-${last}/${size}`);
  return {
    status: 206,
    headers: withHeader(described, 'content-length', String(length)),
    bytes: bytes.slice(first, last + 1),
  };
}

interface Spec {
  /** Null where the last bytes are asked for. */
  readonly first: number | null;
  /** The last byte, or how many of the last; null for all from the first on. */
  readonly last: number | null;
}

/** Null for several ranges, and for what is no range of bytes. */
function specOf(headers: readonly Header[]): Spec | null {
  const [, first = '', last = ''] =
    /^\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(headerValue(headers, 'range') ?? '') ?? [];
  if (first === '' && last === '') return null;
  const spec = { first: first === '' ? null : Number(first), last: last === '' ? null : Number(last) };
  return spec.first !== null && spec.last !== null && spec.last < spec.first ? null : spec;
}

/** The page's If-Range is the strong validator of the stored answer (RFC 9110 section 13.1.5), or there is none. */
function isStillIt(asking: readonly Header[], stored: readonly Header[]): boolean {
  const expected = headerValue(asking, 'if-range');
  if (expected === null) return true;
  return expected.startsWith('"') && expected === headerValue(stored, 'etag');
}
