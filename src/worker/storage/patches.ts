import type { ByteDelta } from '../contracts/byte-delta.ts';
import { bytes, count, integer, list, object, ordinal, text } from '../../shared/shape.ts';
import type { Transaction } from './database.ts';

/** One change of an answer's log, numbered from 1 after each snapshot. */
interface StoredDelta extends ByteDelta {
  readonly key: string;
  readonly n: number;
}

/** All changes of that answer. To IndexedDB a list is above every number. */
export function deltasOf(key: IDBValidKey): IDBKeyRange {
  return IDBKeyRange.bound([key], [key, []]);
}

export async function putDelta(
  transaction: Transaction<'readwrite'>,
  key: string,
  n: number,
  { runs, literal, size }: ByteDelta,
): Promise<void> {
  const patch: StoredDelta = { key, n, runs, literal, size };
  await transaction.objectStore('patches').put(patch);
}

/** The log's changes in their order, if all are there and whole. */
export function intactDeltas(values: readonly unknown[], expected: number): readonly ByteDelta[] | null {
  const patches = values.filter(isPatch);
  const follow = patches.every(({ n }, index) => n === index + 1);
  return follow && patches.length === expected ? patches : null;
}

function isPatch(value: unknown): value is StoredDelta {
  return shape(value) === null;
}

const shape = object<StoredDelta>({
  key: text,
  n: ordinal,
  runs: list(integer),
  literal: bytes,
  size: count,
});
