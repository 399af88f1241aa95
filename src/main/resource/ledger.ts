import { LIMITS } from '../../shared/limits.ts';
import { RestError } from '../error.ts';
import type { Notice } from './notice.ts';

/**
 * What became of each invocation, for `result(id)`: those under way, and the last thousand that are settled. Of a
 * loop only the newest tick is kept, so that a poll of a large answer does not hold a thousand of them.
 */
export class Ledger {
  readonly #open = new Map<number, Waiting[]>();
  /** The oldest first. */
  readonly #settled = new Map<number, Settled>();
  readonly #lastTicks = new Map<number, number>();

  /** An invocation begins. */
  open(id: number): void {
    this.#open.set(id, []);
  }

  isOpen(id: number): boolean {
    return this.#open.has(id);
  }

  /** An invocation ends. */
  settle({ id, response, error }: Notice): void {
    const waiting = this.#open.get(id) ?? [];
    this.#open.delete(id);
    this.#settled.set(id, { response, error });
    this.#forgetOldest();
    for (const waiter of waiting) give({ response, error }, waiter);
  }

  /** A tick of a loop ends; it takes the place of the loop's last. */
  settleTick(loop: number, notice: Notice): void {
    const last = this.#lastTicks.get(loop);
    if (last !== undefined) this.#settled.delete(last);
    this.#lastTicks.set(loop, notice.id);
    this.settle(notice);
  }

  /** A loop ends; its last tick stays known among the others. */
  closeLoop(loop: number): void {
    this.#lastTicks.delete(loop);
  }

  /** The response of an invocation; rejects with a RestError, `unknown-invocation` where it is not known. */
  result(id: number): Promise<unknown> {
    const waiting = this.#open.get(id);
    const settled = this.#settled.get(id);
    return new Promise((resolve, reject) => {
      if (waiting) waiting.push({ resolve, reject });
      else if (settled) give(settled, { resolve, reject });
      else reject(unknown(id));
    });
  }

  #forgetOldest(): void {
    const [oldest] = this.#settled.keys();
    if (this.#settled.size > LIMITS.results && oldest !== undefined) this.#settled.delete(oldest);
  }
}

interface Waiting {
  readonly resolve: (response: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Settled = Pick<Notice, 'response' | 'error'>;

function give({ response, error }: Settled, { resolve, reject }: Waiting): void {
  if (error) reject(error);
  else resolve(response);
}

function unknown(id: number): RestError {
  const message = `Invocation ${id} is not known: it was never made here, or is older than the last ${LIMITS.results}`;
  return new RestError({ code: 'unknown-invocation', message });
}
