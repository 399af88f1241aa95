import { describe, expect, test } from 'vitest';
import { bytesOf, finish } from './body.fixture.ts';
import type { Document } from './container.ts';
import { makePatch } from './patch.ts';
import type { Comparison } from './patch.ts';
import { readDocument } from './validate.ts';
import { scan } from './scan.ts';

const ROWS = Array.from({ length: 40 }, (_, id) => `{"id":${id}}`);
const ENTRIES = Array.from({ length: 40 }, (_, id) => `"k${id}":${id}`);

function known(document: Document | null): Document {
  if (document === null) throw new Error('Not a document');
  return document;
}

function beside(items: string): string {
  return `{"items":${items},"text":"${'a'.repeat(999)}"}`;
}

function stepBetween(old: string, next: string, hint: readonly string[] | null = null): Comparison {
  const base = known(finish(readDocument(bytesOf(old), hint)));
  return finish(makePatch(base, known(finish(scan(bytesOf(next), hint ?? base.path)))));
}

const listOf = (rows: readonly string[], total = 1): string => `{"total":${total},"items":[${rows.join()}]}`;

describe('a step tells', () => {
  test('a row that changed', () => {
    expect(stepBetween(listOf(ROWS), listOf(ROWS.with(3, '{"id":3, "a":1}')))).toEqual({
      kind: 'patched',
      patch: {
        path: ['items'],
        envelope: null,
        change: { kind: 'list', runs: [0, 3, -1, 1, 4, 36], rows: '[{"id":3, "a":1}]' },
      },
      runs: [0, 3, -1, 1, 4, 36],
    });
  });

  test('rows that changed apart from each other', () => {
    expect(stepBetween(listOf(ROWS), listOf(ROWS.with(3, '3').with(5, '5').with(6, '6')))).toMatchObject({
      patch: { change: { rows: '[3,5,6]' } },
    });
  });

  test('what changed around the rows', () => {
    expect(stepBetween(listOf(ROWS), listOf(ROWS, 2))).toMatchObject({
      kind: 'patched',
      patch: { envelope: '{"total":2,"items":null}', change: null },
    });
  });

  test('the entries of a map that came, changed and went', () => {
    const next = [...ENTRIES.with(4, '"k4":"four"').toSpliced(7, 1), '"k99":[9]'];
    expect(stepBetween(`{${ENTRIES.join()}}`, `{${next.join()}}`)).toMatchObject({
      kind: 'patched',
      patch: { path: [], change: { kind: 'map', removed: ['k7'], set: '{"k4":"four","k99":[9]}' } },
    });
  });

  test('that only spaces differ', () => {
    expect(stepBetween(listOf(ROWS), listOf(ROWS))).toEqual({ kind: 'same', runs: [0, 40] });
    expect(stepBetween(listOf(ROWS), listOf(ROWS).replaceAll('},{', '} ,\n{'))).toMatchObject({
      kind: 'same',
    });
    const spaced = ENTRIES.join(' ,\n');
    expect(stepBetween(`{${ENTRIES.join()}}`, `{${spaced}}`).kind).toBe('same');
  });
});

describe('the whole goes instead', () => {
  test.each([
    ['all are the other way round', ENTRIES.toReversed()],
    ['one has moved', [...ENTRIES.slice(1), ...ENTRIES.slice(0, 1)]],
    ['one has moved and changed', [...ENTRIES.slice(1), '"k0":"nought"']],
    ['one has come before others', [...ENTRIES.slice(0, 9), '"k99":[9]', ...ENTRIES.slice(9)]],
    ['a number has come before others', ['"7":[9]', ...ENTRIES]],
  ])('where the names of a map are in another order: %s', (_, next) => {
    expect(stepBetween(`{${ENTRIES.join()}}`, `{${next.join()}}`).kind).toBe('whole');
  });

  test('where more than half of it is new', () => {
    const changed = (count: number): string[] => ROWS.map((row, id) => (id < count ? `{"no":${id}}` : row));
    expect(stepBetween(listOf(ROWS), listOf(changed(15))).kind).toBe('patched');
    expect(stepBetween(listOf(ROWS), listOf(changed(25))).kind).toBe('whole');
  });

  test('where the order takes more than half of it to tell', () => {
    const short = Array.from({ length: 200 }, (_, id) => String(id));
    expect(stepBetween(`[${short.join()}]`, `[${short.toReversed().join()}]`).kind).toBe('whole');
  });

  test('where the names of what went do', () => {
    const long = Array.from({ length: 40 }, (_, id) => `"a very long name indeed ${id}":0`);
    expect(stepBetween(`{${long.join()}}`, `{${long.slice(0, 12).join()}}`).kind).toBe('whole');
  });

  test('where it is more than a patch may be', () => {
    const [old, next] = [listOf(ROWS), listOf(ROWS.with(3, '"twenty characters.."'))].map((text) =>
      known(finish(readDocument(bytesOf(text)))),
    );
    if (!old || !next) throw new Error('Not documents');
    const size = '["twenty characters.."]'.length + 6 * 4;
    expect(finish(makePatch(old, next, size)).kind).toBe('patched');
    expect(finish(makePatch(old, next, size - 1)).kind).toBe('whole');
    expect(finish(makePatch(old, next, 20)).kind).toBe('whole');
  });

  test('where the rows lie elsewhere by now, or are of another kind', () => {
    expect(stepBetween(listOf(ROWS), `[${ROWS.join()}]`, []).kind).toBe('whole');
    expect(stepBetween(listOf(ROWS), `{"others":[${ROWS.join()}]}`).kind).toBe('whole');
    expect(stepBetween(listOf(ROWS), `{"items":{"items":[${ROWS.join()}]}}`, ['items', 'items']).kind).toBe(
      'whole',
    );
    expect(stepBetween(`[${ROWS.join()}]`, `{${ENTRIES.join()}}`).kind).toBe('whole');
    expect(stepBetween(beside('[1,2]'), beside('{"a":1}'), ['items']).kind).toBe('whole');
    expect(stepBetween(beside('[1,2]'), beside('[1,3]'), ['items']).kind).toBe('patched');
  });
});

describe('nothing is said of what is not proven', () => {
  test.each([
    ['a row that is no JSON', listOf(ROWS), listOf(ROWS.with(3, '{"id":}'))],
    ['a row that is no JSON, elsewhere', listOf(ROWS), `[${ROWS.with(3, '{"id":}').join()}]`],
    ['rows that are no JSON, too many to be sent', listOf(ROWS), listOf(ROWS.map((row) => `${row}-`))],
    ['two new entries of one name', `{${ENTRIES.join()}}`, `{${ENTRIES.join()},"a":1,"\\u0061":2}`],
    ['a new entry of the name of one that stays', `{${ENTRIES.join()}}`, `{${ENTRIES.join()},"k5":0}`],
    ['the same, escaped', `{${ENTRIES.join()}}`, `{${ENTRIES.join()},"\\u006b5":0}`],
  ])('%s', (_name, old, next) => {
    expect(stepBetween(old, next, next.startsWith('[') ? [] : null)).toEqual({ kind: 'unproven' });
  });
});
