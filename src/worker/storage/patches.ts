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

/** The first of a log takes the place of all that there is: an older release leaves changes behind. */
export async function putPatch(
  transaction: Transaction<'readwrite'>,
  key: string,
  n: number,
  { runs, literal, size }: ByteChange,
): Promise<void> {
  const patches = transaction.objectStore('patches');
  const patch: Patch = { key, n, runs, literal, size };
  await Promise.all([n === 1 && patches.delete(patchesOf(key)), patches.put(patch)]);
}

/** The log's changes in their order, if all are there and whole. */
export function intactPatches(values: readonly unknown[], expected: number): readonly ByteChange[] | null {
  const patches = values.filter(isPatch);
  const follow = patches.every(({ n }, index) => n === index + 1);
  return follow && patches.length === expected ? patches : null;
}

/** What an older release has left of answers that it removed: it knows of no changes. */
export async function sweepPatches(transaction: Transaction<'readwrite'>): Promise<void> {
  const patches = transaction.objectStore('patches');
  const [known, keys] = await Promise.all([
    transaction.objectStore('responses').getAllKeys(),
    patches.getAllKeys(),
  ]);
  const answers = new Set<unknown>(known);
  const isLeft = (key: IDBValidKey): boolean => !Array.isArray(key) || !answers.has(key[0]);
  await Promise.all(keys.filter(isLeft).map((key) => patches.delete(key)));
}

function isPatch(value: unknown): value is Patch {
  return shape(value) === null;
}

const shape = object<Patch>({ key: text, n: ordinal, runs: list(integer), literal: bytes, size: count });
