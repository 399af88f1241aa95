import { install } from 'offstage/worker';
import type { WorkerScope } from 'offstage/worker';

import * as functions from './functions.ts';

declare const self: WorkerScope;

/**
 * An app's own worker, with functions of its own. It serves no frames, nothing below `/?uninvited`, and stumbles over
 * `/?stumble`.
 */
install(self, {
  functions,
  allow: ({ url, frameType }) => {
    const wishes = new URL(url).searchParams;
    if (wishes.has('stumble')) throw new Error('A predicate with a flaw');
    return frameType === 'top-level' && !wishes.has('uninvited');
  },
});
