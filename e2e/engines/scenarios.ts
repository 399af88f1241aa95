import type { Scenario } from './scenario.ts';
import { CALLS } from './scenarios/calls.ts';
import { LOOPS } from './scenarios/loops.ts';
import { PAGES } from './scenarios/pages.ts';
import { STOPS } from './scenarios/stops.ts';
import { STORAGE } from './scenarios/storage.ts';
import { UPDATES } from './scenarios/updates.ts';

/** All that is played, in every engine that is able to. */
export const SCENARIOS: readonly Scenario[] = [
  ...CALLS,
  ...LOOPS,
  ...STORAGE,
  ...PAGES,
  ...STOPS,
  ...UPDATES,
];
