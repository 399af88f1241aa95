import type { Outcome } from '../../shared/outcome.ts';
import type { FeedEntry } from '../contracts/loop-store.ts';
import type { Lookup } from '../contracts/lookup.ts';
import type { Clock } from '../platform/system.ts';
import type { DurableState } from '../scheduling/durable-state.ts';
import type { FollowerProgress } from './start-position.ts';

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
