import { rowOf } from '../../shared/pointer.ts';
import { containerAt } from './container.ts';
import type { Document } from './container.ts';
import { COMMA, LIST_CLOSES, LIST_OPENS, MAP_OPENS, pastMark, pastSpace } from './grammar.ts';
import { keyEnd, keyText, valueStart, Walk } from './walk.ts';
import { STRIDE } from '../platform/giving-way.ts';
import { TableBuilder } from './table.ts';

/** Cuts the list at `path` into its rows. Stored bytes are JSON: only escaped names are parsed. Null if none. */
export function* listAt(bytes: Uint8Array, path: readonly string[]): Generator<void, Document | null> {
  let at: number | null = pastSpace(bytes, pastMark(bytes));
  for (const name of path) {
    at = yield* memberAt(bytes, at, name);
    if (at === null) return null;
  }
  if (bytes[at] !== LIST_OPENS) return null;
  const empty = emptyAt(bytes, at);
  const container = empty ?? (yield* containerAt(bytes, at, Infinity));
  return container && { bytes, path, ...container };
}

/** The start of the value that a name stands for in the container at `start`; null if there is none. */
function* memberAt(bytes: Uint8Array, start: number, name: string): Generator<void, number | null> {
  const row = bytes[start] === LIST_OPENS ? rowOf(name) : null;
  if (row === null && bytes[start] !== MAP_OPENS) return null;
  let found: number | null = null;
  let count = 0;
  for (const members = eachMember(bytes, start); ; count += 1) {
    const member: number | null = yield* next(members);
    if (member === null) return found;
    if (row === null) found = valueOf(bytes, member, name) ?? found;
    else if (row === count) return member;
  }
}

/** If members have the same name, the last counts, so all have to be looked at. */
function valueOf(bytes: Uint8Array, member: number, name: string): number | null {
  const end = keyEnd(bytes, member);
  return end !== null && keyText(bytes, member, end) === name ? valueStart(bytes, end) : null;
}

/** The start of each member; undefined for a pause. */
function* eachMember(bytes: Uint8Array, start: number): Generator<number | undefined, null> {
  const walk = new Walk(bytes, start + 1);
  let limit = start + STRIDE;
  for (;;) {
    walk.at = pastSpace(bytes, walk.at);
    yield walk.at;
    while (!walk.toMemberEnd(limit)) {
      yield undefined;
      limit = walk.at + STRIDE;
    }
    if (bytes[walk.at] !== COMMA) return null;
    walk.at += 1;
  }
}

function* next(members: Generator<number | undefined, null>): Generator<void, number | null> {
  for (;;) {
    const { value } = members.next();
    if (value !== undefined) return value;
    yield;
  }
}

function emptyAt(
  bytes: Uint8Array,
  start: number,
): Pick<Document, 'kind' | 'start' | 'end' | 'table'> | null {
  const inside = pastSpace(bytes, start + 1);
  if (bytes[inside] !== LIST_CLOSES) return null;
  return { kind: 'list', start, end: inside + 1, table: new TableBuilder(bytes, 0).finish() };
}
