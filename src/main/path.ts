import { isRecord } from '../shared/shape.ts';

/** True for a dotted path: non-empty names, joined by dots. */
export function isPath(text: string): boolean {
  return !text.split('.').includes('');
}

/** The value at a dotted path; undefined where the path leads nowhere. */
export function valueAt(root: unknown, path: string): unknown {
  let value = root;
  for (const name of path.split('.')) {
    if (!isRecord(value)) return undefined;
    value = memberOf(value, name);
  }
  return value;
}

/** Reads own properties and getters of a class. Inherited methods (`toString`, `entries`) are not data. */
function memberOf(value: Readonly<Record<string, unknown>>, name: string): unknown {
  const member = value[name];
  const isData = Object.hasOwn(value, name) || (typeof member !== 'function' && name !== '__proto__');
  return isData ? member : undefined;
}
