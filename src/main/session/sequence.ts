import type { DeliveryPosition } from '../../shared/protocol.ts';

/** A worker that is replaced may deliver for a while beside the next. */
const WORKERS = 2;

/** Watches over the order in which each worker delivers. */
export class Sequence {
  /** How many deliveries of each were taken; the worker that delivered last comes last. */
  readonly #taken = new Map<string, number>();

  /** Whether this delivery has been taken before, or some before it were not. */
  take({ sequence, number }: DeliveryPosition): 'next' | 'repeated' | 'after-a-gap' {
    const taken = this.#taken.get(sequence) ?? 0;
    if (number <= taken) return 'repeated';
    this.#taken.delete(sequence);
    this.#taken.set(sequence, number);
    for (const [oldest] of this.#taken) if (this.#taken.size > WORKERS) this.#taken.delete(oldest);
    return number === taken + 1 ? 'next' : 'after-a-gap';
  }
}
