import type { System } from './system.ts';

/**
 * `fetch` for a page whose origin is opaque, as in a sandboxed frame: to it every server is another origin, so the mode
 * `same-origin` could ask nobody. It asks across origins instead and follows no redirect, since only that mode would
 * keep one from leading elsewhere.
 */
export function withoutOrigin(fetch: System['fetch']): System['fetch'] {
  return (url, init) => {
    if (init.mode !== 'same-origin') return fetch(url, init);
    const redirect = init.redirect === 'follow' ? 'error' : (init.redirect ?? 'error');
    return fetch(url, { ...init, mode: 'cors', redirect });
  };
}
