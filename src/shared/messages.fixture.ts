import type { Invocation } from './invocation.ts';
import type { Command, LoopDeclaration, Submission } from './protocol.ts';

/** Messages in which everything is used that the protocol has. */

const POLICY: Invocation['policy'] = {
  timeout: 30_000,
  retry: 2,
  credentials: 'same-origin',
  mode: 'cors',
  cache: 'default',
  revalidate: true,
  origins: ['https://api.example:8443', 'http://[::1]'],
  secretHeaders: ['X-Key'],
};

export const INVOCATION: Invocation = {
  action: 'put',
  method: 'PUT',
  template: '/photo/{id}{?tags*,size*}',
  baseUrl: '/api',
  documentUrl: 'https://page.example/',
  params: [
    ['id', '7'],
    ['tags', ['a', 'b']],
    ['size', { pairs: [['w', '1']] }],
  ],
  headers: [['Accept', 'application/json']],
  body: { kind: 'text', text: 'title=Sea' },
  policy: POLICY,
};

const TELL = { started: true, sent: false, progress: true };

export const SUBMISSION: Submission = { id: 1, invocation: INVOCATION, tell: TELL };

export const DECLARATION: LoopDeclaration = {
  loop: 2,
  pace: { kind: 'poll', interval: 5_000, hidden: 'slow' },
  invocation: INVOCATION,
  tell: TELL,
  firstIn: 0,
};

/** One of each kind: a kind that is missing does not compile. */
export const COMMANDS: { readonly [Kind in Command['kind']]: Extract<Command, { readonly kind: Kind }> } = {
  abort: { kind: 'abort', ids: [1, 2] },
  declare: { kind: 'declare', declaration: DECLARATION },
  pace: { kind: 'pace', loop: 2, interval: 100 },
  cut: { kind: 'cut', loop: 2 },
  tell: { kind: 'tell', loop: 2, tell: TELL },
  stop: { kind: 'stop', loop: 2 },
  stay: { kind: 'stay', hidden: false, watched: true },
  visibility: { kind: 'visibility', hidden: true },
  online: { kind: 'online' },
  leave: { kind: 'leave' },
  drain: { kind: 'drain' },
  'clear-cache': { kind: 'clear-cache' },
  inspect: { kind: 'inspect' },
};

/** The ways to every part of a message, as lists of keys. */
export function partsOf(value: unknown, way: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null || value instanceof ArrayBuffer) return [];
  return Object.entries(value).flatMap(([key, part]) => [[...way, key], ...partsOf(part, [...way, key])]);
}

/** A copy of a message in which one part is another. */
export function altered(
  message: unknown,
  way: readonly string[],
  alter: (part: unknown) => unknown,
): unknown {
  const copy: unknown = structuredClone(message);
  const parent = way.slice(0, -1).reduce<unknown>((part, key) => Reflect.get(Object(part), key), copy);
  const last = way.at(-1) ?? '';
  Reflect.set(Object(parent), last, alter(Reflect.get(Object(parent), last)));
  return copy;
}

/** A copy of a message in which one part is missing. */
export function without(message: unknown, way: readonly string[]): unknown {
  const copy: unknown = structuredClone(message);
  const parent = way.slice(0, -1).reduce<unknown>((part, key) => Reflect.get(Object(part), key), copy);
  Reflect.deleteProperty(Object(parent), way.at(-1) ?? '');
  return copy;
}
