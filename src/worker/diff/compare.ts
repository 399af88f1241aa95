import type { Document } from './document.ts';
import { Matching } from './matching.ts';
import { PauseMeter } from '../platform/pause-meter.ts';
import { RunsBuilder } from './runs.ts';
import type { Runs } from './runs.ts';
import { Sameness } from './sameness.ts';

/**
 * Finds for every member of `next` the one of `old` with the same bytes. Each old one is used once, so that rows that
 * are told apart by identity stay so. First what both begin and end with, then by hash what lies between.
 */
export function* compare(old: Document, next: Document): Generator<void, Runs> {
  const same = new Sameness(old, next);
  const [oldCount, nextCount] = [old.table.count, next.table.count];
  const least = Math.min(oldCount, nextCount);
  const front = yield* countWhile(least, same, (index) => same.at(index, index));
  const back = yield* countWhile(least - front, same, (index) =>
    same.at(oldCount - 1 - index, nextCount - 1 - index),
  );
  const runs = new RunsBuilder();
  runs.copy(0, front);
  yield* between(same, [front, oldCount - back], [front, nextCount - back], runs);
  runs.copy(oldCount - back, back);
  return runs.runs;
}

function* countWhile(
  most: number,
  same: Sameness,
  holds: (index: number) => boolean,
): Generator<void, number> {
  const pace = new PauseMeter();
  let count = 0;
  while (count < most && holds(count)) {
    count += 1;
    if (pace.isDue(same.lastWork)) yield;
  }
  return count;
}

type Range = readonly [from: number, to: number];

function* between(same: Sameness, olds: Range, nexts: Range, runs: RunsBuilder): Generator<void, void> {
  const matching = new Matching(same, ...olds);
  yield* matching.prepare();
  const pace = new PauseMeter();
  for (let index = nexts[0]; index < nexts[1]; index += 1) {
    const match = matching.take(index);
    if (match === null) runs.add(1);
    else runs.copy(match, 1);
    if (pace.isDue(same.lastWork)) yield;
  }
}
