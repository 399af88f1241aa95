import { eventLimit } from './event-limit.ts';
import { hardReload } from './hard-reload.ts';
import { hiddenTab } from './hidden-tab.ts';
import { hostileMessages } from './hostile-messages.ts';
import { idleDeath } from './idle-death.ts';
import { idleTabs } from './idle-tabs.ts';
import { killInCall } from './kill-in-call.ts';
import { noWorker } from './no-worker.ts';
import { pageCache } from './page-cache.ts';
import { reorderedAnswers } from './reordered-answers.ts';
import type { Row } from './row.ts';
import { slowLoris } from './slow-loris.ts';
import { tabCrash } from './tab-crash.ts';
import { upgradeBlocked } from './upgrade-blocked.ts';
import { versionSkew } from './version-skew.ts';

/** The rows that exist, in the order of their numbers. */
export const ROWS: readonly Row[] = [
  killInCall,
  idleDeath,
  eventLimit,
  slowLoris,
  upgradeBlocked,
  versionSkew,
  hardReload,
  pageCache,
  tabCrash,
  reorderedAnswers,
  noWorker,
  hostileMessages,
  hiddenTab,
  idleTabs,
];
