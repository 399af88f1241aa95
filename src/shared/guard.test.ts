import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isCall, isEnvelope, isReply } from './guard.ts';

const ALLOWED = ['greet', 'submit'];
const CALL = { id: 'a1', type: 'APPLY', path: ['greet'], argumentList: [{ type: 'RAW', value: 1 }] };
const REPLY = { id: 'a1', type: 'RAW', value: 1 };
const THROWN = { id: 'a1', type: 'HANDLER', name: 'throw', value: { isError: false, value: 1 } };

describe('an envelope', () => {
  test('names its session and holds a message', () => {
    expect(isEnvelope({ offstage: 'token', message: CALL })).toBe(true);
    expect(isEnvelope({ offstage: '', message: undefined })).toBe(true);
  });

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['text', 'offstage'],
    ['another library’s message', { type: 'SKIP_WAITING' }],
    ['no session', { message: CALL }],
    ['a session that is no text', { offstage: 1, message: CALL }],
    ['no message', { offstage: 'token' }],
    ['a message that is inherited', Object.create({ offstage: 'token', message: CALL })],
    ['a list', ['token', CALL]],
  ])('is not %s', (_name, data) => {
    expect(isEnvelope(data)).toBe(false);
  });
});

describe('a call', () => {
  test.each<[string, unknown]>([
    ['one allowed name with a plain argument', CALL],
    ['no argument at all', { ...CALL, argumentList: [] }],
    ['another allowed name', { ...CALL, path: ['submit'] }],
  ])('passes with %s', (_name, message) => {
    expect(isCall(message, ALLOWED)).toBe(true);
  });

  test.each<[string, unknown]>([
    ['no object', 'APPLY'],
    ['null', null],
    ['no id', { ...CALL, id: undefined }],
    ['a number for an id', { ...CALL, id: 1 }],
    ['an object for an id', { ...CALL, id: { toString: 'a1' } }],
    ['GET', { ...CALL, type: 'GET' }],
    ['SET', { ...CALL, type: 'SET', value: { type: 'RAW', value: 1 } }],
    ['CONSTRUCT', { ...CALL, type: 'CONSTRUCT' }],
    ['ENDPOINT', { ...CALL, type: 'ENDPOINT' }],
    ['RELEASE', { ...CALL, type: 'RELEASE' }],
    ['an unknown type', { ...CALL, type: 'apply' }],
    ['no path', { ...CALL, path: undefined }],
    ['an empty path', { ...CALL, path: [] }],
    ['text for a path', { ...CALL, path: 'greet' }],
    ['an object that looks like a path', { ...CALL, path: { 0: 'greet', length: 1 } }],
    ['a deep path', { ...CALL, path: ['greet', 'call'] }],
    ['the way to Function', { ...CALL, path: ['constructor', 'constructor'] }],
    ['a name that is not allowed', { ...CALL, path: ['close'] }],
    ['a name that every object has', { ...CALL, path: ['constructor'] }],
    ['__proto__', { ...CALL, path: ['__proto__'] }],
    ['a list that reads like an allowed name', { ...CALL, path: [['greet']] }],
    ['an object that cannot be read as text', { ...CALL, path: [{ toString: 1, valueOf: 1 }] }],
    ['no arguments', { ...CALL, argumentList: undefined }],
    ['arguments that are no list', { ...CALL, argumentList: { length: 0 } }],
    ['a bare argument', { ...CALL, argumentList: [1] }],
    ['a missing argument', { ...CALL, argumentList: [null] }],
    ['a proxied argument', { ...CALL, argumentList: [{ type: 'HANDLER', name: 'proxy' }] }],
    ['a thrown argument', { ...CALL, argumentList: [{ type: 'HANDLER', name: 'throw' }] }],
    ['one bad argument behind a good one', { ...CALL, argumentList: [{ type: 'RAW' }, { type: 'HANDLER' }] }],
  ])('does not pass with %s', (_name, message) => {
    expect(isCall(message, ALLOWED)).toBe(false);
  });

  test('is never a reply', () => {
    expect(isReply(CALL)).toBe(false);
  });
});

describe('a reply', () => {
  test.each<[string, unknown]>([
    ['a plain value', REPLY],
    ['an error', THROWN],
  ])('passes with %s', (_name, message) => {
    expect(isReply(message)).toBe(true);
  });

  test.each<[string, unknown]>([
    ['no object', 'RAW'],
    ['no id', { ...REPLY, id: undefined }],
    ['a number for an id', { ...REPLY, id: 1 }],
    ['a proxied value', { ...REPLY, type: 'HANDLER', name: 'proxy' }],
    ['an unknown handler', { ...THROWN, name: 'nobody' }],
    ['an unknown type', { ...REPLY, type: 'raw' }],
  ])('does not pass with %s', (_name, message) => {
    expect(isReply(message)).toBe(false);
  });
});

test('the guard never throws, whatever it is given', () => {
  const part = fc.anything({ withNullPrototype: true, withSparseArray: true });
  const message = fc.record(
    {
      id: fc.oneof(part, fc.constant('a1')),
      type: fc.oneof(part, fc.constant('APPLY')),
      path: fc.oneof(
        part,
        fc.array(part, { maxLength: 2 }),
        fc.constant(['greet']),
        fc.constant([{ toString: 1, valueOf: 1 }]),
      ),
      argumentList: fc.oneof(part, fc.array(part), fc.constant([{ type: 'RAW' }])),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(part, message), (data) => {
      const path: unknown = Reflect.get(Object(data), 'path');
      expect(typeof isEnvelope(data)).toBe('boolean');
      expect(typeof isReply(data)).toBe('boolean');
      expect(!isCall(data, ALLOWED) || JSON.stringify(path) === '["greet"]').toBe(true);
    }),
  );
});
