import { afterEach, beforeEach, expect, test } from 'vitest';
import { FakePage } from '../page.fixture.ts';
import { RestResource } from '../resource/rest-resource.ts';
import { RestStore } from './rest-store.ts';

let page: FakePage;

beforeEach(() => {
  page = new FakePage();
});

afterEach(() => {
  page.leave();
});

function photos(): RestResource {
  return new RestResource({ get: { method: 'GET', url: '/' } }, { connection: page.connection });
}

/** What no compiler lets pass, and a page without one may give all the same. */
function wrong(value: unknown): never;
function wrong(value: unknown): unknown {
  return value;
}

test.each<[unknown, string]>([
  [null, 'The resource of a store must be a Resource, got null'],
  [{ get: {} }, 'The resource of a store must be a Resource, got a Object'],
])('a store of %j is refused', (resource, message) => {
  expect(() => new RestStore(wrong(resource), 'get')).toThrow(new TypeError(message));
});

test('a store of an action that is no name is refused', () => {
  expect(() => new RestStore(photos(), wrong(Symbol('get')))).toThrow(
    'The action of a store must be a string, got a symbol',
  );
});

test.each<[unknown, string]>([
  [null, 'Options of a store must be an object, got null'],
  [{ manipulateData: 'x' }, "Option 'manipulateData' of a store must be a function, got a string"],
  [{ configureRequest: {} }, "Option 'configureRequest' of a store must be a function, got a Object"],
])('a store with the delegate %j is refused', (delegate, message) => {
  expect(() => new RestStore(photos(), 'get', wrong(delegate))).toThrow(new TypeError(message));
});

test('a delegate may be anything that has its members, and others besides', () => {
  class Controller {
    readonly title = 'photos';
    manipulateData(response: unknown): unknown {
      return response;
    }
  }
  expect(() => new RestStore(photos(), 'get', new Controller())).not.toThrow();
});

test.each([null, {}, 'model'])('a subscriber that is %j is refused', (observer) => {
  const store = new RestStore(photos(), 'get');
  expect(() => store.subscribe(wrong(observer))).toThrow(
    'What subscribes must be a function, or an object with a function next, got',
  );
});

test.each([
  ['a pattern', /sea/i],
  ['a set', new Set(['sea'])],
  ['a function', () => true],
  ['NaN', NaN],
  ['undefined', undefined],
  ['a function in an object', { by: () => true }],
  ['a symbol', Symbol('sea')],
])('a filter that is given %s is refused, which the worker would get as something else', (_name, given) => {
  const store = new RestStore(photos(), 'get');
  expect(() => store.window(0, 10, { filter: ['matches', given] })).toThrow(TypeError);
});

test('a filter may be given whatever JSON says', () => {
  const store = new RestStore(photos(), 'get');
  const given = ['sea', 1, null, true, [null], { since: new Date(0), until: undefined }];
  expect(() => store.window(0, 10, { filter: ['matches', ...given] })).not.toThrow();
});

test.each<[unknown, string]>([
  [null, 'Options of a window must be an object, got null'],
  [{ filters: 'x' }, "Unknown option 'filters' of a window"],
])('a window with the options %j is refused', (arrangement, message) => {
  const store = new RestStore(photos(), 'get');
  expect(() => store.window(0, 10, wrong(arrangement))).toThrow(new TypeError(message));
});
