import { LIMITS } from '../../shared/limits.ts';
import {
  beforeSpace,
  COMMA,
  LIST_CLOSES,
  LIST_OPENS,
  MAP_CLOSES,
  MAP_OPENS,
  pastSpace,
  keyEnd,
  keyText,
  valueStart,
  Walk,
  pastMark,
} from './walk.ts';
import { STRIDE } from '../platform/giving-way.ts';
import { rowOf } from '../../shared/part.ts';

/** The positions of a container's members in its bytes, and a hash of each member's bytes. */
export interface Table {
  readonly count: number;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** Equal bytes have equal hashes; different bytes may, too. */
  readonly hashes: Int32Array;
}

const FIRST_ROWS = 256;

/** Bytes that a table takes for each row. */
const BYTES_PER_ROW = 12;

export class TableBuilder {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #most: number;
  #count = 0;
  #starts = new Uint32Array(FIRST_ROWS);
  #ends = new Uint32Array(FIRST_ROWS);
  #hashes = new Int32Array(FIRST_ROWS);

  /** `budget`: bytes that the table may take. */
  constructor(bytes: Uint8Array, budget: number) {
    this.#bytes = bytes;
    this.#most = Math.floor(budget / BYTES_PER_ROW);
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** False if there are too many rows. */
  add(start: number, end: number): boolean {
    const index = this.#count;
    if (index >= this.#most) return false;
    if (index === this.#starts.length) this.#grow(Math.min(index * 2, this.#most));
    this.#starts[index] = start;
    this.#ends[index] = end;
    this.#hashes[index] = this.#hash(start, end);
    this.#count += 1;
    return true;
  }

  finish(): Table {
    this.#grow(this.#count);
    return { count: this.#count, starts: this.#starts, ends: this.#ends, hashes: this.#hashes };
  }

  #grow(size: number): void {
    this.#starts = resized(this.#starts, new Uint32Array(size));
    this.#ends = resized(this.#ends, new Uint32Array(size));
    this.#hashes = resized(this.#hashes, new Int32Array(size));
  }

  /** Four bytes at a time, multiplied as in Fibonacci hashing: three times as fast as byte by byte (FNV-1a). */
  #hash(start: number, end: number): number {
    let hash = end - start;
    // Hashing more than half of the body would take long, and only one member can be so long.
    if (hash > this.#bytes.length / 2) return hash;
    let at = start;
    for (; at + 4 <= end; at += 4) {
      hash = Math.imul(hash ^ this.#view.getInt32(at, true), 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    for (; at < end; at += 1) hash = Math.imul(hash ^ (this.#bytes[at] ?? 0), 0x01000193);
    return hash;
  }
}

function resized<T extends Uint32Array | Int32Array>(from: T, to: T): T {
  to.set(from.subarray(0, to.length));
  return to;
}

/** Looks at the rows of a list while they are found. */
export interface RowWatch {
  /** The container at that path is scanned next. */
  begin(path: readonly string[]): void;
  /** The next row of a list. Returns true after work that is worth a pause. */
  add(start: number, end: number): boolean;
}

export interface Container {
  readonly kind: 'list' | 'map';
  /** Where its brackets begin and end. */
  readonly start: number;
  readonly end: number;
  readonly table: Table;
}

/**
 * Cuts the container at `start` into members. Its text is then its brackets and, between them, members, commas and
 * white space: it is JSON if each member is. `watch` is told the rows of a list as they are found. Null if it has no members, if this cannot be, or if their table would take
 * more than `budget` bytes: for rows of one character it takes six times as much as they do.
 */
export function* containerAt(
  bytes: Uint8Array,
  start: number,
  budget: number = LIMITS.bases - bytes.byteLength,
  watch: RowWatch | null = null,
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
    const byte = bytes[walk.at];
    // A text that is cut short ends in the middle of a member, or past its own end after a backslash.
    if (byte !== closes && byte !== COMMA) return null;
    const to = beforeSpace(bytes, from, walk.at);
    if (to === from) return null;
    if (!table.add(from, to)) return null;
    if (kind === 'list' && watch?.add(from, to)) yield;
    walk.at += 1;
    if (byte === closes) return { kind, start, end: walk.at, table: table.finish() };
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
