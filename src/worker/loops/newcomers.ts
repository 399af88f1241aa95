import type { FeedPosition } from '../../shared/protocol.ts';
import type { Clock } from '../system.ts';
import type { Memory } from './memory.ts';
import { after, beginning } from './place.ts';
import type { Place } from './place.ts';

export interface NewcomersPorts {
  readonly clock: Clock;
  readonly memory: Memory;
}

/**
 * Where a page begins that says nothing of where it was. While those of the life before may still come back, it may be
 * one of them that had not been told anything, or stand for one of a browser that was killed. Nothing is to be missed
 * then (behaviour.md): it begins after what all are known to have had.
 */
export class Newcomers {
  readonly #ports: NewcomersPorts;
  readonly #until: number;
  /** After what the life before had stored, not all of which all had; null where they had. */
  #untaken: FeedPosition | null = null;

  /** `until` is when nobody is expected back any more. */
  constructor(ports: NewcomersPorts, until: number) {
    this.#ports = ports;
    this.#until = until;
  }

  /** Once it is known what an earlier life of the worker has left. */
  async begin(): Promise<void> {
    const { memory } = this.#ports;
    const { log, last, taken = 0 } = memory.record;
    if (taken >= last) return;
    const left = await memory.entries(taken, 1);
    // Where that is not known, it may be there.
    if (left.kind !== 'absent') this.#untaken = { log, n: taken };
  }

  /** At the end, where the state comes first: whatever is in the log is in the state. */
  place(held: boolean): Place {
    const { clock, memory } = this.#ports;
    const { log, last } = memory.record;
    const untaken = clock.now() < this.#until && !held ? this.#untaken : null;
    return untaken?.log === log ? beginning(untaken.n, log, held) : after(last, log, held);
  }
}
