import { describe, expect, test } from 'vitest';
import { command, greeting, submission } from './message-shapes.ts';
import {
  altered,
  COMMANDS,
  DECLARATION,
  GREETING,
  INVOCATION,
  mayBeMissing,
  mayBeNull,
  partsOf,
  PLACED,
  SUBMISSION,
  without,
} from './messages.fixture.ts';
import { list } from './shape.ts';
import type { Shape } from './shape.ts';

const submissions = list(submission);

const MESSAGES: readonly (readonly [string, Shape<unknown>, unknown])[] = [
  ['a greeting', greeting, GREETING],
  ['a batch', submissions, [SUBMISSION, { ...SUBMISSION, id: 2 }]],
  ...Object.entries(COMMANDS).map(([kind, each]): readonly [string, Shape<unknown>, unknown] => [
    `the command ${kind}`,
    command,
    each,
  ]),
  ...PLACED.map((declaration, nth): readonly [string, Shape<unknown>, unknown] => [
    `a loop that keeps its place, ${nth}`,
    command,
    { kind: 'declare', declaration },
  ]),
];

describe('passes as it is:', () => {
  test.each(MESSAGES)('%s', (_name, shape, message) => {
    expect(shape(message)).toBeNull();
  });

  test.each(MESSAGES)('%s with more than is known', (_name, shape, message) => {
    expect(shape(Object.assign(structuredClone(message) ?? {}, { more: 1 }))).toBeNull();
  });
});

describe('does not pass with any part missing or replaced:', () => {
  const alterations: Readonly<Record<string, (part: unknown) => unknown>> = {
    undefined: () => undefined,
    null: () => null,
    'not a number': () => Number.NaN,
    infinite: () => Number.POSITIVE_INFINITY,
    negative: () => -1,
    'a function': () => () => 1,
    'an empty object': () => ({}),
    'inherited parts': (part) => (typeof part === 'object' ? Object.create(part) : Object(part)),
    'getters for parts': (part) => withGetters(part),
  };

  test.each(MESSAGES)('%s', (_name, shape, message) => {
    for (const way of partsOf(message)) {
      const isOptional = mayBeMissing(way);
      expect(shape(without(message, way)) === null, `without ${way.join('.')}`).toBe(isOptional);
      for (const [name, alter] of Object.entries(alterations)) {
        if (isAllowed(name, way)) continue;
        expect(shape(altered(message, way, alter)), `${name} at ${way.join('.')}`).not.toBeNull();
      }
    }
  });

  test.each(PLACED)('but for what an older page leaves out: $cursor.from.kind', (declaration) => {
    for (const way of partsOf({ declaration })) {
      const message = altered({ kind: 'declare', declaration }, way, () => null);
      expect(command(message) === null, `null at ${way.join('.')}`).toBe(mayBeNull(way));
    }
  });

  test.each([
    ['continue', true],
    ['slow', true],
    ['pause', false],
    ['loud', false],
  ])('but for what a long-poll may say of hidden pages: %s', (hidden, passes) => {
    const [placed] = PLACED;
    const declaration = { ...placed, pace: { kind: 'long-poll', hidden } };
    expect(command({ kind: 'declare', declaration }) === null).toBe(passes);
  });

  test.each(MESSAGES)('%s as a whole', (_name, shape, message) => {
    for (const alter of Object.values(alterations)) expect(shape(alter(message))).not.toBeNull();
  });
});

/** Whether a part may be altered in that way, being optional or any number. */
function isAllowed(alteration: string, way: readonly string[]): boolean {
  switch (alteration) {
    case 'undefined':
      return mayBeMissing(way);
    case 'null':
      return mayBeNull(way);
    case 'negative':
      return way.join('.') === 'declaration.cursor.plus';
    default:
      return false;
  }
}

/** The same parts, but for which code would run; a new symbol for what has none. */
function withGetters(part: unknown): unknown {
  if (typeof part !== 'object' || part === null) return Symbol('nothing of ours');
  const getters = Object.entries(part).map(([key, each]): [string, PropertyDescriptor] => [
    key,
    { get: () => each },
  ]);
  return Object.defineProperties({}, Object.fromEntries(getters));
}

const call = (differing: object): unknown => [{ ...SUBMISSION, invocation: { ...INVOCATION, ...differing } }];
const policy = (differing: object): unknown => call({ policy: { ...INVOCATION.policy, ...differing } });
const declared = (differing: object): unknown => ({
  kind: 'declare',
  declaration: { ...DECLARATION, ...differing },
});

const placed = (differing: object): unknown => declared({ cursor: { ...PLACED[0]?.cursor, ...differing } });

const given = (differing: object): unknown => ({
  ...COMMANDS.credentials,
  reply: { ...COMMANDS.credentials.reply, ...differing },
});

const AGAIN = { revision: null, overdueBy: 0 };

describe('says what is wrong, and where:', () => {
  test.each<[string, Shape<unknown>, unknown, string]>([
    ['an id of 0', submissions, [{ ...SUBMISSION, id: 0 }], '[0].id must be a whole number from 1'],
    ['an id that is not safe', submissions, [{ ...SUBMISSION, id: 2 ** 53 }], '[0].id must be'],
    ['a method of two words', submissions, call({ method: 'GET /' }), '.method must be an HTTP token'],
    [
      'a method in lower case',
      submissions,
      call({ method: 'get' }),
      '.method must be an HTTP token in upper',
    ],
    ['TRACE', submissions, call({ method: 'TRACE' }), 'not TRACE, TRACK, CONNECT'],
    ['CONNECT', submissions, call({ method: 'CONNECT' }), 'not TRACE, TRACK, CONNECT'],
    [
      'a header without a name',
      submissions,
      call({ headers: [['', '1']] }),
      '.headers[0][0] must be an HTTP',
    ],
    ['a header of three', submissions, call({ headers: [['A', '1', '2']] }), '.headers[0] must be a pair'],
    ['a parameter that is a number', submissions, call({ params: [['id', 7]] }), '.params[0][1] must be'],
    [
      'a body of an unknown kind',
      submissions,
      call({ body: { kind: 'stream' } }),
      'none, query, text, bytes',
    ],
    ['a body named constructor', submissions, call({ body: { kind: 'constructor' } }), '.body.kind must be'],
    ['bytes that are text', submissions, call({ body: { kind: 'bytes', bytes: 'x' } }), 'an ArrayBuffer'],
    ['a timeout of 0', submissions, policy({ timeout: 0 }), '.policy.timeout must be a number above 0'],
    ['half a repetition', submissions, policy({ retry: 0.5 }), '.policy.retry must be a whole number'],
    ['other credentials', submissions, policy({ credentials: 'all' }), 'omit, same-origin, include'],
    [
      'credentials as every object has',
      submissions,
      policy({ credentials: 'toString' }),
      '.credentials must',
    ],
    ['mode no-cors', submissions, policy({ mode: 'no-cors' }), '.mode must be cors, same-origin'],
    ['an interval of 99 ms', command, { kind: 'pace', loop: 1, interval: 99 }, '.interval must be a number'],
    ['a poll of 1 ms', command, declared({ pace: { kind: 'poll', interval: 1 } }), 'number from 100'],
    ['a first request in the past', command, declared({ firstIn: -1 }), '.declaration.firstIn must be'],
    ['a place from nowhere', command, placed({ from: { kind: 'trailer' } }), 'header, body, etag'],
    ['a place in a header of two words', command, placed({ from: { kind: 'header', name: 'A B' } }), 'token'],
    ['a pointer without a slash', command, placed({ from: { kind: 'body', pointer: 'a' } }), 'JSON pointer'],
    [
      'a pointer with half an escape',
      command,
      placed({ from: { kind: 'body', pointer: '/~' } }),
      'JSON pointer',
    ],
    ['a place that goes nowhere', command, placed({ to: { kind: 'body' } }), 'query, header, if-none-match'],
    [
      'a parameter without a name',
      command,
      placed({ to: { kind: 'query', name: '' } }),
      '.to.name must be a name',
    ],
    ['half a step', command, placed({ plus: 0.5 }), '.cursor.plus must be a whole number'],
    ['a step that is not safe', command, placed({ plus: 2 ** 53 }), '.cursor.plus must be a whole number'],
    ['a first place that is a number', command, placed({ initial: 0 }), '.cursor.initial must be text'],
    ['a cursor of another kind', command, placed({ kind: 'log' }), '.cursor.kind must be state, feed'],
    [
      'a catch-up with TRACE',
      command,
      placed({ catchUp: { ...INVOCATION, method: 'TRACE' } }),
      '.catchUp.method',
    ],
    ['a wait of no time', command, declared({ wait: { kind: 'prefer', seconds: 0 } }), 'from 1 to 25'],
    ['a wait of 26 s', command, declared({ wait: { kind: 'prefer', seconds: 26 } }), 'from 1 to 25'],
    [
      'a wait of half a second',
      command,
      declared({ wait: { kind: 'prefer', seconds: 0.5 } }),
      'from 1 to 25',
    ],
    [
      'a wait without a name',
      command,
      declared({ wait: { kind: 'query', name: '', value: '' } }),
      '.wait.name',
    ],
    ['a spread of over an hour', command, declared({ spread: 3_600_001 }), 'from 0 to 3600000'],
    [
      'a position of half an entry',
      command,
      declared({ position: { log: '', offset: 0.5 } }),
      '.offset must',
    ],
    [
      'a revision of number 0',
      command,
      declared({ again: { ...AGAIN, revision: { lineage: '', number: 0 } } }),
      '.number must',
    ],
    [
      'a loop that is early',
      command,
      declared({ again: { ...AGAIN, overdueBy: -1 } }),
      '.again.overdueBy must be',
    ],
    [
      'too many headers of a provider',
      command,
      given({ headers: Array.from({ length: 17 }, () => ['A', '1']) }),
      '.reply.headers must be a list of at most 16',
    ],
    ['a header of two lines', command, given({ headers: [['A', '1\r\nB: 2']] }), 'the value of a header'],
    ['credentials until no time', command, given({ expiresAt: Number.NaN }), '.reply.expiresAt must be'],
    ['providers for a path', command, { kind: 'provides', origins: ['https://a.example/b'] }, 'origins[0]'],
    ['an unknown command', command, { kind: 'eval' }, '.kind must be abort, declare'],
    ['a command that every object has', command, { kind: '__proto__' }, '.kind must be'],
  ])('%s', (_name, shape, message, said) => {
    expect(shape(message)).toContain(said);
  });

  test.each([
    'example.com',
    'ftp://example.com',
    'https://example.com/',
    'https://example.com/a',
    'https://user@example.com',
    'https://example.com?x',
    'https://EXAMPLE.com',
    'https://',
    'https://example.com:99999x',
    ' https://example.com',
    'https://a\nhttps://b',
  ])('the origin %s', (origin) => {
    expect(submissions(policy({ origins: [origin] }))).toContain('.origins[0] must be an http(s) origin');
  });
});

test('a list of a billion holes is no list, and is known for that at once', () => {
  const holes: unknown[] = [];
  holes.length = 2 ** 32 - 1;
  expect(submissions(holes)).toBe('[0] must be an object');
  expect(command({ kind: 'abort', ids: holes })).toBe('.ids[0] must be a whole number from 1');
});
