import type { Header } from '../../shared/header.ts';
import type { Invocation, Policy } from '../../shared/invocation.ts';
import type { Received, Remembered } from './cache.ts';

export const ACCEPT: Header = ['Accept', 'application/json, */*;q=0.5'];

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
    headers: [ACCEPT],
    body: { kind: 'none' },
    ...differing,
    policy: {
      timeout: 30_000,
      retry: 0,
      answerSize: 67_108_864,
      credentials: 'same-origin',
      mode: 'cors',
      cache: 'default',
      revalidate: true,
      origins: [],
      secretHeaders: [],
      ...policy,
    },
  };
}

/** An answer that says `text`. */
export function received(text: string, headers: readonly Header[] = [], status = 200): Received {
  const bytes = new TextEncoder().encode(text).buffer;
  return { answer: { status, headers, body: { kind: 'value', value: text } }, bytes, receivedAt: 1_000 };
}

/** The result of an answer that must have been taken. */
export function taken(remembered: Remembered | null): Remembered {
  if (!remembered) throw new Error('The answer was not taken');
  return remembered;
}
