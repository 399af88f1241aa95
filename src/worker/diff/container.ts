import { LIMITS } from '../../shared/limits.ts';
import { beforeSpace, COMMA, LIST_CLOSES, LIST_OPENS, MAP_CLOSES, MAP_OPENS, pastSpace } from './grammar.ts';
import { keyEnd, keyText, valueStart, Walk } from './walk.ts';
import { STRIDE } from '../platform/giving-way.ts';
import { TableBuilder } from './table.ts';
import type { Table } from './table.ts';

export interface Container {
  readonly kind: 'list' | 'map';
  /** Where its brackets begin and end. */
  readonly start: number;
  readonly end: number;
  readonly table: Table;
}

/**
 * Cuts the container at `start` into members. Its text is then its brackets and, between them, members, commas and
 * white space: it is JSON if each member is. Null if it has no members, if this cannot be, or if their table would take
 * more than `budget` bytes: for rows of one character it takes six times as much as they do.
 */
export function* containerAt(
  bytes: Uint8Array,
  start: number,
  budget: number = LIMITS.bases - bytes.byteLength,
): Generator<void, Container | null> {
  const kind = kindAt(bytes, start);
  if (kind === null) return null;
  const closes = kind === 'list' ? LIST_CLOSES : MAP_CLOSES;
  const table = new TableBuilder(bytes, budget);
  const walk = new Walk(bytes, start + 1);
  let limit = start + STRIDE;
  for (;;) {
    const from = pastSpace(bytes, walk.at);
    walk.at = from;
    while (!walk.toMemberEnd(limit)) {
      yield;
      limit = walk.at + STRIDE;
    }
    const to = beforeSpace(bytes, from, walk.at);
    if (to === from) return null;
    if (!table.add(from, to)) return null;
    const byte = bytes[walk.at];
    walk.at += 1;
    if (byte === closes) return { kind, start, end: walk.at, table: table.finish() };
    if (byte !== COMMA) return null;
  }
}

/** The start of the value of an object's first member of this name; what follows it is not looked at. */
export function* seek(bytes: Uint8Array, start: number, name: string): Generator<void, number | null> {
  if (kindAt(bytes, start) !== 'map') return null;
  const walk = new Walk(bytes, start + 1);
  let limit = start + STRIDE;
  for (;;) {
    const from = pastSpace(bytes, walk.at);
    const end = keyEnd(bytes, from);
    if (end === null) return null;
    if (keyText(bytes, from, end) === name) return valueStart(bytes, end);
    walk.at = end;
    while (!walk.toMemberEnd(limit)) {
      yield;
      limit = walk.at + STRIDE;
    }
    if (bytes[walk.at] !== COMMA) return null;
    walk.at += 1;
  }
}

function kindAt(bytes: Uint8Array, start: number): Container['kind'] | null {
  if (bytes[start] === LIST_OPENS) return 'list';
  return bytes[start] === MAP_OPENS ? 'map' : null;
}

/** A JSON body, and the members by which it is compared with the next. */
export interface Document extends Container {
  readonly bytes: Uint8Array;
  /** The keys that lead to the container; [] if it is the whole body. */
  readonly path: readonly string[];
}

/** Bytes that a document takes in memory. */
export function sizeOf({ bytes, table }: Document): number {
  return bytes.byteLength + table.starts.byteLength + table.ends.byteLength + table.hashes.byteLength;
}

export function isSamePath(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, index) => name === other[index]);
}
