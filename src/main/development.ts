// In a production build nothing is left of `inDevelopment` and `unlessProduction`, so that their calls go, and all code that
// only they need: bundlers see that where a flag is set under the condition, not where it is set to the condition. A guard by
// `typeof process` would still be there when the rest has been replaced, and be wrong.

/** What a bundler puts in, or Node has; a page without a bundler has no such thing, and no declarations either. */
declare const process: { readonly env: { readonly NODE_ENV?: string } };

/**
 * Does something in development builds alone: the app's own bundler says which it is where it replaces
 * `process.env.NODE_ENV`. What no bundler has touched is no development build in a page, and in Node unless `NODE_ENV` is
 * `production`.
 */
export function inDevelopment(act: () => void): void {
  let wanted = false;
  try {
    if (process.env.NODE_ENV !== 'production') wanted = true;
  } catch {
    // No bundler.
  }
  if (wanted) act();
}

/**
 * As `inDevelopment`, and in a page that no bundler has touched besides: for checks that a compiler has made of what it
 * was given. Who writes for such a page has none.
 */
export function unlessProduction(act: () => void): void {
  let wanted = false;
  try {
    if (process.env.NODE_ENV !== 'production') wanted = true;
  } catch {
    wanted = true;
  }
  if (wanted) act();
}

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
