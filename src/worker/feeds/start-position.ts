import type { LogOffset } from '../../shared/delivery.ts';
import type { Clock } from '../platform/system.ts';
import type { DurableState } from '../scheduling/durable-state.ts';

export interface StartPositionsPorts {
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
