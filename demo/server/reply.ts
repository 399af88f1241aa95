/** An answer as data; server.ts writes it. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
}

/** JSON that a cache may keep but must ask about before every use. */
export function json(value: unknown, headers: Readonly<Record<string, string>> = {}, status = 200): Reply {
  return {
    status,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache', ...headers },
    body: JSON.stringify(value),
  };
}

export function empty(status = 204, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, headers, body: null };
}

/** Turns a reply into a 304 where the request holds the same already (RFC 9110, section 13.1.2). */
export function unlessHeld(ifNoneMatch: string | undefined, reply: Reply): Reply {
  const etag = reply.headers['ETag'];
  if (etag === undefined || !matches(ifNoneMatch, etag)) return reply;
  const { ETag, ...rest } = reply.headers;
  const kept = Object.fromEntries(
    Object.entries(rest).filter(([name]) => name === 'Cache-Control' || name === 'Vary'),
  );
  return empty(304, { ...kept, ETag: ETag ?? etag });
}

/** Weak comparison: lists and `*` included. */
export function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
