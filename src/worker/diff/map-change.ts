import type { MapChange } from '../../shared/patch.ts';
import type { Document } from './document.ts';
import { keyEnd, keyText } from './key.ts';
import { PauseMeter } from '../platform/pause-meter.ts';
import { eachRun } from './runs.ts';
import type { Runs } from './runs.ts';

/** What it costs to read a key, and to pass by one, in bytes. */
const WORK = 256;
const LITTLE_WORK = 16;

/**
 * What a map's new members, of these names, make of it; 'unproven' where one has the name of a member that
 * stays, 'reordered' where a page that sets and removes members would have them in another order.
 */
export function* mapChange(
  old: Document,
  next: Document,
  runs: Runs,
  names: ReadonlySet<string>,
  set: string,
): Generator<void, MapChange | null | 'unproven' | 'reordered'> {
  const stays = new Uint8Array(old.table.count);
  for (const { from, count } of eachRun(runs)) if (from !== null) stays.fill(1, from, from + count);
  const replaced = new Map<string, number>();
  const removed: string[] = [];
  const pace = new PauseMeter();
  for (const [index, kept] of stays.entries()) {
    if (pace.isDue(LITTLE_WORK)) yield;
    if (kept === 1) continue;
    const name = nameAt(old, index);
    if (names.has(name)) replaced.set(name, index);
    else removed.push(name);
  }
  if (replaced.size < names.size) {
    for (const [index, kept] of stays.entries()) {
      if (pace.isDue(WORK)) yield;
      if (kept === 1 && names.has(nameAt(old, index))) return 'unproven';
    }
  }
  if (!(yield* isInOrder(next, runs, replaced))) return 'reordered';
  return names.size === 0 && removed.length === 0 ? null : { kind: 'map', removed, set };
}

/** Whether the members that were there before follow each other as they did, and all others follow them. */
function* isInOrder(
  next: Document,
  runs: Runs,
  replaced: ReadonlyMap<string, number>,
): Generator<void, boolean> {
  const pace = new PauseMeter();
  let last = -1;
  for (const { from, count, to } of eachRun(runs)) {
    for (let member = 0; member < count; member += 1) {
      const place = from === null ? (replaced.get(nameAt(next, to + member)) ?? Infinity) : from + member;
      if (place < last) return false;
      last = place;
      if (pace.isDue(from === null ? WORK : LITTLE_WORK)) yield;
    }
  }
  return true;
}

function nameAt({ bytes, table }: Document, index: number): string {
  const start = table.starts[index] ?? 0;
  return keyText(bytes, start, keyEnd(bytes, start) ?? start) ?? '';
}
