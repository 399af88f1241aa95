// In a production build nothing is left of these two, so that their calls go, and what only they need: bundlers see
// that where a flag is set under the condition, not where it is set to the condition. A guard by `typeof process` would
// still be there when the rest has been replaced, and be wrong.

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
