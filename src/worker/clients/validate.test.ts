import { describe, expect, test } from 'vitest';
import type { Cursor } from '../../shared/cursor.ts';
import type { Call } from '../../shared/guard.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { LIMITS } from '../../shared/limits.ts';
import { greetingOf } from '../../shared/messages.fixture.ts';
import type { LoopDeclaration, Submission } from '../../shared/protocol.ts';
import type { Wish } from '../cache/invocation.fixture.ts';
import { declaration } from '../loops/stage.fixture.ts';
import { submission } from '../tab.fixture.ts';
import { validateSubmission, validateMessage } from './validate.ts';

const CURSOR: Cursor = {
  kind: 'state',
  from: { kind: 'etag' },
  plus: 0,
  to: { kind: 'if-none-match' },
  initial: null,
  catchUp: null,
};

/** A loop whose body leaves room for so many characters in its message. */
function loop(room: number, wish: Partial<LoopDeclaration>): Call {
  const body = { kind: 'text', text: 'x'.repeat(LIMITS.messageSize - room) } as const;
  const { invocation } = submission(1, { method: 'POST', headers: [], body });
  const command = { kind: 'declare', declaration: declaration({ ...wish, invocation }) };
  return { id: '1', path: ['control'], argumentList: [{ value: command }] };
}

describe('what a loop says of its place counts towards the size of its message:', () => {
  test.each<[string, number, Partial<LoopDeclaration>]>([
    ['nothing', 0, { cursor: CURSOR, wait: { kind: 'prefer', seconds: 25 }, spread: 0, again: null }],
    ['a header that it is read from', 1, { cursor: { ...CURSOR, from: { kind: 'header', name: 'A' } } }],
    ['a pointer', 2, { cursor: { ...CURSOR, from: { kind: 'body', pointer: '/a' } } }],
    ['a header that it goes into', 3, { cursor: { ...CURSOR, to: { kind: 'header', name: 'ABC' } } }],
    ['a parameter', 2, { cursor: { ...CURSOR, to: { kind: 'query', name: 'ab' } } }],
    ['the first place', 1, { cursor: { ...CURSOR, initial: '0' } }],
    [
      'the request to catch up',
      3,
      { cursor: { ...CURSOR, catchUp: submission(1, { headers: [['A', 'bc']] }).invocation } },
    ],
    ['a wait', 4, { wait: { kind: 'query', name: 'a', value: '25s' } }],
    ['a revision', 2, { again: { revision: { lineage: 'ab', number: 1 }, overdueBy: 0 } }],
    ['a position', 2, { position: { log: 'ab', offset: 1 } }],
  ])('%s, %i', (_name, size, wish) => {
    expect(validateMessage(loop(size, wish))).toBeNull();
    expect(validateMessage(loop(size - 1, wish))).toMatchObject({ code: 'limit', limit: 'messageSize' });
  });
});

describe('what a call says counts towards its size:', () => {
  test.each<[string, number, Wish]>([
    ['nothing', 0, {}],
    ['a header', 3, { headers: [['A', 'bc']] }],
    ['a parameter', 3, { params: [['a', 'bc']] }],
    ['a list', 3, { params: [['a', ['b', 'c']]] }],
    ['pairs', 3, { params: [['a', { pairs: [['b', 'c']] }]] }],
  ])('%s, %i', (_name, size, wish) => {
    const call = (room: number): Submission => submission(1, { headers: [], ...wish, body: bodyOf(room) });
    expect(validateSubmission(call(size))).toBeNull();
    expect(validateSubmission(call(size - 1))).toMatchObject({ code: 'limit', limit: 'messageSize' });
  });
});

/** A greeting with loops whose bodies leave room for so many characters each. */
function greet(...rooms: readonly number[]): Call {
  const loops = rooms.map((room, index) => {
    const { invocation } = submission(1, { method: 'POST', headers: [], body: bodyOf(room) });
    return declaration({ loop: index + 1, invocation });
  });
  return { id: '1', path: ['greet'], argumentList: [{ value: greetingOf({ loops }) }] };
}

test('all loops of a greeting count together', () => {
  expect(validateMessage(greet(7, LIMITS.messageSize - 7))).toBeNull();
  expect(validateMessage(greet(7, LIMITS.messageSize - 8))).toMatchObject({
    code: 'limit',
    limit: 'messageSize',
  });
});

/** A body that leaves room for so many characters in its message. */
function bodyOf(room: number): Invocation['body'] {
  return { kind: 'text', text: 'x'.repeat(LIMITS.messageSize - room) };
}

/** A question for a part of a body that leaves room for so many characters in its message. */
function ask(room: number): Call {
  const body = { kind: 'text', text: 'x'.repeat(LIMITS.messageSize - room) } as const;
  const { invocation } = submission(1, { headers: [], body });
  const command = { kind: 'part', invocation, part: { pointer: '/a', start: 0, count: 1 } };
  return { id: '1', path: ['control'], argumentList: [{ value: command }] };
}

test('what a part is asked of counts towards the size of its message, its pointer too', () => {
  expect(validateMessage(ask(2))).toBeNull();
  expect(validateMessage(ask(1))).toMatchObject({ code: 'limit', limit: 'messageSize' });
});
