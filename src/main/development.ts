// A production build contains neither `inDevelopment` and `unlessProduction` nor the code that only they need. Bundlers
// recognise this where a flag is set inside an `if`, not where the condition itself is assigned. A `typeof process`
// guard would survive the replacement of `process.env.NODE_ENV`, and then give the wrong answer.

/** A bundler inserts the value; Node has it. A page without a bundler has no `process`, and no type for it. */
declare const process: { readonly env: { readonly NODE_ENV?: string } };

/**
 * Runs `act` in development builds alone. The app's own bundler decides, by replacing `process.env.NODE_ENV`. Without a
 * bundler, a page is not a development build; Node is one unless `NODE_ENV` is `production`.
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

/** Like `inDevelopment`, but also in a page without a bundler, whose author has no compiler to make these checks. */
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
 * Returns the value itself. In development builds its plain objects and arrays are deeply frozen. Other objects, such
 * as blobs and dates, are left alone, and so are the contents of an object that is frozen already.
 */
export function frozen<T>(value: T): T {
  inDevelopment(() => freeze(value));
  return value;
}

/** Without recursion: an answer may be nested deeper than the stack reaches. */
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
