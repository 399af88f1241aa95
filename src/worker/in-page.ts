import type { LoadFunctions, PageEngine } from '../shared/engine.ts';
import { browserSystem } from './platform/browser-system.ts';
import { compose } from './compose.ts';
import { withoutOrigin } from './platform/without-origin.ts';

/**
 * The engine for a page, or a process, that has no service worker. `scope` is the path of the scope that its service
 * worker would have: the two compete for one lock and share what is stored.
 */
export function pageEngine(scope: string, functions: LoadFunctions): PageEngine {
  const system = browserSystem();
  const isOpaque = 'origin' in globalThis && globalThis.origin === 'null';
  return compose(isOpaque ? { ...system, fetch: withoutOrigin(system.fetch) } : system, {
    scope,
    host: 'page',
    isPresent: null,
    configureRequest: () => {},
    functions,
    retired: () => {},
  });
}
