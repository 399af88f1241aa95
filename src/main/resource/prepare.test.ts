import { describe, expect, test } from 'vitest';
import type { Invocation } from '../../shared/invocation.ts';
import { declareAction } from './action.ts';
import type { DeclareOptions } from './action.ts';
import { REQUIRED } from './check.ts';
import type { Checks } from './check.ts';
import { prepare } from './prepare.ts';
import type { ConnectionSettings, Ingredients, Prepared, ConfigureRequest } from './prepare.ts';

const SETTINGS: ConnectionSettings = {
  timeout: 30_000,
  retry: 0,
  answerSize: 67_108_864,
  credentials: 'same-origin',
  mode: 'cors',
  origins: ['https://api.example'],
  secretHeaders: ['X-Key'],
};

interface Wish extends Partial<Ingredients> {
  readonly method?: string;
  readonly declared?: DeclareOptions;
  readonly checks?: Checks;
}

function prepared({ method = 'GET', declared = {}, checks = {}, ...wish }: Wish = {}): Prepared {
  return prepare({
    action: declareAction('get', method, '/photo/{id}', checks, declared),
    label: 'photos.get',
    params: {},
    data: undefined,
    options: {},
    callbacks: [],
    settings: SETTINGS,
    baseUrl: '/api',
    documentUrl: 'https://page.example/',
    revalidate: false,
    encoded: null,
    ...wish,
  });
}

function invocation(wish: Wish = {}): Invocation {
  const { encoded, finish } = prepared(wish);
  if (encoded instanceof Promise) throw new Error('This body is read later');
  return finish(encoded);
}

function sentHeader(wish: Wish, name: string): string | undefined {
  return invocation(wish).headers.find(([each]) => each.toLowerCase() === name.toLowerCase())?.[1];
}

test('an invocation carries all that is needed to serve it', () => {
  expect(invocation({ params: { id: 1, none: null }, data: { a: 1 }, revalidate: true })).toEqual({
    action: 'photos.get',
    method: 'GET',
    template: '/photo/{id}',
    baseUrl: '/api',
    documentUrl: 'https://page.example/',
    params: [['id', '1']],
    headers: [['Accept', 'application/json, */*;q=0.5']],
    body: { kind: 'query', text: 'a=1' },
    policy: { ...SETTINGS, cache: 'default', revalidate: true },
  });
});

const OF_CONNECTION = { timeout: 1, retry: 1, credentials: 'omit', mode: 'cors' } as const;
const OF_DESCRIPTION = { timeout: 2, retry: 2, credentials: 'include', mode: 'same-origin' } as const;
const OF_CALL = { timeout: 3, retry: 3, credentials: 'omit', mode: 'cors' } as const;

describe('the policy', () => {
  const settings = { ...SETTINGS, ...OF_CONNECTION };

  test('is the connection’s', () => {
    expect(invocation({ settings }).policy).toMatchObject({ ...OF_CONNECTION, cache: 'default' });
  });

  test('unless the description says otherwise', () => {
    const declared = { ...OF_DESCRIPTION, cache: 'network-only' } as const;
    expect(invocation({ settings, declared }).policy).toMatchObject(declared);
  });

  test('unless the call says otherwise', () => {
    const options = { ...OF_CALL, cache: 'default' } as const;
    const declared = { ...OF_DESCRIPTION, cache: 'network-only' } as const;
    expect(invocation({ settings, declared, options }).policy).toMatchObject(options);
  });

  test('may be changed by a callback, but for what only the options have', () => {
    const callbacks: ConfigureRequest[] = [
      (request) => {
        request.timeout = 5;
        request.credentials = 'omit';
      },
    ];
    const wish = { settings, declared: OF_DESCRIPTION, callbacks };
    expect(invocation(wish).policy).toMatchObject({ timeout: 5, credentials: 'omit', retry: 2 });
    expect(prepared(wish).timeout).toBe(5);
  });

  test.each<[string, Wish]>([
    ['the call', { options: { timeout: -1 } }],
    ['the call', { options: { retry: 0.5 } }],
    [
      'a callback',
      {
        callbacks: [
          (request): void => {
            request.timeout = Number.NaN;
          },
        ],
      },
    ],
  ])('may not be out of range in %s', (_name, wish) => {
    expect(() => invocation(wish)).toThrow(RangeError);
  });
});

function append(letter: string): ConfigureRequest {
  return (request) => request.setRequestHeader('X', `${request.getRequestHeader('x') ?? ''}${letter}`);
}

describe('headers', () => {
  const declared = { headers: { X: 'description' } };

  test('come from the description, then from the callbacks in their order, then from the call', () => {
    expect(sentHeader({ declared }, 'X')).toBe('description');
    const callbacks = [append('1'), append('2')];
    expect(sentHeader({ declared, callbacks }, 'X')).toBe('description12');
    expect(sentHeader({ declared, callbacks, options: { headers: { x: 'call' } } }, 'X')).toBe('call');
  });

  test('are checked wherever they come from', () => {
    expect(() => invocation({ declared: { headers: { Cookie: '1' } } })).toThrow(TypeError);
    expect(() => invocation({ options: { headers: { Cookie: '1' } } })).toThrow(TypeError);
  });

  test('get the type of the body, unless one was set', () => {
    const data = { a: 1 };
    expect(sentHeader({ method: 'PUT', data }, 'content-type')).toBe('application/x-www-form-urlencoded');
    const options = { headers: { 'content-type': 'application/json' } };
    expect(invocation({ method: 'PUT', data, options })).toMatchObject({ body: { text: '{"a":1}' } });
    expect(sentHeader({ method: 'PUT', data, options }, 'content-type')).toBe('application/json');
    expect(sentHeader({ data }, 'content-type')).toBeUndefined();
  });

  test('set by a callback decide how the body is encoded', () => {
    const callbacks: ConfigureRequest[] = [
      (request) => request.setRequestHeader('Content-Type', 'application/json'),
    ];
    expect(invocation({ method: 'PUT', data: [1], callbacks })).toMatchObject({ body: { text: '[1]' } });
  });
});

describe('a callback', () => {
  test('gets the request, the action’s name, the parameters and the data', () => {
    const seen: unknown[] = [];
    const params = { id: 1 };
    const data = { a: 1 };
    const callbacks: ConfigureRequest[] = [
      (request, ...rest) => void seen.push(request.method, request.template, ...rest),
    ];
    invocation({ params, data, callbacks });
    expect(seen).toEqual(['GET', '/photo/{id}', 'get', params, data]);
  });

  test('that throws keeps the call from being made', () => {
    const cause = new Error('from the callback');
    const callbacks: ConfigureRequest[] = [
      (): void => {
        throw cause;
      },
    ];
    expect(() => invocation({ callbacks })).toThrow(cause);
  });

  test('must not return a promise', () => {
    const callbacks = [async (): Promise<void> => {}];
    expect(() => invocation({ callbacks })).toThrow(/must not return a promise: 'get' is sent at once/);
  });
});

const neverCalled: ConfigureRequest = () => {
  throw new Error('must not run');
};

describe('before anything else', () => {
  test('the checks run', () => {
    const wish = { checks: { id: REQUIRED }, callbacks: [neverCalled] };
    expect(() => invocation(wish)).toThrow("Missing parameter 'id'");
  });

  test('the parameters are encoded', () => {
    const params = JSON.parse('{"id":[[1]]}');
    expect(() => invocation({ params, callbacks: [neverCalled] })).toThrow(/cannot be put into a URL/);
  });
});

test.each([
  ['one', 'sorted', ['sorted']],
  ['several', ['titled', 'sorted'], ['titled', 'sorted']],
  ['none', [], undefined],
  ['none that is said', undefined, undefined],
])('the functions that answers go through are %s', (_what, transform, names) => {
  const declared = transform === undefined ? {} : { transform };
  expect(invocation({ declared }).policy.transform).toEqual(names);
});

test('a repeated call has the body that was sent before', () => {
  const encoded = { body: { kind: 'text', text: 'as sent' }, contentType: 'text/csv' } as const;
  const wish = { method: 'PUT', data: { a: 1 }, encoded };
  expect(invocation(wish).body).toEqual({ kind: 'text', text: 'as sent' });
  expect(sentHeader(wish, 'content-type')).toBe('text/csv');
});

test('a Blob is read by the platform first', async () => {
  const { encoded, finish } = prepared({ method: 'PUT', data: new Blob(['hi'], { type: 'text/csv' }) });
  expect(encoded).toBeInstanceOf(Promise);
  const { body, headers } = finish(await encoded);
  expect(body.kind === 'bytes' && new TextDecoder().decode(body.bytes)).toBe('hi');
  expect(headers).toContainEqual(['Content-Type', 'text/csv']);
});

test.each([
  ['an object', { 'X-Tenant': '7' }],
  ['Headers', new Headers({ 'X-Tenant': '7' })],
  ['a Map', new Map([['X-Tenant', '7']])],
  ['pairs', [['X-Tenant', '7']] as const],
])('headers are sent that are given as %s, by the action or by the call', (_, headers) => {
  expect(sentHeader({ options: { headers } }, 'X-Tenant')).toBe('7');
  expect(sentHeader({ declared: { headers } }, 'X-Tenant')).toBe('7');
});

test('of headers that are given in pairs, the later one of a name counts', () => {
  const headers = [
    ['X-Tenant', '7'],
    ['x-tenant', '8'],
  ] as const;
  expect(sentHeader({ options: { headers } }, 'X-Tenant')).toBe('8');
});
