import { describe, expect, test } from 'vitest';
import type { RequestBody } from '../../shared/invocation.ts';
import { write } from '../outbox/write.fixture.ts';
import { givenIn, renamed, temporaryIdsIn } from './temporary-ids.ts';
import { answered } from './outcome.fixture.ts';

const ONE = `temporary-${'1'.repeat(32)}`;
const TWO = `temporary-${'2'.repeat(32)}`;
const names = (temporaryId: string): number | string | undefined =>
  temporaryId === ONE ? 7 : temporaryId === TWO ? 'ä"8' : undefined;

function textOf(type: string, text: string): string {
  const { body } = renamed(write(1, typed(type)), { kind: 'text', text }, names);
  return 'text' in body ? body.text : '';
}

function typed(type: string): Partial<ReturnType<typeof write>> {
  return { invocation: { ...write(1).invocation, headers: [['Content-Type', type]] } };
}

describe('names in JSON', () => {
  test.each([
    [`{"album":"${ONE}"}`, '{"album":7}'],
    [`["${ONE}","${ONE}", "${TWO}"]`, '[7,7, "ä\\"8"]'],
    [`"${ONE}"`, '7'],
    [`{"${ONE}": 1, "${TWO}":2}`, '{"7": 1, "ä\\"8":2}'],
    [`{"n":12345678901234567890,"album":"${ONE}"}`, '{"n":12345678901234567890,"album":7}'],
  ])('%s', (text, expected) => {
    expect(textOf('application/json', text)).toBe(expected);
  });

  test.each([
    `{"text":"see ${ONE}"}`,
    `{"text":"\\"${ONE}"}`,
    `{"text":"\\"${ONE}\\""}`,
    `{"text":"${ONE}0"}`,
    `{"text":"temporary-${'3'.repeat(32)}"}`,
  ])('stays: %s', (text) => {
    expect(textOf('application/json', text)).toBe(text);
  });
});

test('names in a form are whole values', () => {
  const form = 'application/x-www-form-urlencoded';
  expect(textOf(form, `album=${ONE}&x=${TWO}&y=a${ONE}&${ONE}=1`)).toBe(
    `album=7&x=${encodeURIComponent('ä"8')}&y=a${ONE}&${ONE}=1`,
  );
});

test('names in a form with files are whole fields, and no byte of a file changes', async () => {
  const form = new FormData();
  const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
  form.append('album', ONE);
  form.append('cover', new Blob([bytes]));
  form.append('other', TWO);
  form.append('text', `see ${ONE}`);
  const response = new Response(form);
  const type = response.headers.get('Content-Type') ?? '';
  const sent: RequestBody = { kind: 'bytes', bytes: await response.arrayBuffer() };
  const { body } = renamed(write(1, typed(type)), sent, names);
  if (body.kind !== 'bytes') throw new Error('It is no longer bytes');
  const read = await new Response(body.bytes, { headers: { 'Content-Type': type } }).formData();
  expect([read.get('album'), read.get('other'), read.get('text')]).toEqual(['7', 'ä"8', `see ${ONE}`]);
  const cover = read.get('cover');
  expect(cover instanceof Blob && new Uint8Array(await cover.arrayBuffer())).toEqual(bytes);
});

test('names in params are whole values, also of lists and pairs', () => {
  const params = [
    ['album', ONE],
    ['tags', [ONE, 'x']],
    ['filter', { pairs: [['owner', TWO]] }],
    ['text', `see ${ONE}`],
  ] as const;
  const asked = { ...write(1).invocation, params };
  const given = renamed(write(1, { invocation: asked, uses: [ONE, TWO, 'z'] }), { kind: 'none' }, names);
  expect(given.write.invocation.params).toEqual([
    ['album', '7'],
    ['tags', ['7', 'x']],
    ['filter', { pairs: [['owner', 'ä"8']] }],
    ['text', `see ${ONE}`],
  ]);
  expect(given.write.uses).toEqual(['z']);
  expect(temporaryIdsIn(asked, { kind: 'none' })).toEqual([ONE, TWO]);
});

test.each([
  [{ id: 7 }, '/id', 7],
  [{ photo: { id: 'a' } }, '/photo/id', 'a'],
  [{ id: null }, '/id', null],
  [{ id: { deep: 1 } }, '/id', null],
  [7, '', 7],
  [null, '/id', null],
])('the id in %j at %s', (value, pointer, expected) => {
  const { answer } = answered({ answer: { status: 201, headers: [], body: { kind: 'value', value } } });
  expect(givenIn(answer, pointer)).toBe(expected);
});
