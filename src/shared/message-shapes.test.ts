import { describe, expect, test } from 'vitest';
import { command, greeting, submissions } from './message-shapes.ts';
import {
  altered,
  COMMANDS,
  DECLARATION,
  INVOCATION,
  partsOf,
  SUBMISSION,
  without,
} from './messages.fixture.ts';
import type { Shape } from './shape.ts';

const MESSAGES: readonly (readonly [string, Shape<unknown>, unknown])[] = [
  ['a greeting', greeting, { protocol: 1, oldest: 1 }],
  ['a batch', submissions, [SUBMISSION, { ...SUBMISSION, id: 2 }]],
  ...Object.entries(COMMANDS).map(([kind, each]): readonly [string, Shape<unknown>, unknown] => [
    `the command ${kind}`,
    command,
    each,
  ]),
];

describe('passes as it is:', () => {
  test.each(MESSAGES)('%s', (_name, shape, message) => {
    expect(shape(message)).toBeNull();
  });

  test.each(MESSAGES)('%s with more than is known', (_name, shape, message) => {
    expect(shape(Object.assign(structuredClone(message) ?? {}, { later: 1 }))).toBeNull();
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
      expect(shape(without(message, way)), `without ${way.join('.')}`).not.toBeNull();
      for (const [name, alter] of Object.entries(alterations)) {
        expect(shape(altered(message, way, alter)), `${name} at ${way.join('.')}`).not.toBeNull();
      }
    }
  });

  test.each(MESSAGES)('%s as a whole', (_name, shape, message) => {
    for (const alter of Object.values(alterations)) expect(shape(alter(message))).not.toBeNull();
  });
});

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
