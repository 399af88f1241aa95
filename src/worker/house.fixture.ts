import { compose } from './compose.ts';
import type { WorkerEngine, EnginePorts } from './compose.ts';
import type { System } from './platform/system.ts';

/** The house of a service worker whose pages are all there, but for what is given. */
export function houseOf(system: System, differing: Partial<EnginePorts> = {}): WorkerEngine {
  return compose(system, {
    scope: '/',
    host: 'service-worker',
    isPresent: async () => true,
    configureRequest: () => {},
    retired: () => {},
    ...differing,
  });
}
