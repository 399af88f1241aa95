import { isNode, own } from './share.ts';

/** Nodes in nodes that are looked at: what lies deeper counts as different, for the stack has an end. */
const DEEPEST = 200;

/** Whether two values that JSON can say are equal. */
export function isSame(one: unknown, other: unknown, depth = 0): boolean {
  if (Object.is(one, other)) return true;
  if (depth > DEEPEST || !isPlain(one) || !isPlain(other)) return false;
  const keys = Object.keys(one);
  if (Array.isArray(one) !== Array.isArray(other) || keys.length !== Object.keys(other).length) return false;
  return keys.every((key) => Object.hasOwn(other, key) && isSame(own(one, key), own(other, key), depth + 1));
}

/** A Blob or a date, which only a schema makes, has nothing to compare. */
function isPlain(value: unknown): value is object {
  return isNode(value) && (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype);
}
