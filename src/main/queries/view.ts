import { isSameRevision } from '../../shared/outcome.ts';
import type { Revision } from '../../shared/outcome.ts';
import { isNode } from '../patch/node.ts';
import { share } from '../patch/heirs.ts';
import type { Notice } from '../resource/notice.ts';
import { isPointer, pointed } from '../../shared/part.ts';
import { frozen } from '../development.ts';
import type { RestError } from '../error.ts';

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

/** Calls what belongs to the app. An error that it throws is reported as uncaught, as with events. */
export function told(call: () => void): void {
  try {
    call();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** A JSON Pointer (RFC 6901) to a part of an answer, or a pure function of the answer. */
export type Select<Response = never> = string | ((response: Response) => unknown);

/**
 * The selected part of an answer, null where that is nothing. What a function makes shares its equal parts with what it
 * made before. Its type is the caller's to know: the compiler sees only that `select` belongs to the answer.
 */
export function selected<Data>(select: Select | undefined, response: unknown, before: Data | null): Data;
export function selected(select: Select | undefined, response: unknown, before: unknown): unknown {
  if (select === undefined) return response;
  if (typeof select === 'string') return pointed(response, select) ?? null;
  const made: unknown = Reflect.apply(select, undefined, [response]);
  return share(before, made ?? null, new Map());
}

/** @throws TypeError where it is neither a pointer nor a function. */
export function assertSelect(select: unknown): void {
  if (select === undefined || typeof select === 'function') return;
  if (typeof select === 'string' && isPointer(select)) return;
  const got = typeof select === 'string' ? `'${select}'` : typeof select;
  throw new TypeError(`'select' must be a JSON pointer like '/items' or a function, got ${got}`);
}

/** The type that a JSON Pointer leads to, as far as the compiler sees. */
export type SelectedOf<Value, Pointer extends string> = Pointer extends ''
  ? Value
  : Pointer extends `/${infer Way}`
    ? AlongOf<Value, Way>
    : unknown;

type AlongOf<Value, Way extends string> = Way extends `${infer Name}/${infer Rest}`
  ? AlongOf<MemberOf<Value, Name>, Rest>
  : MemberOf<Value, Way>;

type MemberOf<Value, Name extends string> =
  NonNullable<Value> extends readonly (infer Row)[]
    ? Row
    : Name extends keyof NonNullable<Value>
      ? NonNullable<Value>[Name]
      : unknown;

/** The state of a query at one moment. It never changes: a change makes another snapshot. */
export interface Snapshot<Data = unknown> {
  /** The newest answer, or the value that `select` returned for it; null before the first. */
  readonly data: Data | null;
  /** Why the last request failed; null where it did not. The data of before stay. */
  readonly error: RestError | null;
  /** `pending` before there are data, then `success`; `error` only where a request failed and there are no data. */
  readonly status: 'pending' | 'success' | 'error';
  /** True while a request is under way; of a loop, until its first answer. */
  readonly fetching: boolean;
  /** True where the network failed, or the server has not been asked yet, and this is what was stored. */
  readonly stale: boolean;
  /** When the server gave the answer, in milliseconds of the epoch; null before the first. */
  readonly answeredAt: number | null;
  readonly servedFrom: 'network' | 'cache' | null;
  /** True where the data are those of another query (`keepPrevious`), until its own come. */
  readonly placeholder: boolean;
}

export const NOTHING: Snapshot<never> = frozen({
  data: null,
  error: null,
  status: 'pending',
  fetching: false,
  stale: false,
  answeredAt: null,
  servedFrom: null,
  placeholder: false,
});

/** The snapshot `now`, or the very object of `before` where all members are the same. */
export function nextSnapshot<Shown extends Snapshot>(before: Shown, now: Shown): Shown {
  return isEqual(before, now) ? before : frozen(now);
}

/** All members of both are the same. */
function isEqual(before: object, now: object): boolean {
  return Object.entries(now).every(([name, value]) => Object.is(Reflect.get(before, name), value));
}
