import type { MapChange } from '../../shared/patch.ts';
import type { Document } from './document.ts';
import { keyEnd, keyText } from './key.ts';
import { Pace } from '../pace.ts';
import { eachRun } from './runs.ts';
import type { Runs } from './runs.ts';

/** What it costs to read a key, and to pass by one, in bytes. */
const WORK = 256;
const LITTLE_WORK = 16;

/** What a map's new members, of these names, make of it; 'unproven' where one has the name of a member that stays. */
export function* mapChange(
  old: Document,
  runs: Runs,
  names: ReadonlySet<string>,
  set: string,
): Generator<void, MapChange | null | 'unproven'> {
  const stays = new Uint8Array(old.table.count);
  for (const { from, count } of eachRun(runs)) if (from !== null) stays.fill(1, from, from + count);
  const added = new Set(names);
  const removed: string[] = [];
  const pace = new Pace();
  for (const [index, kept] of stays.entries()) {
    if (pace.isDue(LITTLE_WORK)) yield;
    if (kept === 1) continue;
    const name = nameAt(old, index);
    if (!added.delete(name)) removed.push(name);
  }
  if (added.size > 0) {
    for (const [index, kept] of stays.entries()) {
      if (pace.isDue(WORK)) yield;
      if (kept === 1 && added.has(nameAt(old, index))) return 'unproven';
    }
  }
  return names.size === 0 && removed.length === 0 ? null : { kind: 'map', removed, set };
}

function nameAt({ bytes, table }: Document, index: number): string {
  const start = table.starts[index] ?? 0;
  return keyText(bytes, start, keyEnd(bytes, start) ?? start) ?? '';
}
