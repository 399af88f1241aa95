import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { blows, bytesOf, finish, revisions, shortened, struck, textOfBody } from './body.fixture.ts';
import type { Document } from './container.ts';
import { envelopeText } from './scan.ts';
import { textOf } from './walk.ts';
import { readDocument } from './validate.ts';

/** Beside what a case is about, so that the body is long enough to be compared. */
const ROWS = Array.from({ length: 40 }, (_, id) => `{"id":${id}}`).join();
const ENTRIES = Array.from({ length: 40 }, (_, id) => `"k${id}":${id}`).join();
/** More than is parsed at once. */
const LONG = `"${'a'.repeat(70_000)}"`;

function nested(depth: number): string {
  return `${'{"a":'.repeat(depth)}[${ROWS}]${'}'.repeat(depth)}`;
}

function read(text: string, hint: readonly string[] | null = null): Document | null {
  return finish(readDocument(bytesOf(text), hint));
}

/** A document put together again of its parts. */
function combined(document: Document): unknown {
  const { bytes, kind, path, table } = document;
  const members = Array.from(table.starts, (start, index) => textOf(bytes, start, table.ends[index] ?? 0));
  const container: unknown =
    kind === 'list' ? members.map((text) => JSON.parse(text)) : JSON.parse(`{${members.join(',')}}`);
  const root = { '': JSON.parse(envelopeText(document)) };
  const keys = ['', ...path];
  const last = keys.pop() ?? '';
  const holder = keys.reduce<object>((node, key) => Reflect.get(node, key), root);
  Reflect.defineProperty(holder, last, {
    value: container,
    enumerable: true,
    configurable: true,
    writable: true,
  });
  return root[''];
}

describe('the container is found', () => {
  test.each([
    ['a list', `[${ROWS}]`, [], 'list', 40],
    ['a list in an object', `{"total":40,"items":[${ROWS}]}`, ['items'], 'list', 40],
    ['a list two objects deep', `{"data":{"items":[${ROWS}],"n":1}}`, ['data', 'items'], 'list', 40],
    ['entries by name', `{${ENTRIES}}`, [], 'map', 40],
    ['entries by name in an object', `{"byId":{${ENTRIES}}}`, ['byId'], 'map', 40],
    ['under an escaped name', `{"it\\u0065ms":[${ROWS}]}`, ['items'], 'list', 40],
    ['under a name that is a setter elsewhere', `{"__proto__":[${ROWS}]}`, ['__proto__'], 'list', 40],
    ['behind a byte order mark', `\u{feff}[${ROWS}]`, [], 'list', 40],
    ['behind a namesake that does not count', `{"items":[1],"items":[${ROWS}]}`, ['items'], 'list', 40],
    ['among spaces', ` { "items" : [ ${ROWS.replaceAll(',', ' ,\n')} ] } `, ['items'], 'list', 40],
  ])('%s', (_name, text, path, kind, count) => {
    const document = read(text);
    expect(document).toMatchObject({ path, kind });
    expect(document?.table.count).toBe(count);
  });

  test.each([
    ['a scalar', '12'.repeat(200)],
    ['an empty list', `[${' '.repeat(300)}]`],
    ['too little to be worth it', '[1,2,3]'],
    ['one long text in an object', `{"a":"${'a'.repeat(300)}"}`],
    ['a namesake that counts instead', `{"items":[${ROWS}],"items":3}`],
    ['a namesake that is nought', `{"items":[${ROWS}],"items":0}`],
    ['a namesake that is null', `{"items":[${ROWS}],"items":null}`],
    ['an escaped namesake that counts instead', `{"items":[${ROWS}],"it\\u0065ms":[]}`],
    ['a namesake of an object on the way', `{"data":{"items":[${ROWS}]},"data":{"items":null}}`],
    ['entries of one name', `{${ENTRIES},"k3":1}`],
    ['entries of one name, once escaped', `{${ENTRIES},"\\u006b3":1}`],
    ['a comma too many at the end', `[${ROWS},]`],
    ['a comma too many between', `[${ROWS},,1]`],
    ['a comma too many in front', `[,${ROWS}]`],
    ['a comma too few', `[${ROWS} 1]`],
    ['the wrong bracket at the end', `[${ROWS}}`],
    ['the wrong bracket in a row', `[${ROWS},{"a":[}]`],
    ['brackets that cross between rows', `[${ROWS},[{]},{[}]]`],
    ['a bracket instead of a comma', `[${ROWS}} 1]`],
    ['a bracket instead of a comma, between long rows', `[${LONG}}${LONG}]`],
    ['two commas between long rows', `[${LONG},,${LONG}]`],
    ['no bracket at the end', `[${ROWS}`],
    ['an open string', `[${ROWS},"]`],
    ['something behind it', `[${ROWS}]x`],
    ['a second value behind it', `[${ROWS}][]`],
    ['a comma behind an object', `{"items":[${ROWS}],}`],
    ['no colon', `{"items"[${ROWS}]}`],
    ['two colons', `{"items"::[${ROWS}]}`],
    ['a value without a name in a map', `{${ENTRIES},3}`],
    ['a row that is no JSON', `[${ROWS},tru]`],
    ['a second byte order mark', `\u{feff}\u{feff}[${ROWS}]`],
    ['a byte order mark in front of the first row', `[\u{feff}1,${ROWS}]`],
    ['a byte order mark behind the rows', `[${ROWS}]\u{feff}`],
    ['a vertical tab in front of the first row', `[\v1,${ROWS}]`],
    ['a form feed behind the last row', `[${ROWS}\f]`],
    ['a byte order mark in front of a row', `[${ROWS},\u{feff}1]`],
    ['a line break in a string', `[${ROWS},"\n"]`],
    ['a space of another kind', `[${ROWS},\u{a0}1]`],
  ])('%s is none', (_name, text) => {
    expect(read(text)).toBeNull();
  });

  test('where it was before, although another list has more by now', () => {
    const text = `{"few":[${ROWS}],"many":[${ROWS},${ROWS}]}`;
    expect(read(text, ['few'])?.path).toEqual(['few']);
    expect(read(text)?.path).toEqual(['many']);
    expect(read(text, ['none'])?.path).toEqual(['many']);
    expect(read(text, ['few', 'deeper'])?.path).toEqual(['many']);
  });

  test('not where so much lies around it that parsing that would take long', () => {
    const around = `"${'a'.repeat(300_000)}"`;
    expect(read(`{"items":[${ROWS}],"text":${around}}`, ['items'])?.path).not.toEqual(['items']);
  });

  test('not at all where that is so of the only list with more than half', () => {
    const items = `${LONG},`.repeat(5);
    expect(read(`{"items":[${items}1],"text":"${'a'.repeat(300_000)}"}`)).toBeNull();
    expect(read(`{"items":[${items}1],"text":"${'a'.repeat(200_000)}"}`)?.path).toEqual(['items']);
  });

  test('down to eight objects in each other', () => {
    expect(read(nested(8))?.path).toHaveLength(8);
    expect(read(nested(9))).toBeNull();
  });

  test('invalid UTF-8 is what the page takes it for', () => {
    const bytes = bytesOf(`["?",${ROWS},"??"]`).map((byte) => (byte === 0x3f ? 0xe2 : byte));
    const document = finish(readDocument(bytes));
    expect(document && combined(document)).toEqual(JSON.parse(new TextDecoder().decode(bytes)));
  });

  test('names that only invalid UTF-8 tells apart are one', () => {
    const bytes = bytesOf(`{"?":1,${ENTRIES},"!":2}`).map((byte) =>
      byte === 0x3f ? 0xff : byte === 0x21 ? 0xfe : byte,
    );
    expect(finish(readDocument(bytes))).toBeNull();
  });
});

describe('a document is what JSON.parse says it is', () => {
  test('for any JSON', () => {
    let count = 0;
    fc.assert(
      fc.property(revisions, ([body]) => {
        const bytes = bytesOf(textOfBody(body));
        const document = finish(readDocument(bytes));
        if (document === null) return;
        count += 1;
        expect(isDeepStrictEqual(combined(document), JSON.parse(new TextDecoder().decode(bytes)))).toBe(true);
      }),
      { numRuns: 500 },
    );
    expect(count).toBeGreaterThan(300);
  });

  test('for what is hardly JSON', () => {
    let count = 0;
    fc.assert(
      fc.property(revisions, blows, fc.boolean(), ([body], all, isShort) => {
        const bytes = struck(bytesOf(textOfBody(isShort ? shortened(body) : body)), all);
        const document = finish(readDocument(bytes));
        if (document === null) return;
        count += 1;
        expect(isDeepStrictEqual(combined(document), JSON.parse(new TextDecoder().decode(bytes)))).toBe(true);
      }),
      { numRuns: 1_500 },
    );
    expect(count).toBeGreaterThan(100);
  });
});

describe('it pauses', () => {
  test('often enough: in rows, in one long string, between very many rows', () => {
    for (const text of [
      `[${`${ROWS},`.repeat(500)}1]`,
      `["${'a'.repeat(200_000)}\\",[","b"]`,
      `[${'1,'.repeat(200_000)}1]`,
    ]) {
      let pauses = 0;
      const work = readDocument(bytesOf(text));
      let step = work.next();
      for (; !step.done; step = work.next()) pauses += 1;
      expect(step.value).not.toBeNull();
      expect(pauses).toBeGreaterThanOrEqual(Math.floor(text.length / 65_536));
    }
  });

  test('and finds the same wherever a pause falls', () => {
    // Every row has escapes; their length and that of a pause have no common factor.
    const row = '{"a":"\\\\\\"]},{","b":[{"c":"\\\\"}]}';
    const document = read(`[${`${row},`.repeat(20_000)}1]`);
    expect(document?.table.count).toBe(20_001);
    expect(new Set(document?.table.hashes).size).toBe(2);
  });
});
