import { describe, expect, test } from 'vitest';
import type { RequestBody } from '../../shared/invocation.ts';
import { invocation } from '../address/invocation.fixture.ts';
import { givenIn } from './temporary-id.ts';
import { renamedInvocation, renamedLane, temporaryIdsIn, temporaryIdsInLane } from './temporary-ids.ts';
import { answered } from './outcome.fixture.ts';

const ONE = `temporary-${'1'.repeat(32)}`;
const TWO = `temporary-${'2'.repeat(32)}`;
const names = (temporaryId: string): number | string | undefined =>
  temporaryId === ONE ? 7 : temporaryId === TWO ? 'ä"8' : undefined;

function sent(type: string, body: RequestBody): RequestBody {
  const asked = invocation('/photos', [], { method: 'POST', headers: [['Content-Type', type]], body });
  return renamedInvocation(asked, names).body;
}

function textOf(type: string, text: string): string {
  const body = sent(type, { kind: 'text', text });
  return 'text' in body ? body.text : '';
}

/** The text of bytes that were sent. */
function bytesOf(type: string, text: string): string {
  const body = sent(type, { kind: 'bytes', bytes: new TextEncoder().encode(text).buffer });
  return body.kind === 'bytes' ? new TextDecoder().decode(body.bytes) : '';
}

/** A form as it is sent, and its Content-Type. */
async function multipart(form: FormData): Promise<[type: string, bytes: ArrayBuffer]> {
  const response = new Response(form);
  return [response.headers.get('Content-Type') ?? '', await response.arrayBuffer()];
}

describe('names in JSON', () => {
  test.each([
    [`{"album":"${ONE}"}`, '{"album":7}'],
    [`["${ONE}","${ONE}", "${TWO}"]`, '[7,7, "ä\\"8"]'],
    [`"${ONE}"`, '7'],
    [`{"${ONE}": 1, "${TWO}":2}`, '{"7": 1, "ä\\"8":2}'],
    [`{"${ONE}":"${TWO}","a":["${TWO}","${ONE}"]}`, '{"7":"ä\\"8","a":["ä\\"8",7]}'],
    [`{"${ONE}":{"${TWO}" :"${ONE}"}}`, '{"7":{"ä\\"8" :7}}'],
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
  const [type, given] = await multipart(form);
  const body = sent(type, { kind: 'bytes', bytes: given });
  if (body.kind !== 'bytes') throw new Error('It is no longer bytes');
  const read = await new Response(body.bytes, { headers: { 'Content-Type': type } }).formData();
  expect([read.get('album'), read.get('other'), read.get('text')]).toEqual(['7', 'ä"8', `see ${ONE}`]);
  const cover = read.get('cover');
  expect(cover instanceof Blob && new Uint8Array(await cover.arrayBuffer())).toEqual(bytes);
});

test('JSON and forms that were given as bytes are looked into, and other texts are not', () => {
  expect(bytesOf('application/json', `{"album":"${ONE}","title":"é"}`)).toBe('{"album":7,"title":"é"}');
  expect(bytesOf('application/x-www-form-urlencoded;charset=UTF-8', `album=${ONE}`)).toBe('album=7');
  const text = `see album=${ONE}`;
  expect([bytesOf('text/plain', text), textOf('text/plain', text)]).toEqual([text, text]);
});

test('a file whose whole content is a temporary id stays, whatever its name and the names of fields', async () => {
  const form = new FormData();
  form.append('note', new Blob([ONE], { type: 'text/plain' }), 'note.txt');
  form.append('a; filename="b', ONE);
  const [type, given] = await multipart(form);
  const inFile = new FormData();
  // A file that quotes a form: no field of this one.
  inFile.append(
    'quote',
    new Blob([`--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n${ONE}\r\n--x`]),
    'x',
  );
  const quoted = await multipart(inFile);
  expect(sent(quoted[0], { kind: 'bytes', bytes: quoted[1] })).toEqual({ kind: 'bytes', bytes: quoted[1] });
  const body = sent(type, { kind: 'bytes', bytes: given });
  if (body.kind !== 'bytes') throw new Error('It is no longer bytes');
  const read = await new Response(body.bytes, { headers: { 'Content-Type': type } }).formData();
  const note = read.get('note');
  expect(note instanceof Blob && (await note.text())).toBe(ONE);
  expect(read.get('a; filename="b')).toBe('7');
});

test('names in params are whole values, also of lists and pairs', () => {
  const params = [
    ['album', ONE],
    ['tags', [ONE, 'x']],
    ['filter', { pairs: [['owner', TWO]] }],
    ['text', `see ${ONE}`],
  ] as const;
  const asked = invocation('/photos', params);
  expect(renamedInvocation(asked, names).params).toEqual([
    ['album', '7'],
    ['tags', ['7', 'x']],
    ['filter', { pairs: [['owner', 'ä"8']] }],
    ['text', `see ${ONE}`],
  ]);
  expect(temporaryIdsIn(asked, { kind: 'none' })).toEqual([ONE, TWO]);
});

test('a call that names nothing stays the same', () => {
  const asked = invocation('/photos', [['text', `see ${ONE}`]]);
  expect(renamedInvocation(asked, names)).toBe(asked);
});

test('names in a lane are those that are part of its text', () => {
  const lane = `photo ${ONE} of temporary-${'3'.repeat(32)}`;
  expect(renamedLane(lane, names)).toBe(`photo 7 of temporary-${'3'.repeat(32)}`);
  expect(temporaryIdsInLane(lane)).toEqual([ONE, `temporary-${'3'.repeat(32)}`]);
});

test.each([
  [{ id: 7 }, '/id', 7],
  [{ photo: { id: 'a' } }, '/photo/id', 'a'],
  [{ id: null }, '/id', null],
  [{ id: { deep: 1 } }, '/id', null],
  [7, '', 7],
  [null, '/id', null],
  [{ id: '' }, '/id', null],
  [{ id: 2 ** 53 }, '/id', null],
  [{ id: '\ud800' }, '/id', null],
  [{ id: '😀' }, '/id', '😀'],
  [[{ id: 7 }], '/0/id', 7],
  [{ 'a/b': { 'm~n': 'x' } }, '/a~1b/m~0n', 'x'],
  [{ id: 7 }, '/__proto__/id', null],
  [[1], '/length', null],
  [{ id: true }, '/id', null],
])('the id in %j at %s', (value, pointer, expected) => {
  const { answer } = answered({ answer: { status: 201, headers: [], body: { kind: 'value', value } } });
  expect(givenIn(answer, pointer)).toBe(expected);
});
