import {
  array,
  assert,
  boolean,
  constantFrom,
  double,
  nat,
  oneof,
  property,
  record,
  string,
} from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EarlyChunk } from '../contracts/read-body.ts';
import { chunksOf } from './arrange.ts';
import type { Document } from './container.ts';
import { EarlyRows, readDocument } from './validate.ts';

/** Bytes of a chunk. */
const SIZE = 200;

interface Told {
  readonly path: readonly string[];
  readonly text: string;
}

/** Reads a body to its end. `told`: the chunks that were told meanwhile, as texts. */
function read(text: string): { readonly document: Document | null; readonly told: Told[] } {
  const bytes = new TextEncoder().encode(text);
  const chunks: EarlyChunk[] = [];
  const early = new EarlyRows(bytes, SIZE, (chunk) => void chunks.push(chunk));
  const reading = readDocument(bytes, null, early);
  let step = reading.next();
  while (!step.done) step = reading.next();
  expect(chunks.map(({ index }) => index)).toEqual(chunks.map((_, index) => index));
  expect(chunks.every((chunk) => chunk.bytes === bytes.buffer)).toBe(true);
  const told = chunks.map(({ path, text: textOf }) => ({ path, text: textOf() }));
  return { document: step.value, told };
}

/** The chunks that are made of the whole. */
function chunksIn(document: Document | null): Told[] {
  const chunks = document && chunksOf(document, SIZE);
  if (!chunks) return [];
  return Array.from({ length: chunks.count }, (_, at) => ({ path: chunks.path, text: chunks.text(at) }));
}

const row = oneof(
  record({ id: nat(), text: string({ unit: 'grapheme', maxLength: 300 }) }),
  array(nat(), { maxLength: 80 }),
  string({ maxLength: 900 }),
);
const rows = array(row, { minLength: 10, maxLength: 60, size: 'max' });
const body = oneof(
  rows,
  record({ total: nat(), items: rows }),
  record({ page: record({ items: rows, more: boolean() }) }),
);

describe('rows that are told while a list is read', () => {
  test('are the chunks of the whole, but for the last', () => {
    let early = 0;
    assert(
      property(body, constantFrom(0, 2), (value, indent) => {
        const { document, told } = read(JSON.stringify(value, null, indent));
        expect(told).toEqual(chunksIn(document).slice(0, -1));
        early += told.length;
      }),
      { numRuns: 500 },
    );
    expect(early).toBeGreaterThan(10);
  });

  test('are JSON, though what follows them is none', () => {
    let broken = 0;
    assert(
      property(body, double({ min: 0, max: 1, noNaN: true }), string(), (value, where, damage) => {
        const text = JSON.stringify(value);
        const at = Math.floor(where * text.length);
        const { document, told } = read(text.slice(0, at) + damage + text.slice(at + 1));
        for (const each of told) expect(Array.isArray(JSON.parse(each.text))).toBe(true);
        const wanted = document ? chunksIn(document).slice(0, -1) : told;
        expect(told).toEqual(wanted);
        if (!document) broken += told.length;
      }),
      { numRuns: 1_000 },
    );
    expect(broken).toBeGreaterThan(10);
  });

  test('are told one chunk after the other, as they are read', () => {
    const bytes = new TextEncoder().encode(
      JSON.stringify(Array.from({ length: 40 }, () => 'x'.repeat(90_000))),
    );
    let told = 0;
    const early = new EarlyRows(bytes, 200_000, () => (told += 1));
    const reading = readDocument(bytes, null, early);
    const seen: number[] = [];
    for (let step = reading.next(); !step.done; step = reading.next()) seen.push(told);
    expect(new Set(seen).size).toBeGreaterThan(15);
  });
});
