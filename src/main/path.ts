import { isRecord } from '../shared/shape.ts';

/** Whether a text is a dotted path: names with a dot between each two. */
export function isPath(text: string): boolean {
  return !text.split('.').includes('');
}

/** What lies at a dotted path in a value; undefined where that leads nowhere. */
export function valueAt(root: unknown, path: string): unknown {
  let value = root;
  for (const name of path.split('.')) {
    if (!isRecord(value)) return undefined;
    value = memberOf(value, name);
  }
  return value;
}

/** Its own, or what a getter of its class gives: what every object or list can do (`toString`, `entries`) is no data. */
function memberOf(value: Readonly<Record<string, unknown>>, name: string): unknown {
  const member = value[name];
  const isData = Object.hasOwn(value, name) || (typeof member !== 'function' && name !== '__proto__');
  return isData ? member : undefined;
}
