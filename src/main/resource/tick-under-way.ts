import { unanswered } from '../../shared/outcome.ts';
import type { Ledger } from './ledger.ts';
import type { LoopCall } from './loop-order.ts';
import { settledNotice } from './notice.ts';
import type { Call } from './notice.ts';

/** The tick of a loop that is under way: it gets its id when the first notice of it comes. */
export class TickUnderWay {
  readonly #ledger: Ledger;
  readonly #nextId: () => number;
  #call: Call | null = null;

  constructor(ledger: Ledger, nextId: () => number) {
    this.#ledger = ledger;
    this.#nextId = nextId;
  }

  /** The tick under way, or the one that begins now. */
  current(call: LoopCall): Call {
    return (this.#call ??= this.another(call));
  }

  /** A tick beside the one under way. */
  another(call: LoopCall): Call {
    const id = this.#nextId();
    this.#ledger.open(id);
    return { ...call, id };
  }

  /** It is answered. */
  end(call: Call): void {
    if (this.#call === call) this.#call = null;
  }

  /** Takes the tick under way; null where nothing was heard of one. */
  take(): Call | null {
    const call = this.#call;
    this.#call = null;
    return call;
  }

  /** Ends the tick under way: a caller that asked for its result must not wait for ever. */
  abandon(): void {
    const call = this.take();
    if (call) this.drop(call);
  }

  /** Whoever waits for this tick is told that the loop was stopped. */
  drop(call: Call): void {
    const stopped = { code: 'aborted', message: `'${call.action}' was stopped` } as const;
    this.#ledger.settle(settledNotice(call, unanswered(stopped)), 0);
  }
}
