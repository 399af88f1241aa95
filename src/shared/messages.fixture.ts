import { FIRST_GREETING } from './channel.ts';
import type { Invocation } from './invocation.ts';
import type { Command, Greeting, LoopDeclaration, Submission } from './protocol.ts';

/** Messages that together use everything in the protocol. */

const POLICY: Invocation['policy'] = {
  timeout: 30_000,
  retry: 2,
  answerSize: 67_108_864,
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

const TELL = { started: true, sent: false, progress: true, body: false };

export const SUBMISSION: Submission = { id: 1, invocation: INVOCATION, interest: TELL };

export const DECLARATION: LoopDeclaration = {
  loop: 2,
  pace: { kind: 'poll', interval: 5_000, hidden: 'slow' },
  invocation: INVOCATION,
  interest: TELL,
  firstIn: 0,
};

export const GREETING: Greeting = {
  protocol: 1,
  oldest: 1,
  resync: true,
  number: 7,
  calls: [1, 4],
  loops: [DECLARATION],
  later: [3],
  hidden: true,
  online: true,
  provides: ['https://page.example'],
};

/** The first greeting of a page that wants nothing, with the given differences. */
export function greetingOf(differing: Partial<Greeting> = {}): Greeting {
  return { ...FIRST_GREETING, ...differing };
}

/** Declarations with everything that older pages leave out; together they have every form of it. */
export const PLACED: readonly Required<LoopDeclaration>[] = [
  {
    ...DECLARATION,
    pace: { kind: 'long-poll' },
    cursor: {
      kind: 'feed',
      from: { kind: 'body', pointer: '/last~1seq/0' },
      plus: 1,
      to: { kind: 'query', name: 'since' },
      initial: '0',
      catchUp: INVOCATION,
    },
    wait: { kind: 'prefer', seconds: 25 },
    spread: 20_000,
    again: { revision: { lineage: '1-a', number: 3 }, overdueBy: 0, behind: true },
    position: { log: 'a', offset: 7 },
    restart: true,
    askedAgo: 700,
    replaces: 2,
  },
  {
    ...DECLARATION,
    cursor: {
      kind: 'state',
      from: { kind: 'header', name: 'X-Index' },
      plus: -1,
      to: { kind: 'header', name: 'X-Index' },
      initial: null,
      catchUp: null,
    },
    wait: { kind: 'query', name: 'wait', value: '25s' },
    spread: null,
    again: { revision: null, overdueBy: 10.5, last: 'cut-off' },
    position: null,
    restart: false,
    askedAgo: null,
    replaces: null,
  },
  {
    ...DECLARATION,
    cursor: {
      kind: 'state',
      from: { kind: 'etag' },
      plus: 0,
      to: { kind: 'if-none-match' },
      initial: '"1"',
      catchUp: null,
    },
    wait: null,
    spread: 0,
    again: null,
    position: null,
    restart: false,
    askedAgo: null,
    replaces: null,
  },
];

/** The properties that an older page's declaration leaves out. */
const MISSING = ['cursor', 'wait', 'spread', 'again', 'position', 'restart', 'askedAgo', 'replaces'];

const NULLS = [
  'askedAgo',
  'cursor',
  'wait',
  'spread',
  'again',
  'replaces',
  'cursor.initial',
  'cursor.catchUp',
  'again.revision',
  'position',
];

/** True where a declaration may lack the part at this path. */
export function mayBeMissing(way: readonly string[]): boolean {
  if (way.join('.') === 'provides') return true;
  if (['interest.body', 'again.behind', 'again.last'].includes(way.slice(-2).join('.'))) return true;
  return way[0] === 'declaration' && way.length === 2 && MISSING.includes(way[1] ?? '');
}

export function mayBeNull(way: readonly string[]): boolean {
  const nulls = [
    'reply.expiresAt',
    'after',
    'answers.0.finalUrl',
    'answers.0.sender',
    'entries',
    'decision.params',
    'decision.body',
    'decision.contentType',
  ];
  if (nulls.includes(way.join('.'))) return true;
  return way[0] === 'declaration' && NULLS.includes(way.slice(1).join('.'));
}

/** One of each kind: a kind that is missing does not compile. */
export const COMMANDS: { readonly [Kind in Command['kind']]: Extract<Command, { readonly kind: Kind }> } = {
  abort: { kind: 'abort', ids: [1, 2] },
  declare: { kind: 'declare', declaration: DECLARATION },
  pace: { kind: 'pace', loop: 2, interval: 100 },
  cut: { kind: 'cut', loop: 2 },
  adopt: {
    kind: 'adopt',
    answers: [
      {
        kind: 'read',
        invocation: INVOCATION,
        status: 200,
        headers: [['ETag', '"a"']],
        bytes: new ArrayBuffer(2),
        receivedAt: 1_000,
        delay: 20,
        finalUrl: null,
        sender: null,
      },
      { kind: 'write', invocation: INVOCATION, headers: [], isDone: true },
    ],
  },
  interest: { kind: 'interest', loop: 2, interest: TELL },
  stop: { kind: 'stop', loop: 2 },
  keepalive: { kind: 'keepalive', hidden: false, watched: true },
  visibility: { kind: 'visibility', hidden: true },
  provides: { kind: 'provides', origins: ['https://page.example', 'https://api.example:8443'] },
  credentials: {
    kind: 'credentials',
    question: 'a',
    reply: { kind: 'given', headers: [['Authorization', 'Bearer 1']], expiresAt: 1_800_000_000_000 },
  },
  online: { kind: 'online' },
  leave: { kind: 'leave' },
  close: { kind: 'close' },
  drain: { kind: 'drain' },
  'clear-cache': { kind: 'clear-cache' },
  'list-stored': { kind: 'list-stored', after: 'https://page.example/photo ' },
  'read-stored': { kind: 'read-stored', url: 'https://page.example/photo' },
  'remove-stored': { kind: 'remove-stored', url: 'https://page.example/photo' },
  inspect: { kind: 'inspect' },
  part: { kind: 'part', invocation: INVOCATION, part: { pointer: '/a~1b/0', start: 7, count: 50 } },
  'list-outbox': { kind: 'list-outbox', after: 7, entries: ['a-1'] },
  decide: {
    kind: 'decide',
    entry: 'a-1',
    decision: {
      kind: 'edit',
      key: 'b-2',
      params: [['id', '7']],
      body: { kind: 'text', text: '{}' },
      contentType: 'application/json',
    },
  },
  'sign-in': { kind: 'sign-in', name: 'anna' },
  'sign-out': { kind: 'sign-out', pendingWrites: 'keep' },
};

/** The paths to every part of a message, as lists of keys. */
export function partsOf(value: unknown, way: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null || value instanceof ArrayBuffer) return [];
  return Object.entries(value).flatMap(([key, part]) => [[...way, key], ...partsOf(part, [...way, key])]);
}

/** A copy of a message with another value for one part. */
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

/** A copy of a message without one part. */
export function without(message: unknown, way: readonly string[]): unknown {
  const copy: unknown = structuredClone(message);
  const parent = way.slice(0, -1).reduce<unknown>((part, key) => Reflect.get(Object(part), key), copy);
  Reflect.deleteProperty(Object(parent), way.at(-1) ?? '');
  return copy;
}
