import { describe, expect, test } from 'vitest';
import { DeclaredActions, assertName, mapAction } from './declared-actions.ts';
import { RestResource } from './rest-resource.ts';

const resource = new RestResource();

describe('the name of an action', () => {
  test.each(['get', 'name', 'url', 'state', 'delete', 'model', 'a b', 'ä', '0', 'connection', 'success'])(
    'may be %s',
    (name) => {
      expect(() => assertName(name, resource, false)).not.toThrow();
    },
  );

  test.each([
    'invoke',
    'result',
    'map',
    'poll',
    'longPoll',
    'refresh',
    'abort',
    'configureRequest',
    'setBaseUrl',
    'dispose',
    'addListener',
    'removeListener',
    'addEventListener',
    'removeEventListener',
    'dispatchEvent',
    'constructor',
    'toString',
    'hasOwnProperty',
    '__proto__',
    'stream',
    'then',
  ])('may not be %s, which is taken', (name) => {
    expect(() => assertName(name, resource, false)).toThrow(
      new Error(`Method with name of action (${name}) already exists`),
    );
  });

  test.each([undefined, null, '', 1, Symbol('get'), {}])('may not be %s', (name) => {
    expect(() => assertName(name, resource, false)).toThrow(TypeError);
  });

  test('may be that of an action, which is replaced', () => {
    expect(() => assertName('get', { get: 1 }, true)).not.toThrow();
    expect(() => assertName('get', { get: 1 }, false)).toThrow(/already exists/);
  });
});

test('an action goes by the `invoke` that its resource has when it is called, which an app may have replaced', () => {
  const calls: unknown[] = [];
  const mapped = {
    map: () => {},
    invoke: (...call: unknown[]): number => calls.push(call),
  };
  mapAction(mapped, new DeclaredActions('', { name: '', documentUrl: () => '' }), 'get', 'GET', '/photo');
  mapped.invoke = (...call): number => calls.push(['replaced', ...call]);
  Reflect.get(mapped, 'get')({ id: 1 });
  expect(calls).toEqual([['replaced', 'get', { id: 1 }]]);
});
