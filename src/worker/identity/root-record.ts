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
