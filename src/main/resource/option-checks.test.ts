import { afterEach, beforeEach, expect, test } from 'vitest';
import { FakePage } from '../page.fixture.ts';
import { flush } from '../session/host.fixture.ts';
import { PlainRestResource } from './plain-resource.ts';
import { RestResource } from './rest-resource.ts';

let page: FakePage;

beforeEach(() => {
  page = new FakePage();
});

afterEach(() => {
  page.leave();
});

const GET = { get: { method: 'GET', url: '/' } };

/** What no compiler lets pass, and a page without one may give all the same. */
function wrong(value: unknown): never;
function wrong(value: unknown): unknown {
  return value;
}

test.each<[string, unknown, string]>([
  ['null', null, "Options of 'get' must be an object, got null"],
  ['a text', 'x', "Options of 'get' must be an object, got a string"],
  ['a misspelt option', { timeOut: 1 }, "Unknown option 'timeOut' of 'get'"],
  ['an option of loops', { interval: 100 }, "Unknown option 'interval' of 'get'"],
  ['a signal', { signal: {} }, "Option 'signal' of 'get' must be an AbortSignal, got a Object"],
  ['headers: null', { headers: null }, "Option 'headers' of 'get' must be a plain object, Headers, a Map or"],
  ['headers in one text', { headers: 'A: b' }, 'got a string'],
  ['headers in texts', { headers: ['A: b'] }, 'a Map or a list of pairs, got an array'],
  ['headers once', { headers: new Headers().entries() }, "Option 'headers' of 'get' must be"],
  ['a mode', { mode: 'no-cors' }, "Option 'mode' of 'get' must be one of cors, same-origin, got 'no-cors'"],
  ['credentials', { credentials: true }, 'must be one of omit, same-origin, include, got a boolean'],
  [
    'a cache',
    { cache: 'no-store' },
    "cache-only, network-only, or { maxAge, staleIfError, staleWhileRevalidate } in seconds, got 'no-store'",
  ],
  ['lifetimes without an age', { cache: { staleIfError: 1 } }, 'in seconds, got {"staleIfError":1}'],
  ['a lifetime in words', { cache: { maxAge: '1 h' } }, 'in seconds, got {"maxAge":"1 h"}'],
  ['another lifetime', { cache: { maxAge: 1, minFresh: 1 } }, 'in seconds, got {"maxAge":1,"minFresh":1}'],
  ['a reload', { reload: 'yes' }, "Option 'reload' of 'get' must be true or false, got a string"],
])('a call that is given %s says what is wrong and sends nothing', async (_, options, message) => {
  const { connection } = page;
  for (const resource of [
    new RestResource(GET, { connection }),
    new PlainRestResource(GET, { connection }),
  ]) {
    expect(() => resource.invoke('get', null, null, wrong(options))).toThrow(message);
    expect(() => resource.invoke('get', null, null, wrong(options))).toThrow(TypeError);
  }
  await flush();
  expect(page.host.life.submitted).toEqual([]);
});

test.each<[string, unknown, string]>([
  ['a misspelt option', { intervall: 100 }, "Unknown option 'intervall' of 'get'"],
  ['a flag', { immediately: 1 }, "Option 'immediately' of 'get' must be true or false, got a number"],
  ['hidden', { hidden: 'stop' }, "Option 'hidden' of 'get' must be one of continue, slow, pause, got 'stop'"],
  ['notify', { notify: 'all' }, "Option 'notify' of 'get' must be one of answer, change, got 'all'"],
  ['headers', { headers: null }, "Option 'headers' of 'get' must be a plain object"],
])('a poll that is given %s that is none says so', (_, options, message) => {
  const resource = new RestResource(GET, { connection: page.connection });
  expect(() => resource.poll('get', {}, wrong(options))).toThrow(message);
});

test.each<[string, unknown, string]>([
  ['null', null, "Options of 'get' must be an object, got null"],
  ['an option of polls', { interval: 100 }, "Unknown option 'interval' of 'get'"],
  ['hidden', { hidden: 'pause' }, "Option 'hidden' of 'get' must be one of continue, slow, got 'pause'"],
])('a long-poll that is given %s says what is wrong', (_, options, message) => {
  const resource = new RestResource(GET, { connection: page.connection });
  expect(() => resource.longPoll('get', {}, wrong(options))).toThrow(message);
});

test.each<[unknown, string]>([
  [{ get: null }, "The description of 'get' must be an object, got null"],
  [{ get: { ...GET.get, headers: 'A: b' } }, "Option 'headers' of 'get' must be a plain object"],
  [{ get: { ...GET.get, mode: 'no-cors' } }, "Option 'mode' of 'get' must be one of cors, same-origin"],
])('a resource of %j is refused', (description, message) => {
  expect(() => new RestResource(wrong(description))).toThrow(message);
});

test.each<[unknown, string]>([
  [null, 'Options of a resource must be an object, got null'],
  [{ baseUrl: 5 }, "Option 'baseUrl' of a resource must be a string, got a number"],
  [{ base: '/' }, "Unknown option 'base' of a resource"],
])('a resource with the options %j is refused', (options, message) => {
  expect(() => new RestResource(GET, wrong(options))).toThrow(message);
});
