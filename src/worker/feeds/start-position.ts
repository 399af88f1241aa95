import type { LogOffset } from '../../shared/protocol.ts';
import type { Clock } from '../platform/system.ts';
import type { DurableState } from '../scheduling/durable-state.ts';
import { after, beginning } from './log-offset.ts';
import type { FollowerProgress } from './log-offset.ts';

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
  next(held: boolean): FollowerProgress {
    const { clock, state } = this.#ports;
    const { log, last } = state.record;
    const untaken = clock.now() < this.#until && !held ? this.#unacknowledged : null;
    return untaken?.log === log ? beginning(untaken.offset, log, held) : after(last, log, held);
  }
}
