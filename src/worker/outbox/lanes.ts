import type { WaitingWrite } from '../contracts/outbox-store.ts';
import { isDueAt, putOff } from './attempts.ts';
import { Makers } from './makers.ts';
import type { Known, Lost } from './makers.ts';

/** What of the queue can be sent, and when to look again. */
export interface Plan {
  /** The writes to send now, at most one of each lane. */
  readonly now: readonly WaitingWrite[];
  /** When the next lane may go on, in milliseconds of the epoch; null where none waits for a time. */
  readonly wakeAt: number | null;
  /** Those that are put off as long as their lanes are. */
  readonly held: readonly WaitingWrite[];
  /** Those that somebody has to look at. */
  readonly lost: readonly Lost[];
  /** Temporary ids that have to be looked up. Nothing is sent before. */
  readonly unknown: readonly string[];
}

/** The lane of a write, named by the ids that servers have given. */
type LaneOf = (write: WaitingWrite) => string;

export interface Circumstances {
  /** Milliseconds of the epoch. */
  readonly now: number;
  /** How many writes may begin now. */
  readonly most: number;
  /** True for a lane with an attempt under way, though its write may have been discarded meanwhile. */
  readonly isBusy: (lane: string) => boolean;
  readonly known: Known;
  readonly laneOf: LaneOf;
  /** When the lane had its last turn: the lower, the longer ago. */
  readonly lastTurn: (lane: string) => number;
  /** Until when the lane's server wants to be left alone, in milliseconds of the epoch; 0 for no such time. */
  readonly floorOf: (lane: string) => number;
}

/**
 * Which writes go now, of all that wait, in the order of their places. A lane keeps its order, and none holds another. What is in
 * review holds nobody, apart from those that use its temporary id: they wait with it, and their lane goes on without them. Where
 * there is not room for all lanes, those go whose last turn is longest ago.
 */
export function planOf(
  writes: readonly WaitingWrite[],
  { now, most, isBusy, known, laneOf, lastTurn, floorOf }: Circumstances,
): Plan {
  const makers = new Makers(writes);
  const unknown = makers.unknown(known);
  const due: Head[] = [];
  const held: WaitingWrite[] = [];
  let wakeAt: number | null = null;
  // There may be as many lanes as writes, and a plan is made for each write: one pass, and little for each lane.
  for (const [lane, head] of headsOf(makers.inLine(), laneOf)) {
    const { state, uses } = head;
    if (state !== 'queued' || isBusy(lane) || uses.some((each) => known(each)?.kind !== 'given')) continue;
    const placed = putOff(head, floorOf(lane));
    if (isDueAt(placed, now)) {
      due.push({ write: head, turn: lastTurn(lane) });
      continue;
    }
    wakeAt = Math.min(wakeAt ?? Infinity, placed.notBefore);
    if (placed !== head) held.push(placed);
  }
  return {
    now: unknown.length > 0 ? [] : firstOf(due, most),
    wakeAt,
    held,
    lost: makers.lost(known),
    unknown,
  };
}

/** The first write of a lane, and when that had its last turn. */
interface Head {
  readonly write: WaitingWrite;
  readonly turn: number;
}

/** The first few in order. */
function firstOf(heads: readonly Head[], most: number): WaitingWrite[] {
  const first: Head[] = [];
  for (const each of heads) {
    const index = first.findIndex((other) => isEarlier(each, other));
    if (index === -1 && first.length >= most) continue;
    first.splice(index === -1 ? first.length : index, 0, each);
    first.length = Math.min(first.length, Math.max(0, most));
  }
  return first.map(({ write }) => write);
}

function isEarlier(one: Head, other: Head): boolean {
  return (one.turn - other.turn || one.write.place - other.write.place) < 0;
}

/** The first write of each lane. */
function headsOf(inLine: readonly WaitingWrite[], laneOf: LaneOf): ReadonlyMap<string, WaitingWrite> {
  const heads = new Map<string, WaitingWrite>();
  for (const each of inLine) {
    const lane = laneOf(each);
    if (!heads.has(lane)) heads.set(lane, each);
  }
  return heads;
}

/** How many wait for nothing but their server: not those behind one that waits for something else. */
export function dueAmong(writes: readonly WaitingWrite[], laneOf: LaneOf): number {
  const makers = new Makers(writes);
  const [held, stuck] = [new Set<string>(), new Set<WaitingWrite>()];
  let due = 0;
  for (const each of makers.inLine()) {
    const lane = laneOf(each);
    const isDue =
      (each.state === 'queued' || each.state === 'sending') &&
      !held.has(lane) &&
      !makers.of(each).some((maker) => stuck.has(maker));
    if (isDue) due += 1;
    else {
      held.add(lane);
      stuck.add(each);
    }
  }
  return due;
}
