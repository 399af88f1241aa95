import { isNewer } from '../../shared/line.ts';
import type { Revision } from '../../shared/outcome.ts';
import type { Again } from '../../shared/protocol.ts';
import type { ReadAnswered, ReadOutcome } from '../contracts/read-body.ts';

/** What pages were told. */
export interface Told {
  readonly outcome: ReadOutcome;
  /** Whether it is the answer to the request to catch up. */
  readonly isCatchUp: boolean;
}

/** What stands for the ticks so far: the newest answer, after it the failure since then. */
export function newestOf(stored: ReadAnswered | null, unstored: Told | null, cutOff: boolean): Told[] {
  if (unstored?.outcome.kind === 'answered') return [unstored];
  // Where the network is gone, an answer that says so tells of the failure as well.
  if (stored && cutOff) return [{ outcome: { ...stored, stale: true }, isCatchUp: false }];
  const all = [stored && { outcome: stored, isCatchUp: false }, unstored];
  return all.filter((told) => told !== null);
}

/** Whether a page that comes later has an answer from elsewhere: of a feed from its log, or by catching up itself. */
export function isHadElsewhere({ outcome, isCatchUp }: Told, isOfFeed: boolean): boolean {
  if (outcome.kind === 'failed') return false;
  // What is stored of a request to catch up is not found under the loop's own.
  return isOfFeed || (outcome.revision !== null && !isCatchUp);
}

/**
 * To a page that followed the loop before, only what is newer than what it has heard is news: what is stored may be older,
 * where a worker ended before it had stored what it told. Where that cannot be compared, the page is told what this life of
 * the worker has told last, for it may have missed it (invariant 8); what an earlier life has left may be older.
 */
export function isKnown(outcome: ReadOutcome, again: Again | null, isOfThisLife: boolean): boolean {
  if (again === null) return false;
  if (outcome.kind === 'failed') return true;
  if (outcome.revision === null || again.revision === null) return !isOfThisLife && !again.behind;
  return !isNewer(outcome.revision, again.revision);
}

/** Whether a page that has revision `has` was told something newer: a worker may end before it has stored what it told. */
export function isOlder(outcome: ReadOutcome, has: Revision | null): boolean {
  if (outcome.kind === 'failed' || outcome.revision === null || has === null) return false;
  return isNewer(has, outcome.revision);
}
