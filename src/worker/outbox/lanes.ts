import type { WaitingWrite } from '../contracts/outbox-store.ts';
import { LONGEST_WAIT } from './attempts.ts';

/** What of the queue can be sent, and when to look again. */
export interface Plan {
  /** The writes to send now, at most one of each lane. */
  readonly now: readonly WaitingWrite[];
  /** When the next lane may go on, in milliseconds of the epoch; null where none waits for a time. */
  readonly wakeAt: number | null;
}

export interface Circumstances {
  /** Milliseconds of the epoch. */
  readonly now: number;
  /** How many writes may begin now. */
  readonly most: number;
  /** True for a lane with an attempt under way, though its write may have been discarded meanwhile. */
  readonly isBusy: (lane: string) => boolean;
  /** True for the temporary id of what was created just now, as long as its name is not stored. */
  readonly isUnnamed: (temporaryId: string) => boolean;
  /** When the lane had its last turn: the lower, the longer ago. */
  readonly lastTurn: (lane: string) => number;
}

/**
 * Which writes go now, of all that wait, in the order of their places. A lane keeps its order, and none holds another. What is in
 * review holds nobody, apart from those that use its temporary id: they wait with it, and their lane goes on without them. Where
 * there is not room for all lanes, those go whose last turn is longest ago.
 */
export function planOf(
  writes: readonly WaitingWrite[],
  { now, most, isBusy, isUnnamed, lastTurn }: Circumstances,
): Plan {
  const makers = new Map<string, WaitingWrite>();
  for (const each of writes) if (each.temporaryId !== null) makers.set(each.temporaryId, each);
  const heads = headsOf(writes, makers).filter(
    (head) =>
      head.state === 'queued' &&
      !isBusy(head.lane) &&
      !isDependent(head, makers) &&
      !head.uses.some(isUnnamed),
  );
  // The clock may have been set back since.
  const isDue = ({ notBefore }: WaitingWrite): boolean => notBefore <= now || notBefore - now > LONGEST_WAIT;
  const later = heads.filter((head) => !isDue(head));
  const isEarlier = (one: WaitingWrite, other: WaitingWrite): boolean =>
    (lastTurn(one.lane) - lastTurn(other.lane) || one.place - other.place) < 0;
  return {
    now: firstOf(heads.filter(isDue), most, isEarlier),
    wakeAt:
      later.length > 0 ? later.reduce((least, each) => Math.min(least, each.notBefore), Infinity) : null,
  };
}

/** The first few in order: there may be as many lanes as writes, and a plan is made for each write. */
function firstOf(
  writes: readonly WaitingWrite[],
  most: number,
  isEarlier: (one: WaitingWrite, other: WaitingWrite) => boolean,
): WaitingWrite[] {
  const first: WaitingWrite[] = [];
  for (const each of writes) {
    const index = first.findIndex((other) => isEarlier(each, other));
    if (index === -1 && first.length >= most) continue;
    first.splice(index === -1 ? first.length : index, 0, each);
    first.length = Math.min(first.length, most);
  }
  return first;
}

type Makers = ReadonlyMap<string, WaitingWrite>;

/** The first write of each lane that is not in review, nor waits for one that is. */
function headsOf(writes: readonly WaitingWrite[], makers: Makers): WaitingWrite[] {
  const heads = new Map<string, WaitingWrite>();
  const set = new Set<WaitingWrite>();
  for (const each of writes) {
    const isAside = each.state === 'review' || makersOf(each, makers).some((maker) => set.has(maker));
    if (isAside) set.add(each);
    else if (!heads.has(each.lane)) heads.set(each.lane, each);
  }
  return [...heads.values()];
}

/** True where what it names is not there yet. */
function isDependent(write: WaitingWrite, makers: Makers): boolean {
  return makersOf(write, makers).length > 0;
}

const NONE: readonly WaitingWrite[] = [];

function makersOf({ uses, entry }: WaitingWrite, makers: Makers): readonly WaitingWrite[] {
  // Most name none, and this is asked of each that waits.
  if (uses.length === 0) return NONE;
  return uses
    .flatMap((temporaryId) => makers.get(temporaryId) ?? [])
    .filter((maker) => maker.entry !== entry);
}
