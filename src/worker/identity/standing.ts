import type { Claim, Identity } from '../../shared/identity.ts';
import type { RootRecord } from '../contracts/root-store.ts';

/**
 * What a worker instance does with the stored record, which it may learn after pages have told it more:
 * `continue` with that record's partition, `follow` the record, which is newer, or `overrule` it.
 */
export type Verdict = 'continue' | 'follow' | 'overrule';

/**
 * Compares who is signed in, as this worker instance has it, with what is stored. `digest` is that of the present name.
 * `epoch` is null until anything is known: then whatever is stored counts.
 */
export function verdictOn(
  { epoch, digest }: { readonly epoch: number | null; readonly digest: string | null },
  stored: RootRecord,
): Verdict {
  const isSame = digest === stored.digest;
  if (epoch === null) return isSame ? 'continue' : 'follow';
  if (stored.epoch > epoch) return 'follow';
  return isSame ? 'continue' : 'overrule';
}

/**
 * How a page's claim stands to who is signed in: `same`, `ahead` where the page has heard of a later change than this
 * worker instance (whose storage was lost or late), `other` in every other case. A page without a claim knows nothing
 * yet: it counts for as long as nobody is signed in.
 */
export function standingOf(claim: Claim | undefined, present: Identity | null): 'same' | 'ahead' | 'other' {
  if (claim === undefined) return present?.isSignedIn === true ? 'other' : 'same';
  if (present === null || claim.epoch > present.epoch) return 'ahead';
  const isSame = claim.name === present.name && (claim.name !== null) === present.isSignedIn;
  return isSame && claim.epoch === present.epoch ? 'same' : 'other';
}

/** The epoch after this one. It goes by the clock, so that none is used twice though what is stored is lost. */
export function epochAfter(epoch: number, now: number): number {
  return Math.max(epoch + 1, Math.floor(now));
}
