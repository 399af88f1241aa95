import type { Place } from '../../shared/protocol.ts';

/** Watches over the order in which one worker after the other delivers. */
export class Sequence {
  #sequence: string | null = null;
  #taken = 0;

  /** Whether this delivery has been taken before, or some before it were not. */
  take({ sequence, n }: Place): 'next' | 'repeated' | 'after-a-gap' {
    if (sequence !== this.#sequence) this.#taken = 0;
    this.#sequence = sequence;
    if (n <= this.#taken) return 'repeated';
    const isNext = n === this.#taken + 1;
    this.#taken = n;
    return isNext ? 'next' : 'after-a-gap';
  }
}
