import { LIMITS } from '../../shared/limits.ts';
import { containerAt, seek } from './container.ts';
import type { Container, Document, RowWatch } from './container.ts';
import {
  LIST_OPENS,
  MAP_OPENS,
  pastMark,
  pastSpace,
  parse,
  textOf,
  keyEnd,
  keyText,
  valueStart,
} from './walk.ts';

/** Bytes below which a whole body is as cheap to send as any patch. */
const LEAST = 256;
/** Levels of objects that are looked into: each costs one more look at the bytes. */
const DEEPEST = 8;

interface Found {
  readonly path: readonly string[];
  readonly container: Container;
}

/**
 * Finds the container whose members are worth comparing: the one at `hint` (a path that held before), or else the
 * innermost list or object that has more than half of the bytes. Null if there is none.
 *
 * The text around the container is proven to be JSON, and that the container counts (of two members of the same name
 * only the last does). Its members are not: that is for `validate`, or for new ones `makePatch`. `watch` is told the rows of a
 * list while they are found.
 */
export function* scan(
  bytes: Uint8Array,
  hint: readonly string[] | null,
  watch: RowWatch | null = null,
): Generator<void, Document | null> {
  if (bytes.length < LEAST) return null;
  const hinted = hint && (yield* along(bytes, hint));
  const found = hinted ?? (yield* search(bytes, watch));
  if (found === null) return null;
  const document = { bytes, path: found.path, ...found.container };
  if (around(bytes, found) > LIMITS.envelopeSize) return null;
  yield;
  return isEnvelope(document, found.path) ? document : null;
}

function* along(bytes: Uint8Array, path: readonly string[]): Generator<void, Found | null> {
  let at = pastSpace(bytes, pastMark(bytes));
  for (const name of path) {
    const inner = yield* seek(bytes, at, name);
    if (inner === null) return null;
    at = inner;
  }
  const container = yield* containerAt(bytes, at);
  const found = container && { path, container };
  return found && around(bytes, found) <= LIMITS.envelopeSize ? found : null;
}

function* search(bytes: Uint8Array, watch: RowWatch | null): Generator<void, Found | null> {
  const path: string[] = [];
  let at = pastSpace(bytes, pastMark(bytes));
  while (path.length <= DEEPEST) {
    watch?.begin(path);
    const container = yield* containerAt(bytes, at, undefined, watch);
    if (container === null) return null;
    const inner = container.kind === 'map' ? bulkOf(bytes, container) : null;
    const isWorthIt = container.kind === 'list' || container.table.count > 1;
    if (inner === null) return isWorthIt ? { path, container } : null;
    const name = keyText(bytes, inner.start, inner.keyEnd);
    if (name === null) return null;
    path.push(name);
    at = inner.value;
  }
  return null;
}

/** The member that is a list or object with more than half of the bytes of the body. */
function bulkOf(
  bytes: Uint8Array,
  { table }: Container,
): { readonly start: number; readonly keyEnd: number; readonly value: number } | null {
  const index = table.starts.findIndex(
    (start, member) => (table.ends[member] ?? 0) - start > bytes.length / 2,
  );
  const start = table.starts[index];
  if (start === undefined) return null;
  const end = keyEnd(bytes, start);
  const value = end && valueStart(bytes, end);
  if (end === null || value === null) return null;
  return bytes[value] === LIST_OPENS || bytes[value] === MAP_OPENS ? { start, keyEnd: end, value } : null;
}

function around(bytes: Uint8Array, { container }: Found): number {
  return bytes.length - (container.end - container.start);
}

interface Surrounded {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** The text of a body with `inside` in place of its container. */
export function envelopeText({ bytes, start, end }: Surrounded, inside = 'null'): string {
  return textOf(bytes, pastMark(bytes), start) + inside + textOf(bytes, end, bytes.length);
}

/**
 * True if the envelope is JSON, and its path leads to what is put in the container's place. If a member of the same
 * name follows, the path leads to that instead, which cannot equal two different values.
 */
function isEnvelope(document: Surrounded, path: readonly string[]): boolean {
  return ['null', '0'].every((inside) => {
    const envelope = parse(envelopeText(document, inside));
    return envelope !== undefined && valueAt(envelope, path) === JSON.parse(inside);
  });
}

/** `__proto__` is a name like any other here: only own properties count. */
function valueAt(root: unknown, path: readonly string[]): unknown {
  let value = root;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = Reflect.get(value, name);
  }
  return value;
}
