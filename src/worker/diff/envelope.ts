import { parse, pastMark, textOf } from './grammar.ts';

/** Bytes around a container that are still parsed at once, in one or two milliseconds. */
export const LARGEST_ENVELOPE = 262_144;

interface Surrounded {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** The text of a body with something else in its container's place. */
export function envelopeText({ bytes, start, end }: Surrounded, inside = 'null'): string {
  return textOf(bytes, pastMark(bytes), start) + inside + textOf(bytes, end, bytes.length);
}

/**
 * Whether that is JSON, and what is put in the container's place is what is found at its path. Where a member of the
 * same name follows, that is found instead, and it cannot be like both of two things.
 */
export function isEnvelope(document: Surrounded, path: readonly string[]): boolean {
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
