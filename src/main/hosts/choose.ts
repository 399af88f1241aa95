import { unreachable } from '../../shared/unreachable.ts';
import type { HostKind } from './host.ts';

/** Where an app wants the engine. `auto` means the service worker where there is one, else the page. */
export type HostChoice = 'auto' | HostKind;

export const HOST_CHOICES: readonly HostChoice[] = ['auto', 'service-worker', 'page'];

/** How far the search for a service worker is: `late` may still come, `silent` is active but does not answer. */
export type Search = 'under way' | 'active' | 'late' | 'refused' | 'silent';

/** The host to use for now; null while the search goes on. */
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

/** The worker that gets the page's messages. In `changing`, on its way in or out, it has a reason to be silent. */
export type Standing = 'changing' | 'ours' | 'foreign';

/** After so many unanswered greetings of three seconds each, the page counts the worker as absent. */
const SILENCES = 2;

/**
 * How much one unanswered greeting counts towards `SILENCES`. A script that is not the app's own most likely does not
 * know greetings. A worker on its way in or out gets more time, but not for ever: one that unregisters itself at every
 * start would leave the page without any engine.
 */
export function silenceOf(standing: Standing): number {
  switch (standing) {
    case 'changing':
      return SILENCES / 4;
    case 'ours':
      return 1;
    case 'foreign':
      return SILENCES;
    default:
      return unreachable(standing);
  }
}

export function isSilent(silence: number): boolean {
  return silence >= SILENCES;
}
