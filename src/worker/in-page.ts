import type { LoadFunctions, PageEngine } from '../shared/engine.ts';
import { browserSystem } from './browser-system.ts';
import { compose } from './compose.ts';
import { withoutOrigin } from './without-origin.ts';

/** The engine for a page, or a process, that has no service worker. */
export function pageEngine(functions: LoadFunctions): PageEngine {
  const system = browserSystem();
  const isOpaque = 'origin' in globalThis && globalThis.origin === 'null';
  return compose(isOpaque ? { ...system, fetch: withoutOrigin(system.fetch) } : system, {
    place: 'page',
    isPresent: null,
    configureRequest: () => {},
    functions,
    outlived: () => {},
  });
}
