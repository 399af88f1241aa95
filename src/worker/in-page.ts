import type { LoadFunctions, PageEngine } from '../shared/engine.ts';
import { browserSystem } from './platform/browser-system.ts';
import { compose } from './compose.ts';
import type { System } from './platform/system.ts';

/**
 * The engine for a page, or a process, that has no service worker. `scope` is the path of the scope that its service
 * worker would have: the two compete for one lock and share what is stored.
 */
export function pageEngine(scope: string, functions: LoadFunctions, encrypts: boolean): PageEngine {
  const browser = browserSystem();
  // The locks of a process such as Node are its own, so there is no rival.
  const system = 'document' in globalThis ? browser : { ...browser, locks: null, channel: null };
  const isOpaque = 'origin' in globalThis && globalThis.origin === 'null';
  return compose(isOpaque ? { ...system, fetch: withoutOrigin(system.fetch) } : system, {
    scope,
    host: 'page',
    isPresent: null,
    configureRequest: () => {},
    functions,
    encrypts,
    retired: () => {},
  });
}

/**
 * `fetch` for a page whose origin is opaque, as in a sandboxed frame. For such a page every server is another origin,
 * so the mode `same-origin` could reach none. It asks across origins instead and follows no redirect, since only that
 * mode would keep a redirect from leading elsewhere.
 */
export function withoutOrigin(fetch: System['fetch']): System['fetch'] {
  return (url, init) => {
    if (init.mode !== 'same-origin') return fetch(url, init);
    const redirect = init.redirect === 'follow' ? 'error' : (init.redirect ?? 'error');
    return fetch(url, { ...init, mode: 'cors', redirect });
  };
}
