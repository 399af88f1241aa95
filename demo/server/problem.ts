import { STATUS_CODES } from 'node:http';
import type { Reply } from './reply.ts';

/** An answer that is an error, as RFC 9457 writes it. `errors` names the fields that were wrong, `current` is what the server has. */
export class Problem extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly errors: Readonly<Record<string, string>> | null;
  readonly current: unknown;

  constructor(
    status: number,
    detail: string,
    more: { headers?: Record<string, string>; errors?: Record<string, string>; current?: unknown } = {},
  ) {
    super(detail);
    this.name = 'Problem';
    this.status = status;
    this.headers = more.headers ?? {};
    this.errors = more.errors ?? null;
    this.current = more.current ?? null;
  }

  toReply(): Reply {
    const { status, message: detail, errors, current } = this;
    const title = STATUS_CODES[status] ?? 'Error';
    return {
      status,
      headers: {
        ...this.headers,
        'Content-Type': 'application/problem+json',
        'Cache-Control': 'no-store',
      },
      body: JSON.stringify({
        type: 'about:blank',
        title,
        status,
        detail,
        ...(errors && { errors }),
        ...(current !== null && { current }),
      }),
    };
  }
}
