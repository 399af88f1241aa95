import { answered } from '../session/invocation.fixture.ts';
import { settledNotice } from './notice.ts';
import type { Call, Notice } from './notice.ts';

const DECLARED = {};

/** A call of `get`, with the given differences. */
export function call(id: number, wish: Partial<Call> = {}): Call {
  return {
    action: 'get',
    id,
    method: 'GET',
    template: '/photo/{id}',
    params: { id: 1 },
    data: null,
    asked: { params: { id: 1 }, data: null, options: {}, encoded: null },
    declared: DECLARED,
    schema: null,
    timeout: 1_000,
    ...wish,
  };
}

/** The notice of a success with the given response. */
export function success(id: number, response: unknown = `answer ${id}`): Notice {
  return settledNotice(call(id), answered(response));
}

/** The notice of a call that was aborted. */
export function aborted(id: number): Notice {
  const failure = { code: 'aborted', message: `call ${id} was aborted` } as const;
  return settledNotice(call(id), { kind: 'failed', failure, answer: null, request: null });
}
