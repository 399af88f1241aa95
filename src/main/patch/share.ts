/** Nodes in nodes that are looked at: what lies deeper is taken as it is, for the stack has an end. */
const DEEPEST = 200;

/** Is told every object and list of the result that is not one of before. */
export type OnNew = (node: object) => void;

/**
 * The value `after`, in which everything that is equal to what stood in its place in `before` is that very object.
 * `after` is changed for that, `before` is not.
 */
export function share(before: unknown, after: unknown, onNew?: OnNew, depth = 0): unknown {
  if (!isNode(after)) return after;
  const old = isNode(before) && Array.isArray(before) === Array.isArray(after) ? before : null;
  if (depth > DEEPEST || (old === null && !onNew)) return after;
  return joined(old, after, (key, value) => share(own(old, key), value, onNew, depth + 1), onNew);
}

/** `before` where all that `adopt` makes of the members of `after` is in it already, else `after` with that in it. */
export function joined(
  before: object | null,
  after: object,
  adopt: (key: string, value: unknown) => unknown,
  onNew?: OnNew,
): object {
  if (before === after) return after;
  const keys = Object.keys(after);
  let isSame = before !== null && Object.keys(before).length === keys.length;
  for (const key of keys) {
    const value = own(after, key);
    const adopted = adopt(key, value);
    // Only own members are written to, `__proto__` as well, which then is a member like any other.
    if (adopted !== value) Reflect.set(after, key, adopted);
    isSame &&= Object.is(own(before, key), adopted);
  }
  if (isSame && before !== null) return before;
  onNew?.(after);
  return after;
}

export function own(node: object | null, key: string): unknown {
  return node !== null && Object.hasOwn(node, key) ? Reflect.get(node, key) : undefined;
}

export function isNode(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

export function isMap(value: unknown): value is object {
  return isNode(value) && !Array.isArray(value);
}
