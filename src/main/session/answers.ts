import type { Invocation } from '../../shared/invocation.ts';
import { LIMITS } from '../../shared/limits.ts';
import { isSameRevision } from '../../shared/outcome.ts';
import type { Revision } from '../../shared/outcome.ts';
import { isNode } from '../patch/node.ts';

/** The last answer to one query, as long as anybody in the page holds it: the next is shared with it. */
export class Last {
  #value: WeakRef<object> | null = null;
  #state: Revision | null = null;

  /** Undefined where there is none any more. */
  get value(): unknown {
    return this.#value?.deref();
  }

  /** The same where it is in this state, which then need not be made of what was sent. */
  in(state: Revision | null): unknown {
    return state && this.#state && isSameRevision(state, this.#state) ? this.value : undefined;
  }

  /** `state` is what the worker calls it; null where it has no name for it. */
  keep(value: unknown, state: Revision | null): void {
    this.#value = isNode(value) ? new WeakRef(value) : null;
    this.#state = state;
  }
}

/** The last answers that a page was told, by what was asked for: calls and loops that ask for the same share theirs. */
export class Answers {
  /** In the order of their last use. */
  readonly #lasts = new Map<string, Last>();

  of({ method, baseUrl, template, params, body }: Invocation): Last {
    // What is equal is shared whatever it answers to, so headers and long bodies need not tell queries apart.
    const text = 'text' in body ? body.text.slice(0, LIMITS.checkedLength) : '';
    const key = JSON.stringify([method, baseUrl, template, params, text]);
    const last = this.#lasts.get(key) ?? new Last();
    this.#lasts.delete(key);
    this.#lasts.set(key, last);
    const [oldest] = this.#lasts.keys();
    if (this.#lasts.size > LIMITS.results && oldest !== undefined) this.#lasts.delete(oldest);
    return last;
  }
}
