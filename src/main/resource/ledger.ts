import { LIMITS } from '../../shared/limits.ts';
import { RestError } from '../error.ts';
import { isNode } from '../patch/node.ts';
import type { Notice } from './notice.ts';
import { isSameRevision } from '../../shared/outcome.ts';
import type { Revision } from '../../shared/outcome.ts';
import { share } from '../patch/share.ts';

/** Characters of a text that is kept to be compared with the next. */
const SHORT = 1_024;

/**
 * What became of each invocation, for `result(id)`: those under way, and the last thousand that are settled. Of a loop only
 * the newest tick is known. Of the answers as many are held as have `LIMITS.resultBytes`, the others for as long as somebody
 * else holds them.
 */
export class Ledger {
  readonly #open = new Map<number, Waiting[]>();
  /** The oldest first; each gives what became of it, undefined where that is gone. */
  readonly #settled = new Map<number, () => Settled | undefined>();
  /** The sizes of those that are held here. */
  readonly #held = new Map<number, number>();
  #size = 0;
  readonly #lastTicks = new Map<number, number>();

  /** An invocation begins. */
  open(id: number): void {
    this.#open.set(id, []);
  }

  isOpen(id: number): boolean {
    return this.#open.has(id);
  }

  /** An invocation ends; `size` is how many bytes its answer had, about. */
  settle({ id, response, error }: Notice, size: number): void {
    const waiting = this.#open.get(id) ?? [];
    this.#open.delete(id);
    const settled = { value: error ?? response, isError: error !== null };
    this.#settled.set(id, () => settled);
    // One that is too large alone costs the others nothing.
    if (size > LIMITS.resultBytes) this.#letGo(id, settled);
    else this.#hold(id, size);
    this.#forgetOldest();
    for (const waiter of waiting) give(settled, waiter);
  }

  /** A tick of a loop ends; it takes the place of the loop's last. */
  settleTick(loop: number, notice: Notice, size: number): void {
    const last = this.#lastTicks.get(loop);
    if (last !== undefined) this.#forget(last);
    this.#lastTicks.set(loop, notice.id);
    this.settle(notice, size);
  }

  /** A loop ends; its last tick stays known among the others. */
  closeLoop(loop: number): void {
    this.#lastTicks.delete(loop);
  }

  /** The response of an invocation; rejects with a RestError, `unknown-invocation` where it is not known. */
  result(id: number): Promise<unknown> {
    const waiting = this.#open.get(id);
    const settled = this.#settled.get(id)?.();
    return new Promise((resolve, reject) => {
      if (waiting) waiting.push({ resolve, reject });
      else if (settled) give(settled, { resolve, reject });
      else reject(unknown(id));
    });
  }

  #forgetOldest(): void {
    const [oldest] = this.#settled.keys();
    if (this.#settled.size > LIMITS.results && oldest !== undefined) this.#forget(oldest);
    for (const id of this.#held.keys()) {
      if (this.#size <= LIMITS.resultBytes) return;
      const settled = this.#settled.get(id)?.();
      if (settled) this.#letGo(id, settled);
    }
  }

  #hold(id: number, size: number): void {
    this.#held.set(id, size);
    this.#size += size;
  }

  /** From now on it is known for as long as somebody else holds it; what takes no room is. */
  #letGo(id: number, { value, isError }: Settled): void {
    this.#release(id);
    if (!isNode(value)) {
      if (typeof value === 'string') this.#settled.delete(id);
      return;
    }
    const held = new WeakRef(value);
    this.#settled.set(id, () => {
      const node = held.deref();
      return node && { value: node, isError };
    });
  }

  #forget(id: number): void {
    this.#release(id);
    this.#settled.delete(id);
  }

  #release(id: number): void {
    this.#size -= this.#held.get(id) ?? 0;
    this.#held.delete(id);
  }
}

interface Waiting {
  readonly resolve: (response: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface Settled {
  /** The response, or the RestError. */
  readonly value: unknown;
  readonly isError: boolean;
}

function give({ value, isError }: Settled, { resolve, reject }: Waiting): void {
  if (isError) reject(value);
  else resolve(value);
}

function unknown(id: number): RestError {
  const message = `Invocation ${id} is not known: made elsewhere, or before the last ${LIMITS.results} or 8 MiB of answers`;
  return new RestError({ code: 'unknown-invocation', message });
}

/**
 * What a resource was told last of each URL. The worker compares an answer with what is stored, and that may have been
 * stored for another page: what is old news there is new to a page that has not heard of it. And what is not stored it
 * compares with nothing, so that here alone is seen that nothing has changed.
 */
export class Seen {
  readonly #told = new Map<string, Told>();

  /**
   * The notice, with `changed` as it is for this page: false where the response is the very one of before. Where a schema
   * has made another value of what was `received`, that is shared with what it made of the one before.
   */
  judge(notice: Notice, received: unknown): Notice {
    const { type, action, request, revision } = notice;
    if (type !== 'success' || (notice.isEmpty && notice.response === null)) return notice;
    const key = `${action} ${request.url}`;
    const last = this.#told.get(key);
    const before = last?.value();
    // What was received is shared by now: to look through all of it once more would cost as much as it is long.
    const response = notice.response === received ? received : share(before, notice.response, new Map());
    this.#remember(key, { revision, value: holding(response) });
    const isSame = last?.revision && revision && isSameRevision(last.revision, revision);
    const isOther = !!last && !isSame;
    const changed = before !== undefined && Object.is(before, response) ? false : notice.changed || isOther;
    const isAsTold = changed === notice.changed && response === notice.response;
    return isAsTold ? notice : { ...notice, changed, response };
  }

  #remember(key: string, told: Told): void {
    this.#told.delete(key);
    this.#told.set(key, told);
    const [oldest] = this.#told.keys();
    if (this.#told.size > LIMITS.results && oldest !== undefined) this.#told.delete(oldest);
  }
}

interface Told {
  readonly revision: Revision | null;
  /** The response, undefined where it is gone. */
  readonly value: () => unknown;
}

/** Holds a value as long as somebody else does, or where it is short. */
function holding(value: unknown): () => unknown {
  if (isNode(value)) {
    const held = new WeakRef(value);
    return () => held.deref();
  }
  const kept = typeof value === 'string' && value.length > SHORT ? undefined : value;
  return () => kept;
}
