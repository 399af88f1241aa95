import { LIMITS } from '../../shared/limits.ts';
import { RecentlyUsed } from '../../shared/recently-used.ts';
import { RestError } from '../error.ts';
import { isNode } from '../patch/node.ts';
import type { Notice, Call } from './notice.ts';
import { unanswered } from '../../shared/outcome.ts';
import type { LoopCall } from './loop-order.ts';
import { settledNotice } from './notice.ts';

/**
 * The results of invocations, for `result(id)`: those under way, and the last thousand that are settled. Of a loop only
 * the newest tick is known. Answers are held up to `LIMITS.resultBytes` in all; an older one stays known for as long as
 * somebody else holds it.
 */
export class Ledger {
  readonly #open = new Map<number, Waiting[]>();
  /** What is known without being held; the function returns undefined where that has been collected. */
  readonly #settled = new RecentlyUsed<number, () => Settled | undefined>(
    LIMITS.results,
    () => 1,
    (id) => this.#held.delete(id),
  );
  /** An answer above the limit is not held at all, so that it displaces no others. */
  readonly #held = new RecentlyUsed<number, Settled>(LIMITS.resultBytes, ({ size }) => size);
  readonly #lastTicks = new Map<number, number>();

  open(id: number): void {
    this.#open.set(id, []);
  }

  isOpen(id: number): boolean {
    return this.#open.has(id);
  }

  /** Records the end of an invocation; `size` is the approximate number of bytes of its answer. */
  settle({ id, response, error }: Notice, size: number): void {
    const waiting = this.#open.get(id) ?? [];
    this.#open.delete(id);
    const settled = { value: error ?? response, isError: error !== null, size };
    this.#settled.set(id, loosely(settled));
    this.#held.set(id, settled);
    for (const waiter of waiting) give(settled, waiter);
  }

  /** Records the end of a loop's tick, which replaces the loop's last. */
  settleTick(loop: number, notice: Notice, size: number): void {
    const last = this.#lastTicks.get(loop);
    if (last !== undefined) {
      this.#settled.delete(last);
      this.#held.delete(last);
    }
    this.#lastTicks.set(loop, notice.id);
    this.settle(notice, size);
  }

  /** Records the end of a loop; its last tick stays known among the others. */
  closeLoop(loop: number): void {
    this.#lastTicks.delete(loop);
  }

  /** Another user has come: the answers to the one before are not known any more. */
  empty(): void {
    this.#settled.clear();
    this.#held.clear();
    this.#lastTicks.clear();
  }

  /** The response of an invocation; rejects with a RestError, of code `unknown-invocation` for an unknown id. */
  result(id: number): Promise<unknown> {
    const waiting = this.#open.get(id);
    const settled = this.#held.peek(id) ?? this.#settled.peek(id)?.();
    return new Promise((resolve, reject) => {
      if (waiting) waiting.push({ resolve, reject });
      else if (settled) give(settled, { resolve, reject });
      else reject(unknown(id));
    });
  }
}

interface Waiting {
  readonly resolve: (response: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface Settled {
  readonly value: unknown;
  readonly isError: boolean;
  /** In bytes. */
  readonly size: number;
}

/** The result for as long as somebody else holds it. Small values stay; texts are forgotten. */
function loosely(settled: Settled): () => Settled | undefined {
  const { value, ...rest } = settled;
  if (isNode(value)) return weakly(value, rest);
  const kept = typeof value === 'string' ? undefined : settled;
  return () => kept;
}

/** A function of its own: a closure holds all that its scope has. */
function weakly(value: object, rest: Omit<Settled, 'value'>): () => Settled | undefined {
  const held = new WeakRef(value);
  return () => {
    const node = held.deref();
    return node && { value: node, ...rest };
  };
}

function give({ value, isError }: Settled, { resolve, reject }: Waiting): void {
  if (isError) reject(value);
  else resolve(value);
}

function unknown(id: number): RestError {
  const message = `Invocation ${id} is not known: made elsewhere, or before the last ${LIMITS.results} or 8 MiB of answers`;
  return new RestError({ code: 'unknown-invocation', message });
}

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

  /** Tells those who wait for this tick that the loop was stopped. */
  drop(call: Call): void {
    const stopped = { code: 'aborted', message: `'${call.action}' was stopped` } as const;
    this.#ledger.settle(settledNotice(call, unanswered(stopped)), 0);
  }
}
