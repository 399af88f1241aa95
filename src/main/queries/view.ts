import { isSameRevision } from '../../shared/outcome.ts';
import type { Revision } from '../../shared/outcome.ts';
import { isNode } from '../patch/node.ts';
import { share } from '../patch/share.ts';
import type { Notice } from '../resource/notice.ts';

/** The longest text, in characters, that is kept for comparison with the next. */
const SHORT = 1_024;

/**
 * What one action has told last of a query. The worker compares an answer with the stored one, which it may have stored
 * for another page, so `changed` can be false there and true here. The worker does not compare answers that are not
 * stored: only here can such an answer turn out to be unchanged.
 */
export class ActionView {
  #revision: Revision | null = null;
  /** The response; undefined where it has been collected. */
  #value: (() => unknown) | null = null;

  /** The revision of the answer told last; null where it is not stored. */
  get revision(): Revision | null {
    return this.#revision;
  }

  /** The response told last; undefined where there is none, or where it has been collected. */
  get response(): unknown {
    return this.#value?.();
  }

  /**
   * The notice, with `changed` as it is for this action: false where the response is the same object as before. Where a
   * schema has made a new value of `received`, that value shares equal parts with the schema's last one.
   */
  judge(notice: Notice, received: unknown): Notice {
    const { type, revision } = notice;
    if (type !== 'success' || (notice.isEmpty && notice.response === null)) return notice;
    const isFirst = this.#value === null;
    const before = this.response;
    // `received` shares its parts with the last answer already: comparing again would cost time for nothing.
    const response = notice.response === received ? received : share(before, notice.response, new Map());
    const isSame = this.#revision && revision && isSameRevision(this.#revision, revision);
    this.#revision = revision;
    this.#value = holding(response);
    const isOther = !isFirst && !isSame;
    const changed = before !== undefined && Object.is(before, response) ? false : notice.changed || isOther;
    const isAsTold = changed === notice.changed && response === notice.response;
    return isAsTold ? notice : { ...notice, changed, response };
  }
}

/** Holds an object weakly and a short value strongly. */
function holding(value: unknown): () => unknown {
  if (isNode(value)) {
    const held = new WeakRef(value);
    return () => held.deref();
  }
  const kept = typeof value === 'string' && value.length > SHORT ? undefined : value;
  return () => kept;
}
