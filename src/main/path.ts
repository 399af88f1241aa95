import { isRecord } from '../shared/record.ts';

/** Whether a text is a dotted path: names with a dot between each two. */
export function isPath(text: string): boolean {
  return !text.split('.').includes('');
}

/** What lies at a dotted path in a value; undefined where that leads nowhere. */
export function valueAt(root: unknown, path: string): unknown {
  let value = root;
  for (const name of path.split('.')) {
    if (!isRecord(value)) return undefined;
    value = value[name];
  }
  return value;
}
