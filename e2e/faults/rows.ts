import { cacheModelRuns } from './cache-model-runs.ts';
import { clockBack } from './clock-back.ts';
import { clockJump } from './clock-jump.ts';
import { corruptRecord } from './corrupt-record.ts';
import { databaseClosed } from './database-closed.ts';
import { databaseDeleted } from './database-deleted.ts';
import { databaseHangs } from './database-hangs.ts';
import { dropMidBody } from './drop-mid-body.ts';
import { eventLimit } from './event-limit.ts';
import { fiftyTabs } from './fifty-tabs.ts';
import { firstVisit } from './first-visit.ts';
import { feedKill } from './feed-kill.ts';
import { greedyTab } from './greedy-tab.ts';
import { hardReload } from './hard-reload.ts';
import { hiddenTab } from './hidden-tab.ts';
import { hostileMessages } from './hostile-messages.ts';
import { idleDeath } from './idle-death.ts';
import { idleTabs } from './idle-tabs.ts';
import { killInCall } from './kill-in-call.ts';
import { modelRuns } from './model-runs.ts';
import { nextUser, signOutRace } from './next-user.ts';
import { noWorker } from './no-worker.ts';
import { openedInUpdate } from './opened-in-update.ts';
import { outboxModelRuns } from './outbox-model-runs.ts';
import { browserKill } from './outbox/browser-kill.ts';
import { drainTimeout } from './outbox/drain-timeout.ts';
import { lastChance } from './outbox/last-chance.ts';
import { tornDatabases } from './outbox/torn-databases.ts';
import {
  answerLost,
  authExpired,
  captivePortal,
  crashAfterCommit,
  flapping,
  longQueue,
  permanentRefusal,
} from './outbox/rows.ts';
import { pageCache } from './page-cache.ts';
import { quota } from './quota.ts';
import { reorderedAnswers } from './reordered-answers.ts';
import { retryAfter } from './retry-after.ts';
import type { Row } from './row.ts';
import { saidInTheGap } from './said-in-the-gap.ts';
import { slowLoris } from './slow-loris.ts';
import { storageEvicted } from './storage-evicted.ts';
import { storageHangs } from './storage-hangs.ts';
import { tabClosesInWrite } from './tab-closes-in-write.ts';
import { tabCrash } from './tab-crash.ts';
import { twoScopes } from './two-scopes.ts';
import { upgradeBlocked } from './upgrade-blocked.ts';
import { versionSkew } from './version-skew.ts';

/** The rows that exist, in the order of their numbers. */
export const ROWS: readonly Row[] = [
  killInCall,
  idleDeath,
  eventLimit,
  browserKill,
  crashAfterCommit,
  answerLost,
  dropMidBody,
  slowLoris,
  flapping,
  longQueue,
  retryAfter,
  captivePortal,
  authExpired,
  permanentRefusal,
  quota,
  databaseClosed,
  databaseHangs,
  upgradeBlocked,
  corruptRecord,
  versionSkew,
  hardReload,
  pageCache,
  tabCrash,
  fiftyTabs,
  reorderedAnswers,
  clockJump,
  signOutRace,
  noWorker,
  storageEvicted,
  hostileMessages,
  lastChance,
  drainTimeout,
  hiddenTab,
  idleTabs,
  databaseDeleted,
  openedInUpdate,
  saidInTheGap,
  storageHangs,
  twoScopes,
  tabClosesInWrite,
  greedyTab,
  clockBack,
  nextUser,
  firstVisit,
  feedKill,
  modelRuns,
  cacheModelRuns,
  tornDatabases,
  outboxModelRuns,
];
