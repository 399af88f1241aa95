import type { Outcome } from '../../shared/outcome.ts';
import type { FeedEntry } from '../contracts/loop-store.ts';
import type { Lookup } from '../contracts/response-store.ts';
import type { Clock } from '../platform/system.ts';
import type { DurableState } from '../scheduling/durable-state.ts';
import type { LogOffset } from '../../shared/delivery.ts';

/** Milliseconds in which a new answer reaches the pages that wait for it. */
const TICK = 1_000;

/** An answer as it is told. Only the store needs its size. */
export type Entry = Pick<FeedEntry, 'offset' | 'outcome'>;

export interface LogReaderPorts {
  readonly clock: Clock;
  readonly state: Pick<DurableState, 'record' | 'entries'>;
}

/** Reads the log of a feed. The newest answer stays in memory until it has been sent to all pages. */
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

  /** Forgets the newest answer, which may be large, once it has been sent to all these pages. */
  forgetSent(all: Iterable<FollowerProgress>): void {
    const offset = this.#newest?.offset ?? 0;
    if ([...all].every(({ sent }) => sent >= offset)) this.#newest = null;
  }

  /** The answers that a page is sent next, at most `limit`. */
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

  /** The offset after which a page goes on: at a beginning, that of the last entry that is gone; null if unreadable. */
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

/** An entry of the log as an outcome by `now`: stored some time ago, and still true. */
function replayed({ outcome, receivedAt }: Replayed, now: number): Outcome {
  if (outcome.kind === 'failed') return outcome;
  const age = receivedAt === undefined ? outcome.age : Math.max(0, (now - receivedAt) / 1_000);
  return { ...outcome, servedFrom: 'cache', stale: false, age };
}

/** The newest answer, from memory. For pages that have waited for it, it comes from the network. */
function brought(newest: Required<Replayed>, now: number): Outcome {
  return now - newest.receivedAt < TICK ? newest.outcome : replayed(newest, now);
}

interface StartPositionsPorts {
  readonly clock: Clock;
  readonly state: DurableState;
}

/**
 * Where a page begins that declares no position. While pages of the earlier worker instance may still come back, it may
 * be one that had not been told anything, or the successor of one whose browser was killed. So that it misses nothing
 * (behaviour.md), it begins after the last entry that all pages are known to have had.
 */
export class StartPositions {
  readonly #ports: StartPositionsPorts;
  readonly #until: number;
  /** Entries after this position are left that not all pages of the earlier instance had; null where all had them. */
  #unacknowledged: LogOffset | null = null;

  /** From `until` on no page is expected back. */
  constructor(ports: StartPositionsPorts, until: number) {
    this.#ports = ports;
    this.#until = until;
  }

  /** Finds what an earlier worker instance has left. The record is known by then. */
  async begin(): Promise<void> {
    const { state } = this.#ports;
    const { log, last, acknowledged = 0 } = state.record;
    if (acknowledged >= last) return;
    const left = await state.entries(acknowledged, 1);
    // Entries that could not be read may be there.
    if (left.kind !== 'absent') this.#unacknowledged = { log, offset: acknowledged };
  }

  /** A page that is told the state first begins at the end: the state holds all that is in the log. */
  next(isPaused: boolean): FollowerProgress {
    const { clock, state } = this.#ports;
    const { log, last } = state.record;
    const left = clock.now() < this.#until && !isPaused ? this.#unacknowledged : null;
    return left?.log === log ? beginning(left.offset, log, isPaused) : after(last, log, isPaused);
  }
}

export interface FollowerProgress {
  /** The log that the offsets belong to. */
  log: string;
  /** The offset of the last entry that is on its way. */
  sent: number;
  /** The offset of the last entry that the page has. */
  acknowledged: number;
  /** True where the page begins here: if the next entries are gone, it has lost nothing. */
  isBeginning: boolean;
  /** True where the page knows its position, so that it can declare it to another worker instance. */
  isKnown: boolean;
  isPaused: boolean;
  isSending: boolean;
}

export function after(n: number, log: string, isPaused: boolean): FollowerProgress {
  return { log, sent: n, acknowledged: n, isBeginning: false, isKnown: false, isPaused, isSending: false };
}

/** Before the first entry that is left after entry `n`. */
function beginning(n: number, log: string, isPaused: boolean): FollowerProgress {
  return { ...after(n, log, isPaused), isBeginning: true };
}

/** Before the oldest entry that is left; in an empty log, before the first. */
export function oldest(log: string, last: number, isPaused: boolean): FollowerProgress {
  return last === 0 ? after(0, log, isPaused) : beginning(0, log, isPaused);
}

/** Milliseconds between two removals, so that a quick feed does not remove after every answer. */
const PAUSE = 1_000;

/** The longest pause in milliseconds. The pause doubles after each removal that fails. */
const LONGEST_PAUSE = 60_000;

export interface PruningPorts {
  readonly clock: Clock;
  readonly state: Pick<DurableState, 'prune'> & {
    readonly record: Pick<DurableState['record'], 'log' | 'last'>;
  };
}

/**
 * Removes from a feed's log what all its pages have acknowledged, some time later. While other pages may still come
 * back, it only notes what can go after that time. Should this worker instance end before, the next does not begin that
 * time anew, so a worker that ends every few seconds keeps no more than came within two such times.
 */
export class Pruning {
  readonly #ports: PruningPorts;
  readonly #notBefore: number;
  readonly #acknowledgedByAll: () => number;
  /** Entries up to here are removed already. */
  #pruned: LogOffset | null = null;
  /** Entries up to here are noted for removal. */
  #noted: LogOffset | null = null;
  #end: AbortController | null = null;

  /** `takenByAll` gives the offset of the last entry that can go. Nothing goes before `notBefore`. */
  constructor(ports: PruningPorts, notBefore: number, takenByAll: () => number) {
    this.#ports = ports;
    this.#notBefore = notBefore;
    this.#acknowledgedByAll = takenByAll;
  }

  /** More is acknowledged, or a page has come that has acknowledged less. */
  start(): void {
    void this.#note();
    if (!this.#end) void this.#run();
  }

  /** No page follows, so there is nothing to wait for. */
  rest(): void {
    this.#end?.abort();
    this.#end = null;
  }

  async #run(): Promise<void> {
    const { clock, state } = this.#ports;
    const end = new AbortController();
    this.#end = end;
    let pause = PAUSE;
    while (!end.signal.aborted && this.#isDue) {
      await clock.sleep(Math.max(pause, this.#notBefore - clock.now()), end.signal);
      const { log } = state.record;
      const offset = this.#acknowledgedByAll();
      if (end.signal.aborted || !this.#isDue) break;
      const isPruned = await state.prune(offset, 0);
      if (isPruned) this.#pruned = { log, offset };
      pause = isPruned ? PAUSE : Math.min(pause * 2, LONGEST_PAUSE);
    }
    if (this.#end === end) this.#end = null;
  }

  /** Notes once, and again when less can go than was noted: a page has come back that wants those entries. */
  async #note(): Promise<void> {
    const { clock, state } = this.#ports;
    const { log, last } = state.record;
    const patience = this.#notBefore - clock.now();
    const noted = { log, offset: this.#acknowledgedByAll() };
    if (patience <= 0 || last === 0 || (this.#noted?.log === log && this.#noted.offset <= noted.offset))
      return;
    this.#noted = noted;
    const isStored = await state.prune(noted.offset, patience);
    if (!isStored && this.#noted === noted) this.#noted = null;
  }

  get #isDue(): boolean {
    const { log } = this.#ports.state.record;
    return this.#acknowledgedByAll() > (this.#pruned?.log === log ? this.#pruned.offset : 0);
  }
}
