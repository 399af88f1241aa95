import type { Outcome } from '../../shared/outcome.ts';
import type { FeedEntry } from '../contracts/loop-state.ts';

type Replayed = Pick<FeedEntry, 'outcome' | 'receivedAt'>;

/** Milliseconds in which an answer reaches those who wait for it. */
const TICK = 1_000;

/** An answer of the log as what it is by `now`: stored some time ago, and as true as it was. */
export function replayed({ outcome, receivedAt }: Replayed, now: number): Outcome {
  if (outcome.kind === 'failed') return outcome;
  const age = receivedAt === undefined ? outcome.age : Math.max(0, (now - receivedAt) / 1_000);
  return { ...outcome, servedFrom: 'cache', stale: false, age };
}

/** The newest answer, which need not be read: to those who have waited for it the network has brought it. */
export function brought(newest: Required<Replayed>, now: number): Outcome {
  return now - newest.receivedAt < TICK ? newest.outcome : replayed(newest, now);
}
