import type { Invocation } from '../../shared/invocation.ts';
import { LIMITS } from '../../shared/limits.ts';
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
  /** How many writes may begin now, of all servers; `writesAhead` more of lanes that go ahead, even where this is negative. */
  readonly most: number;
  /** The writes with attempts under way, as they were before these. */
  readonly underWay: readonly WaitingWrite[];
  /** The URL of an invocation; null where it may not be asked. */
  readonly urlOf: (invocation: Invocation) => string | null;
  /** True for a lane with an attempt under way, though its write may have been discarded meanwhile. */
  readonly isBusy: (lane: string) => boolean;
  /** The lanes that are held otherwise, as they were named first. */
  readonly heldLanes: readonly Pick<WaitingWrite, 'lane'>[];
  readonly known: Known;
  readonly laneOf: LaneOf;
  /** When the last attempt of the lane in this life ended: the lower, the longer ago; 0 where there was none. */
  readonly lastTurn: (lane: string) => number;
  /** Until when the lane's server wants to be left alone, in milliseconds of the epoch; 0 for no such time. */
  readonly floorOf: (lane: string) => number;
}

/**
 * Which writes go now, of all that wait, in the order of their places. A lane keeps its order, and none holds another. What is in
 * review holds nobody, apart from those that use its temporary id: they wait with it, and their lane goes on without them. Where
 * there is not room for all lanes, those go whose last turn is longest ago. A server may leave thousands without an answer, and
 * so may several servers: a lane that goes on finds room beside all of them, one of each server.
 */
export function planOf(
  writes: readonly WaitingWrite[],
  { now, most, underWay, urlOf, isBusy, heldLanes, known, laneOf, lastTurn, floorOf }: Circumstances,
): Plan {
  const headOf = (lane: string, write: WaitingWrite): Head => {
    const turn = lastTurn(lane);
    return { write, turn, server: serverOf(write, urlOf), goesOn: turn > 0 && write.attempts === 0 };
  };
  const makers = new Makers(writes);
  const unknown = makers.unknown(known, heldLanes);
  const due: Head[] = [];
  const held: WaitingWrite[] = [];
  let wakeAt: number | null = null;
  // There may be as many lanes as writes, and a plan is made for each write: one pass, and little for each lane.
  for (const [lane, head] of headsOf(makers.inLine(), laneOf)) {
    const { state, uses } = head;
    if (state !== 'queued' || isBusy(lane) || uses.some((each) => known(each)?.kind !== 'given')) continue;
    const placed = putOff(head, floorOf(lane));
    if (isDueAt(placed, now)) {
      due.push(headOf(lane, head));
      continue;
    }
    wakeAt = Math.min(wakeAt ?? Infinity, placed.notBefore);
    if (placed !== head) held.push(placed);
  }
  return {
    now:
      unknown.length > 0
        ? []
        : firstOf(
            due,
            new Room(
              most,
              underWay.map((each) => headOf(laneOf(each), each)),
            ),
          ),
    wakeAt,
    held,
    lost: makers.lost(known),
    unknown,
  };
}

/** The first write of a lane. */
interface Head {
  readonly write: WaitingWrite;
  /** When the lane had its last turn. */
  readonly turn: number;
  readonly server: string;
  /** True where the attempt before, in this life, was the last one of another write: its server does not leave it waiting. */
  readonly goesOn: boolean;
}

/** The first few in order. */
function firstOf(heads: readonly Head[], room: Room): WaitingWrite[] {
  const first: WaitingWrite[] = [];
  for (let next = room.next(heads); next; next = room.next(heads)) {
    room.take(next);
    first.push(next.write);
  }
  return first;
}

/** What is under way to each server. */
class Room {
  /** How many more of all servers. */
  #left = 0;
  readonly #counts = new Map<string, number>();
  readonly #taken = new Set<WaitingWrite>();
  /** The servers to which a lane that goes on is under way. */
  readonly #wellServed = new Set<string>();

  /** `most`: how many more, of all servers. */
  constructor(most: number, underWay: readonly Head[]) {
    for (const each of underWay) this.take(each);
    this.#left = most;
  }

  take({ write, server, goesOn }: Head): void {
    this.#left -= 1;
    this.#taken.add(write);
    this.#counts.set(server, this.#countOf(server) + 1);
    if (goesOn) this.#wellServed.add(server);
  }

  /** Undefined where there is none for which there is room. */
  next(heads: readonly Head[]): Head | undefined {
    let next: Head | undefined;
    for (const each of heads) {
      if (this.#taken.has(each.write) || !this.#isFor(each)) continue;
      if (!next || this.#order(each, next) < 0) next = each;
    }
    return next;
  }

  #isFor(head: Head): boolean {
    const isAhead = this.#isAhead(head);
    const most = isAhead ? LIMITS.writesOfServer + 1 : LIMITS.writesOfServer;
    return this.#countOf(head.server) < most && this.#left > (isAhead ? -LIMITS.writesAhead : 0);
  }

  #countOf(server: string): number {
    return this.#counts.get(server) ?? 0;
  }

  /** In another life it is not known when a lane had its turn: what was attempted often goes last. */
  #order(one: Head, other: Head): number {
    return (
      Number(this.#isAhead(other)) - Number(this.#isAhead(one)) ||
      one.turn - other.turn ||
      one.write.attempts - other.write.attempts ||
      one.write.place - other.write.place
    );
  }

  /** It goes ahead of its turn. */
  #isAhead({ server, goesOn }: Head): boolean {
    return goesOn && !this.#wellServed.has(server);
  }
}

/** The servers of what waits: each is looked at for each plan. */
const servers = new WeakMap<Invocation, string>();

/** Empty where nobody may be asked. */
function serverOf({ invocation }: WaitingWrite, urlOf: Circumstances['urlOf']): string {
  const known = servers.get(invocation);
  if (known !== undefined) return known;
  const url = urlOf(invocation);
  const server = url === null ? '' : new URL(url).origin;
  servers.set(invocation, server);
  return server;
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
