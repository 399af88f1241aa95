import { expect, test } from 'vitest';
import type { Invocation, RequestBody } from '../../shared/invocation.ts';
import type { LoopDeclaration } from '../../shared/protocol.ts';
import { urlOf } from '../address/expansion.ts';
import { invocation } from '../cache/invocation.fixture.ts';
import type { Wish } from '../cache/invocation.fixture.ts';
import { loopKey } from './loops.ts';
import { declaration, every, SILENT } from './stage.fixture.ts';

const URL = 'https://page.example/photo';

function key(wish: Partial<Invocation> = {}, declared: Partial<LoopDeclaration> = {}): string {
  return loopKey(declaration({ invocation: invocation(wish), ...declared }), urlOf);
}

function bytes(...values: number[]): RequestBody {
  return { kind: 'bytes', bytes: new Uint8Array(values).buffer };
}

test('loops that differ in nothing but who asks, how often and under which name are one', () => {
  const others = [
    key({}, { loop: 2 }),
    key({}, { pace: every(60_000) }),
    key({}, { interest: { ...SILENT, sent: true }, firstIn: 500 }),
    key({ action: 'photo.list', template: '/{path}', params: [['path', 'photo']] }),
  ];
  expect(others).toEqual(others.map(() => key()));
});

test.each<[string, string]>([
  ['the method', key({ method: 'HEAD' })],
  ['the URL', loopKey(declaration(), () => `${URL}s`)],
  ['the headers that the page set', key({ headers: [['X-Token', '1']] })],
  ['a text', key({ body: { kind: 'text', text: 'a' } })],
  ['bytes', key({ body: bytes(97) })],
  ['the pace', key({}, { pace: { kind: 'long-poll' } })],
  ['functions that answers go through', key({ policy: { ...invocation().policy, transform: ['sorted'] } })],
  ['credentials', key({ policy: { ...invocation().policy, credentials: 'include' } })],
])('loops that differ in %s are two', (_what, other) => {
  expect(other).not.toBe(key());
});

test('all that it catches up with counts', () => {
  const wishes: Wish[] = [
    {},
    { method: 'HEAD' },
    { template: '/photos' },
    { baseUrl: 'https://other.example' },
    { documentUrl: 'https://page.example/below/', template: 'photo' },
    { headers: [['X-Token', '1']] },
    { body: { kind: 'text', text: 'a' } },
    { policy: { credentials: 'include' } },
    { policy: { timeout: 1_000 } },
    { policy: { transform: ['sorted'] } },
    { policy: { transform: ['titled', 'sorted'] } },
  ];
  const keys = wishes.map((wish) => {
    const from = { kind: 'etag' } as const;
    const to = { kind: 'if-none-match' } as const;
    return key({}, { cursor: { from, to, plus: 0, initial: null, catchUp: invocation(wish), kind: 'feed' } });
  });
  expect(new Set([...keys, key()]).size).toBe(wishes.length + 1);
});

test('every byte counts', () => {
  const keys = Array.from({ length: 256 }, (_, value) => key({ body: bytes(1, value, 2) }));
  expect(new Set([...keys, key({ body: { kind: 'text', text: '' } })]).size).toBe(257);
});

test('loops whose URLs are refused are two where their templates or parameters differ', () => {
  const keys = ['/{path}', '/{+path}'].flatMap((template) =>
    ['..', '.'].map((path) => {
      const refused = invocation({ template, params: [['path', path]] });
      return loopKey(declaration({ invocation: refused }), () => null);
    }),
  );
  expect(new Set(keys).size).toBe(4);
});
