import { compose } from './compose.ts';
import type { House, HousePorts } from './compose.ts';
import type { System } from './system.ts';

/** The house of a service worker whose pages are all there, but for what is given. */
export function houseOf(system: System, differing: Partial<HousePorts> = {}): House {
  return compose(system, {
    scope: '/',
    place: 'service-worker',
    isPresent: async () => true,
    configureRequest: () => {},
    outlived: () => {},
    ...differing,
  });
}
