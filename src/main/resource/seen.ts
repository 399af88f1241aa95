import { LIMITS } from '../../shared/limits.ts';
import { isSameRevision } from '../../shared/outcome.ts';
import type { Revision } from '../../shared/outcome.ts';
import { isNode } from '../patch/node.ts';
import { share } from '../patch/share.ts';
import type { Notice } from './notice.ts';

/** Characters of a text that is kept to be compared with the next. */
const SHORT = 1_024;

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
