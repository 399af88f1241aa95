import type { Failure } from '../../shared/failure.ts';
import type { Header } from '../../shared/header.ts';
import type { Answered, Failed, SentRequest } from '../../shared/outcome.ts';

const REQUEST: SentRequest = { method: 'GET', url: 'https://page.example/photo', headers: [] };

/** A fresh answer from the network, but for what is wished otherwise. */
export function answered(wish: Partial<Answered> & { readonly status?: number } = {}): Answered {
  const { status = 200, ...rest } = wish;
  return {
    kind: 'answered',
    answer: { status, headers: [], body: { kind: 'value', value: null } },
    servedFrom: 'network',
    confirmed: false,
    stale: false,
    age: 0,
    changed: true,
    revision: null,
    request: REQUEST,
    ...rest,
  };
}

/** An answer of one byte, which a page says that it has taken. */
export function answeredBytes(): Answered {
  const bytes = new ArrayBuffer(1);
  return answered({ answer: { status: 200, headers: [], body: { kind: 'bytes', bytes, type: '' } } });
}

/** A failure of the given code; the server said nothing. */
export function failed(code: 'network' | 'offline' | 'aborted' | 'protocol' | 'blocked-url'): Failed {
  return failedWith({ code, message: code });
}

export function failedWith(failure: Failure): Failed {
  return { kind: 'failed', failure, answer: null, request: REQUEST };
}

export const TIMED_OUT: Failed = failedWith({ code: 'timeout', message: 'timeout', timeout: 1 });

/** The server answered with a status of failure. */
export function refused(status: number, headers: readonly Header[] = []): Failed {
  const failure: Failure = { code: 'http', message: `status ${status}`, status, body: null };
  return { ...failedWith(failure), answer: { status, headers, body: { kind: 'value', value: null } } };
}
