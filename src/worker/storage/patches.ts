import type { ByteChange } from '../byte-change.ts';
import { bytes, count, integer, list, object, ordinal, text } from '../../shared/shape.ts';
import type { Transaction } from './database.ts';

/** One change of an answer's log, numbered from 1 after each snapshot. */
interface Patch extends ByteChange {
  readonly key: string;
  readonly n: number;
}

/** All changes of that answer. To IndexedDB a list is above every number. */
export function patchesOf(key: IDBValidKey): IDBKeyRange {
  return IDBKeyRange.bound([key], [key, []]);
}

export async function putPatch(
  transaction: Transaction<'readwrite'>,
  key: string,
  n: number,
  { runs, literal, size }: ByteChange,
): Promise<void> {
  const patch: Patch = { key, n, runs, literal, size };
  await transaction.objectStore('patches').put(patch);
}

/** The log's changes in their order, if all are there and whole. */
export function intactPatches(values: readonly unknown[], expected: number): readonly ByteChange[] | null {
  const patches = values.filter(isPatch);
  const follow = patches.every(({ n }, index) => n === index + 1);
  return follow && patches.length === expected ? patches : null;
}

function isPatch(value: unknown): value is Patch {
  return shape(value) === null;
}

const shape = object<Patch>({ key: text, n: ordinal, runs: list(integer), literal: bytes, size: count });
