import { isSameRevision } from '../../shared/outcome.ts';
import type { Revision } from '../../shared/outcome.ts';
import { isNode } from '../patch/node.ts';

/** The last answer to one query as it came, before any schema: the next one shares its equal parts. Held weakly. */
export class Received {
  #value: WeakRef<object> | null = null;
  #state: Revision | null = null;

  /** Undefined where it has been collected. */
  get value(): unknown {
    return this.#value?.deref();
  }

  /** The last value where it is in this state: then the sent body need not be parsed. */
  in(state: Revision | null): unknown {
    return state && this.#state && isSameRevision(state, this.#state) ? this.value : undefined;
  }

  /** `state` is the worker's name for the value; null where it has none. */
  keep(value: unknown, state: Revision | null): void {
    this.#value = isNode(value) ? new WeakRef(value) : null;
    this.#state = state;
  }
}
