import type { Policy } from '../../shared/invocation.ts';
import type { Plan } from '../cache/cache.ts';
import type { ReadAnswered } from '../contracts/read-body.ts';
import type { Read } from './asking-order.ts';

export interface PreliminaryPorts {
  /** The call's own read. */
  readonly read: Read;
  /** Begins a read of the same URL. */
  readonly begin: () => Read;
  readonly tell: (answer: ReadAnswered) => void;
}

/** The stored answer that a call is told while its server is asked: at most one, and none after the server's answer. */
export class Preliminary {
  readonly #ports: PreliminaryPorts;
  #isBegun = false;
  #isOver = false;

  constructor(ports: PreliminaryPorts) {
    this.#ports = ports;
  }

  /**
   * Tells what is made unless it comes too late, after a newer answer or a write to its URL. Only the first making
   * counts: a call that asks again has been told. Call it before the request goes out.
   */
  async tell(make: () => Promise<ReadAnswered | null>): Promise<void> {
    const { read, begin, tell } = this.#ports;
    if (this.#isBegun || read.isOvertaken) return;
    this.#isBegun = true;
    // It never asks, so anything that is taken from now on overtakes it.
    const making = begin();
    const answer = await make().catch(() => null);
    if (answer && !this.#isOver && !making.isOvertaken) tell(answer);
    making.end();
  }

  /** The call has its answer. */
  end(): void {
    this.#isOver = true;
  }
}

/** How the stored answer stands that is told first; null if none is. A storage that was late may have a fresh one. */
export function firstBy(plan: Plan, { storedFirst = false }: Policy): 'fresh' | 'stale' | null {
  if (plan.kind === 'ask') return plan.first;
  if (plan.kind === 'refuse' || !storedFirst) return null;
  return plan.stale ? 'stale' : 'fresh';
}
