import { describe, expect, test } from 'vitest';
import { resolveOptions } from './options.ts';

test('nothing is left open', () => {
  expect(resolveOptions({})).toEqual({
    firstVisit: 'page',
    script: '/service-worker.js',
    scope: null,
    type: 'classic',
    host: 'auto',
    origins: [],
    credentials: 'same-origin',
    mode: 'cors',
    secretHeaders: [],
    timeout: 30_000,
    retry: 0,
    answerSize: 67_108_864,
    encrypt: false,
  });
});

test.each([
  ['/sw.js', '/sw.js?encrypt'],
  ['/sw.js?v=1', '/sw.js?v=1&encrypt'],
])('the URL of the script says that what is stored is encrypted: %s', (serviceWorker, script) => {
  expect(resolveOptions({ serviceWorker, encrypt: true })).toMatchObject({ script, encrypt: true });
});

test.each(['yes', 1, null])('encrypt is true or false, not %s', (encrypt) => {
  expect(() => resolveOptions({ ...Object({ encrypt }) })).toThrow('encrypt');
});

test('what is given is taken', () => {
  const given = {
    scope: '/app/',
    type: 'module',
    credentials: 'include',
    mode: 'same-origin',
    host: 'page',
    secretHeaders: ['X-Key'],
    timeout: 1,
    retry: 2,
  } as const;
  expect(resolveOptions({ serviceWorker: '/sw.js', ...given })).toMatchObject({ script: '/sw.js', ...given });
});

test('a misspelt option is refused', () => {
  const options = { serviceWorker: '/sw.js', serviceworker: '/sw.js' };
  expect(() => resolveOptions({ ...options })).toThrow(
    new TypeError("Unknown option 'serviceworker' of connect"),
  );
});

describe('limits', () => {
  test('are taken where they are given', () => {
    expect(resolveOptions({ limits: { answerSize: 1_000 } }).answerSize).toBe(1_000);
  });

  test.each([0, -1, Number.NaN, Infinity])('an answer of at most %s bytes is refused', (answerSize) => {
    expect(() => resolveOptions({ limits: { answerSize } })).toThrow(RangeError);
  });

  test('a misspelt one is refused', () => {
    const limits = { answerSize: 1, answersize: 1 };
    expect(() => resolveOptions({ limits })).toThrow("Unknown option 'answersize' of limits");
  });
});

describe('origins', () => {
  test.each([
    ['https://api.example', 'https://api.example'],
    ['https://API.example/', 'https://api.example'],
    ['https://api.example:443', 'https://api.example'],
    ['http://localhost:8080', 'http://localhost:8080'],
  ])('are taken as the browser writes them: %s', (origin, expected) => {
    expect(resolveOptions({ origins: [origin] }).origins).toEqual([expected]);
  });

  test.each([
    '',
    'api.example',
    'https://',
    'https://api.example/path',
    'https://api.example?a=1',
    'https://user@api.example',
    'ws://api.example',
    'data:text/plain,a',
    'null',
    '*',
  ])('are refused where they are none: %j', (origin) => {
    expect(() => resolveOptions({ origins: [origin] })).toThrow(
      `'${origin}' in origins is no http(s) origin`,
    );
  });
});

test.each<[string, string]>([
  ['null', 'Options of connect must be an object, got null'],
  ['"/sw.js"', 'Options of connect must be an object, got a string'],
  ['{"timeout":0}', "Timeout of 'connect' must be a number of milliseconds above 0, got 0"],
  ['{"retry":-1}', "Retry of 'connect' must be a whole number of repetitions from 0, got -1"],
  ['{"serviceWorker":5}', "Option 'serviceWorker' of connect must be a string, got a number"],
  ['{"scope":null}', "Option 'scope' of connect must be a string, got null"],
  ['{"type":"modul"}', "Option 'type' of connect must be one of classic, module, got 'modul'"],
  ['{"host":"worker"}', "Option 'host' of connect must be one of auto, service-worker, page, got 'worker'"],
  ['{"origins":"x"}', "Option 'origins' of connect must be a list of strings, got a string"],
  ['{"origins":[1]}', "Option 'origins' of connect must be a list of strings, got [a number]"],
  ['{"credentials":"inlcude"}', "must be one of omit, same-origin, include, got 'inlcude'"],
  ['{"mode":"no-cors"}', "Option 'mode' of connect must be one of cors, same-origin, got 'no-cors'"],
  ['{"secretHeaders":null}', "Option 'secretHeaders' of connect must be a list of HTTP tokens, got null"],
  ['{"secretHeaders":"X-Api-Key"}', 'must be a list of HTTP tokens, got a string'],
  ['{"secretHeaders":["X Key",1]}', "must be a list of HTTP tokens, got ['X Key', a number]"],
  ['{"functions":"./f.js"}', "Option 'functions' of connect must be a function, got a string"],
  ['{"limits":null}', "Option 'limits' of connect must be an object, got null"],
])('connect(%s) is refused, and says why', (options, message) => {
  expect(() => resolveOptions(JSON.parse(options))).toThrow(message);
});
