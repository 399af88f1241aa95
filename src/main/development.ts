/** What a bundler puts in, or Node has; a page without a bundler has no such thing, and no declarations either. */
declare const process: { readonly env: { readonly NODE_ENV?: string } };

/**
 * Whether this is a development build: the app's own bundler says so where it replaces `process.env.NODE_ENV`. What no
 * bundler has touched is no development build in a page, and in Node unless `NODE_ENV` is `production`.
 */
export const DEVELOPMENT: boolean = isDevelopment();

/** A guard by `typeof process` would still be there when the rest has been replaced, and be wrong. */
function isDevelopment(): boolean {
  try {
    return process.env.NODE_ENV !== 'production';
  } catch {
    return false;
  }
}
