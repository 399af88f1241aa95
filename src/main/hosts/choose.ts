import { unreachable } from '../../shared/unreachable.ts';
import type { HostKind } from './host.ts';

/** Where an app wants the engine: `auto` is the service worker where there is one, else the page. */
export type HostChoice = 'auto' | HostKind;

export const HOST_CHOICES: readonly HostChoice[] = ['auto', 'service-worker', 'page'];

/**
 * How far the search for a service worker is: `late` is one that may still come, `silent` one that is active and never
 * answers.
 */
export type Search = 'under way' | 'active' | 'late' | 'refused' | 'silent';

/** Which host a page has, for the rest of its life; null while that is open. */
export function choose(choice: HostChoice, search: Search): HostKind | null {
  if (choice !== 'auto') return choice;
  switch (search) {
    case 'under way':
      return null;
    case 'active':
      return 'service-worker';
    case 'late':
    case 'refused':
    case 'silent':
      return 'page';
    default:
      return unreachable(search);
  }
}
