import type { Outcome } from '../../shared/outcome.ts';
import type { FeedEntry } from '../contracts/loop-store.ts';
import type { Lookup } from '../contracts/lookup.ts';
import type { Clock } from '../platform/system.ts';
import type { DurableState } from '../scheduling/durable-state.ts';
import type { LogOffset } from '../../shared/delivery.ts';

/** Milliseconds in which an answer reaches the pages that wait for it. */
const TICK = 1_000;

/** An answer as it is told: what it counts for in the log is the store's business. */
export type Entry = Pick<FeedEntry, 'offset' | 'outcome'>;

export interface LogReaderPorts {
  readonly clock: Clock;
  readonly state: Pick<DurableState, 'record' | 'entries'>;
}

/** Reads the log of a feed. The newest answer stays in memory while there are pages that it has not been sent. */
export class LogReader {
  readonly #ports: LogReaderPorts;
  #newest: Required<Omit<FeedEntry, 'size'>> | null = null;

  constructor(ports: LogReaderPorts) {
    this.#ports = ports;
  }

  /** An answer has been stored. */
  note(entry: Entry): void {
    this.#newest = { ...entry, receivedAt: this.#ports.clock.now() };
  }

  /** Another log follows. */
  forget(): void {
    this.#newest = null;
  }

  /** Forgets the newest answer, which may be large, once all these pages have been sent it. */
  forgetSent(all: Iterable<FollowerProgress>): void {
    const offset = this.#newest?.offset ?? 0;
    if ([...all].every(({ sent }) => sent >= offset)) this.#newest = null;
  }

  /** The answers that a page is sent next, so many at most. */
  async after({ sent }: FollowerProgress, limit: number): Promise<Lookup<readonly Entry[]>> {
    const { clock, state } = this.#ports;
    const newest = this.#newest;
    if (newest && newest.offset === sent + 1)
      return { kind: 'found', value: [{ offset: newest.offset, outcome: brought(newest, clock.now()) }] };
    const entries = await state.entries(sent, limit);
    if (entries.kind !== 'found') return entries;
    const value = entries.value.map((entry) => ({
      offset: entry.offset,
      outcome: replayed(entry, clock.now()),
    }));
    return { kind: 'found', value };
  }

  /** The offset after which a page goes on: at a beginning, the last of those that are gone. Null where that cannot be read. */
  async startOf({ sent, isBeginning }: FollowerProgress): Promise<number | null> {
    const { state } = this.#ports;
    const { last } = state.record;
    if (!isBeginning || sent >= last) return sent;
    const next = await state.entries(sent, 1);
    if (next.kind === 'absent') return last;
    return next.kind === 'found' ? (next.value[0]?.offset ?? last + 1) - 1 : null;
  }
}

type Replayed = Pick<FeedEntry, 'outcome' | 'receivedAt'>;

/** An answer of the log as what it is by `now`: stored some time ago, and as true as it was. */
function replayed({ outcome, receivedAt }: Replayed, now: number): Outcome {
  if (outcome.kind === 'failed') return outcome;
  const age = receivedAt === undefined ? outcome.age : Math.max(0, (now - receivedAt) / 1_000);
  return { ...outcome, servedFrom: 'cache', stale: false, age };
}

/** The newest answer, which need not be read: the network has brought it to the pages that have waited for it. */
function brought(newest: Required<Replayed>, now: number): Outcome {
  return now - newest.receivedAt < TICK ? newest.outcome : replayed(newest, now);
}

interface StartPositionsPorts {
  readonly clock: Clock;
  readonly state: DurableState;
}

/**
 * Where a page begins that says nothing of where it was. While those of the life before may still come back, it may be
 * one of them that had not been told anything, or stand for one of a browser that was killed. Nothing is to be missed
 * then (behaviour.md): it begins after what all are known to have had.
 */
export class StartPositions {
  readonly #ports: StartPositionsPorts;
  readonly #until: number;
  /** After what the life before had stored, not all of which all had; null where they had. */
  #unacknowledged: LogOffset | null = null;

  /** `until` is when nobody is expected back any more. */
  constructor(ports: StartPositionsPorts, until: number) {
    this.#ports = ports;
    this.#until = until;
  }

  /** Once it is known what an earlier life of the worker has left. */
  async begin(): Promise<void> {
    const { state } = this.#ports;
    const { log, last, acknowledged = 0 } = state.record;
    if (acknowledged >= last) return;
    const left = await state.entries(acknowledged, 1);
    // Where that is not known, it may be there.
    if (left.kind !== 'absent') this.#unacknowledged = { log, offset: acknowledged };
  }

  /** At the end, where the state comes first: whatever is in the log is in the state. */
  next(isPaused: boolean): FollowerProgress {
    const { clock, state } = this.#ports;
    const { log, last } = state.record;
    const left = clock.now() < this.#until && !isPaused ? this.#unacknowledged : null;
    return left?.log === log ? beginning(left.offset, log, isPaused) : after(last, log, isPaused);
  }
}

/** Where a page is in a feed. */
export interface FollowerProgress {
  /** The log that the numbers are of. */
  log: string;
  /** The number of the last entry that is on its way. */
  sent: number;
  /** The number of the last that the page has. */
  acknowledged: number;
  /** Whether it begins here: what is gone of what comes next has never been its own. */
  isBeginning: boolean;
  /** Whether the page knows where it is, so that it can say so to another life of the worker. */
  isKnown: boolean;
  isPaused: boolean;
  isSending: boolean;
}

/** After entry `n`. */
export function after(n: number, log: string, isPaused: boolean): FollowerProgress {
  return { log, sent: n, acknowledged: n, isBeginning: false, isKnown: false, isPaused, isSending: false };
}

/** Before whatever is still there after entry `n`. */
function beginning(n: number, log: string, isPaused: boolean): FollowerProgress {
  return { ...after(n, log, isPaused), isBeginning: true };
}

/** Before the oldest that is there, whichever that is; in a log that has none yet, before the first. */
export function oldest(log: string, last: number, isPaused: boolean): FollowerProgress {
  return last === 0 ? after(0, log, isPaused) : beginning(0, log, isPaused);
}
