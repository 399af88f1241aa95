import { describe, expect, test } from 'vitest';
import type { Cursor } from '../../shared/cursor.ts';
import type { Call } from '../../shared/guard.ts';
import { LIMITS } from '../../shared/limits.ts';
import type { LoopDeclaration } from '../../shared/protocol.ts';
import { declaration } from '../loops/stage.fixture.ts';
import { submission } from '../tab.fixture.ts';
import { judgePage } from './judge.ts';

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
    ['a revision', 2, { again: { revision: { line: 'ab', n: 1 }, overdueBy: 0, position: null } }],
    ['a position', 2, { again: { revision: null, overdueBy: 0, position: { log: 'ab', n: 1 } } }],
  ])('%s, %i', (_name, size, wish) => {
    expect(judgePage(loop(size, wish))).toBeNull();
    expect(judgePage(loop(size - 1, wish))).toMatchObject({ code: 'limit', limit: 'messageSize' });
  });
});

/** A question for a part of a body that leaves room for so many characters in its message. */
function ask(room: number): Call {
  const body = { kind: 'text', text: 'x'.repeat(LIMITS.messageSize - room) } as const;
  const { invocation } = submission(1, { headers: [], body });
  const command = { kind: 'part', invocation, part: { pointer: '/a', start: 0, count: 1 } };
  return { id: '1', path: ['control'], argumentList: [{ value: command }] };
}

test('what a part is asked of counts towards the size of its message, its pointer too', () => {
  expect(judgePage(ask(2))).toBeNull();
  expect(judgePage(ask(1))).toMatchObject({ code: 'limit', limit: 'messageSize' });
});
