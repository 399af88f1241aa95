import type { Claim, Identity } from '../../shared/identity.ts';
import { outboxOf } from '../contracts/root-store.ts';
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

/** The record after a change: the partition before is to be deleted. */
export function moved(
  before: RootRecord,
  partition: string,
  digest: string | null,
  epoch: number,
): RootRecord {
  const doomed = doomedAfter(before, { partition, digest }, before.doomed);
  return { ...before, partition, digest, epoch, doomed };
}

/** The record as it is written over another engine's: the last change counts, and what either has left is deleted. */
export function merged(wanted: RootRecord, before: RootRecord | null): RootRecord {
  if (!before || before.partition === wanted.partition) return wanted;
  return {
    ...wanted,
    epoch: Math.max(wanted.epoch, before.epoch + (before.epoch >= wanted.epoch ? 1 : 0)),
    doomed: doomedAfter(before, wanted, [...wanted.doomed, ...before.doomed]),
  };
}

/** What is to be deleted after one record has followed the other: nothing of the identity that has come. */
function doomedAfter(
  before: RootRecord,
  { partition, digest }: Pick<RootRecord, 'partition' | 'digest'>,
  doomed: readonly string[],
): string[] {
  const all = new Set([...doomed, before.partition, outboxOf(before.digest)]);
  return [...all].filter((each) => each !== partition && each !== outboxOf(digest));
}

/** These partitions are deleted. */
export function without(record: RootRecord, gone: ReadonlySet<string>): RootRecord {
  return { ...record, doomed: record.doomed.filter((each) => !gone.has(each)) };
}

/** Of the partitions that are there, those of neither record are deleted too. */
export function withLeft(record: RootRecord, partitions: readonly string[], stored: RootRecord): RootRecord {
  const left = partitions.filter((each) => each !== record.partition && each !== stored.partition);
  return { ...record, doomed: [...new Set([...record.doomed, ...left])] };
}

/** True if both are of one change, whatever they list of deletions. */
export function isOfOne(record: RootRecord | null, other: RootRecord): boolean {
  return record?.partition === other.partition && record.epoch === other.epoch;
}
