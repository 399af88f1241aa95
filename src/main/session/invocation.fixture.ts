import type { Invocation, Policy } from '../../shared/invocation.ts';
import type { Answered, Failed, SentRequest } from '../../shared/outcome.ts';
import type { LoopDeclaration, Submission, EventInterest } from '../../shared/protocol.ts';

export const SILENT: EventInterest = { started: false, sent: false, progress: false };

export interface Wish extends Partial<Omit<Invocation, 'policy'>> {
  readonly policy?: Partial<Policy>;
}

export function invocation({ policy, ...differing }: Wish = {}): Invocation {
  return {
    action: 'get',
    method: 'GET',
    template: '/photo',
    baseUrl: '',
    documentUrl: 'https://page.example/',
    params: [],
    headers: [],
    body: { kind: 'none' },
    ...differing,
    policy: {
      timeout: 30_000,
      retry: 0,
      answerSize: 67_108_864,
      credentials: 'same-origin',
      mode: 'cors',
      cache: 'default',
      revalidate: false,
      origins: [],
      secretHeaders: [],
      ...policy,
    },
  };
}

export function submission(id: number, wish: Wish = {}): Submission {
  return { id, invocation: invocation(wish), interest: SILENT };
}

/** A poll of 5 s that asks at once, with the given differences. */
export function declaration(wish: Partial<LoopDeclaration> = {}): LoopDeclaration {
  return {
    loop: 1,
    pace: { kind: 'poll', interval: 5_000, hidden: 'slow' },
    invocation: invocation(),
    interest: SILENT,
    firstIn: 0,
    ...wish,
  };
}

const REQUEST: SentRequest = { method: 'GET', url: 'https://page.example/photo', headers: [] };

/** An answer of the given body. */
export function answered(value: unknown = null, wish: Partial<Answered> = {}): Answered {
  return {
    kind: 'answered',
    answer: { status: 200, headers: [], body: { kind: 'value', value } },
    servedFrom: 'network',
    confirmed: false,
    stale: false,
    age: 0,
    changed: true,
    revision: null,
    request: REQUEST,
    ...wish,
  };
}

/** The server answered with an error status. */
export function refused(status: number): Failed {
  return {
    kind: 'failed',
    failure: { code: 'http', message: `status ${status}`, status, body: 'no' },
    answer: { status, headers: [['X-One', '1']], body: { kind: 'value', value: 'no' } },
    request: REQUEST,
  };
}
