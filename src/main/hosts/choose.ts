import { unreachable } from '../../shared/unreachable.ts';
import type { HostKind } from './host.ts';

/** Where an app wants the engine: `auto` is the service worker where there is one, else the page. */
export type HostChoice = 'auto' | HostKind;

export const HOST_CHOICES: readonly HostChoice[] = ['auto', 'service-worker', 'page'];

/**
 * How far the search for a service worker is: `late` is one that may still come, `silent` one that is active and does not
 * answer.
 */
export type Search = 'under way' | 'active' | 'late' | 'refused' | 'silent';

/** Which host a page has for now; null while that is open. */
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

/** What is known of the worker that is posted to: one on its way in or out may be silent for a good reason. */
export type Standing = 'changing' | 'ours' | 'foreign';

/** So many greetings that nobody answers, three seconds each, and the worker is taken for none. */
const SILENCES = 2;

/**
 * What one unanswered greeting counts towards that. A script that is not the app's own most likely knows no greeting. A
 * worker that is on its way in or out is waited for longer, but not for ever: one that withdraws itself whenever it is
 * registered would leave the page without any engine.
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

/** Whether a worker with so much silence does not answer. */
export function isSilent(silence: number): boolean {
  return silence >= SILENCES;
}
