import { inDevelopment } from './development.ts';

/**
 * The value itself, in development builds deeply frozen as far as it is plain data: arrays and plain objects. Blobs,
 * dates and what else a schema may have made are left alone, and so is what lies in something that is frozen already.
 */
export function frozen<T>(value: T): T {
  inDevelopment(() => freeze(value));
  return value;
}

/** Without recursion: an answer may lie deeper than the stack reaches. */
export function freeze(root: unknown): void {
  const left = [root];
  while (left.length > 0) {
    const value = left.pop();
    if (!isPlain(value) || Object.isFrozen(value)) continue;
    Object.freeze(value);
    for (const each of Object.values(value)) left.push(each);
  }
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype || prototype === null;
}
