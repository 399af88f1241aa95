import type { RootRecord } from '../contracts/root-store.ts';

/** The record after a change: the partition before is to be deleted. */
export function moved(
  before: RootRecord,
  partition: string,
  digest: string | null,
  epoch: number,
): RootRecord {
  return { ...before, partition, digest, epoch, doomed: [...before.doomed, before.partition] };
}

/** The record as it is written over another engine's: the last change counts, and what either has left is deleted. */
export function merged(wanted: RootRecord, before: RootRecord | null): RootRecord {
  if (!before || before.partition === wanted.partition) return wanted;
  const left = [...wanted.doomed, ...before.doomed, before.partition];
  return {
    ...wanted,
    epoch: Math.max(wanted.epoch, before.epoch + (before.epoch >= wanted.epoch ? 1 : 0)),
    doomed: [...new Set(left)].filter((each) => each !== wanted.partition),
  };
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
