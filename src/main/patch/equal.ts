import { isNode, isPlainMap } from './node.ts';

/** Values that two rows are compared by at most: a row without a name that is larger is not looked for near by. */
const MOST = 1_000;

/** Whether two values that JSON may have made are equal, the order of keys included; false where that takes too long. */
export function isEqual(one: unknown, other: unknown): boolean {
  return agree(one, other, { left: MOST });
}

/** Ends at the first difference. */
function agree(one: unknown, other: unknown, budget: { left: number }): boolean {
  budget.left -= 1;
  if (budget.left < 0) return false;
  if (!isNode(one) || !isNode(other)) return Object.is(one, other);
  if (one === other) return true;
  if (Array.isArray(one) || Array.isArray(other)) return areListsEqual(one, other, budget);
  if (!isPlainMap(one) || !isPlainMap(other)) return false;
  const [keys, names] = [Object.keys(one), Object.keys(other)];
  if (keys.length !== names.length) return false;
  return keys.every(
    (key, index) => key === names[index] && agree(Reflect.get(one, key), Reflect.get(other, key), budget),
  );
}

function areListsEqual(one: unknown, other: unknown, budget: { left: number }): boolean {
  if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
  return one.every((row, index) => agree(row, other[index], budget));
}
