import type { Actions, UntypedActions, InvocationId, Mapping, PollCall } from './declared-actions.ts';
import type { Description, DeclareOptions } from './action.ts';
import type { RequiredCheck, Checks } from './check.ts';
import type { ResourceOptions } from './connected-core.ts';
import type { StandardSchemaV1 } from '../../shared/standard-schema.ts';
import type { RequestData } from './body.ts';
import { REQUIRED } from './check.ts';
import { connectedCore } from './connected-core.ts';
import type { ResourceCore } from './core.ts';
import type { Loop, LongPollOptions, PollOptions, StartsLoops } from './loop.ts';
import { mapAction, mapAll, pollCallOf } from './declared-actions.ts';
import type { Notice } from './notice.ts';
import type { PrefetchOptions, QueryOptions } from '../queries/options.ts';
import type { Query } from '../queries/query.ts';
import type { InputParams } from './params.ts';
import type { InvokeOptions, ConfigureRequest } from './prepare.ts';
import { believe, TEXT } from '../../shared/standard-schema.ts';

/** Gets a plain object: `{ id, action, response, request, ... }`. */
export type PlainHandler = Handler<Notice>;

/**
 * A REST resource whose handlers get plain objects instead of events. Its loops are stopped and restarted by the name
 * of their action. Handlers of `<action>Success` run before those of `success`, and so on.
 */
export class PlainRestResource implements StartsLoops {
  /** The check that only requires its parameter. */
  static readonly REQUIRED: RequiredCheck = REQUIRED;
  /** The type of an action's answer: `response: Resource.type<Photo>()`. */
  static readonly type: typeof believe = believe;
  /** The type of an answer that is text, for example HTML: `response: Resource.text`. */
  static readonly text: typeof TEXT = TEXT;

  readonly #core: ResourceCore;
  readonly #handlers = new Handlers<Notice>(() => this.#core.updateInterest());

  constructor(description: Description = {}, options: ResourceOptions = {}) {
    this.#core = connectedCore(options, {
      has: (name) => this.#handlers.has(name),
      tell: (name, notice) => this.#handlers.tell(name, notice),
    });
    mapAll(this, description);
  }

  /** Declares an action, which becomes a method; it replaces one of the same name. Throws like `Resource.map`. */
  map(action: string, method: string, url: string, check?: Checks, options?: DeclareOptions): void;
  map(...mapping: Mapping): void {
    mapAction(this, this.#core.actions, ...mapping);
  }

  /** Sends one request; returns the invocation's id. Throws like `Resource.invoke`. */
  invoke(
    action: string,
    params?: InputParams | null,
    data?: RequestData,
    options: InvokeOptions = {},
  ): number {
    return this.#core.invoke(action, params, data, options);
  }

  /**
   * The response of an invocation; rejects with a RestError. Results are known while a call is under way and for the
   * last 1,000 settled ones, of whose answers 8 MiB are held for this purpose alone.
   */
  result<Response = unknown>(id: InvocationId<Response>): Promise<Response>;
  result(id: number): Promise<unknown> {
    return this.#core.result(id);
  }

  /** Sends an action's last invocation again, else what its loop sends; returns the new id, null for neither. */
  refresh(action: string): number | null {
    return this.#core.refresh(action);
  }

  /** Sends a request every `interval` milliseconds; in the classic order after one interval unless `immediately`. */
  poll(action: string, interval: number, params?: InputParams | null, immediately?: boolean): Loop;
  poll(action: string, params?: InputParams | null, options?: PollOptions): Loop;
  poll(...call: PollCall): Loop {
    return this.#core.poll(...pollCallOf(call));
  }

  /** Sends a request, and the next as soon as it is answered; the server holds each request until it has news. */
  longPoll(action: string, params?: InputParams | null, options: LongPollOptions = {}): Loop {
    return this.#core.longPoll(action, params, options);
  }

  /**
   * What an action asks with these parameters, as an object that shows the newest answer (`snapshot`) and loads while
   * somebody subscribes to it. The same object for the same action, equal parameters and equal options.
   * @throws like `invoke`; TypeError or RangeError where an option is wrong.
   */
  query(action: string, params?: InputParams | null, options: QueryOptions = {}): Query {
    return this.#core.query(action, params, options);
  }

  /**
   * Asks ahead, so that a query of these parameters has its answer: where the page has one that is within `staleTime`, it
   * asks for nothing. Resolves with the answer; a rejection that nobody waits for is not reported.
   */
  prefetch(action: string, params?: InputParams | null, options: PrefetchOptions = {}): Promise<unknown> {
    return this.#core.prefetch(action, params, options);
  }

  /** Ends the polls and long-polls of an action. */
  stopPollByAction(action: string): void {
    this.#core.stopLoops(action);
  }

  /** Makes the polls and long-polls of an action ask at once and go on from there, including stopped ones. */
  restartPollByAction(action: string): void {
    this.#core.restartLoops(action);
  }

  /** Ends the requests of an action (its loops go on) or one invocation, with an `error` of code `aborted` each. */
  abort(target: string | number): void {
    this.#core.abort(target);
  }

  /** Adds a callback that sees every request before it is sent; the returned function removes it. */
  configureRequest(callback: ConfigureRequest, action?: string): () => void {
    return this.#core.actions.configureRequest(callback, action ?? null);
  }

  /** Sets the text put before every template from the next call on. */
  setBaseUrl(url: string): void {
    this.#core.actions.setBaseUrl(url);
  }

  /** Ends all calls and loops. After that, every call throws. */
  dispose(): void {
    this.#core.dispose();
  }

  /** Adds a handler, for instance of `getSuccess` or `success`; the returned function removes it. */
  on(type: string, handler: PlainHandler, context?: unknown): () => void {
    return this.#add(type, handler, context, false);
  }

  /** Like `on`, but only for the next time. */
  once(type: string, handler: PlainHandler, context?: unknown): () => void {
    return this.#add(type, handler, context, true);
  }

  off(type: string, handler: PlainHandler, context?: unknown): void {
    this.#handlers.remove(type, handler, context);
  }

  addListener(type: string, handler: PlainHandler, context?: unknown): () => void {
    return this.on(type, handler, context);
  }

  removeListener(type: string, handler: PlainHandler, context?: unknown): void {
    this.off(type, handler, context);
  }

  #add(type: string, handler: PlainHandler, context: unknown, once: boolean): () => void {
    if (typeof handler !== 'function') throw new TypeError(`The handler of '${type}' must be a function`);
    this.#handlers.add(type, handler, context, once);
    this.#core.updateInterest(true);
    return () => this.off(type, handler, context);
  }
}

type Handler<Told> = (told: Told) => void;

/** The handlers of each type, in the order in which they were added. */
export class Handlers<Told> {
  readonly #removed: () => void;
  readonly #byType = new Map<string, readonly Entry<Told>[]>();

  /** `removed` is called when a handler has gone, also one that was called the one time that it wanted. */
  constructor(removed: () => void = () => {}) {
    this.#removed = removed;
  }

  has(type: string): boolean {
    return this.#byType.has(type);
  }

  /** `context` is the handler's `this`. The same handler with the same context is added only once. */
  add(type: string, handler: Handler<Told>, context: unknown, once: boolean): void {
    const entries = this.#of(type);
    if (entries.some(isOf(handler, context))) return;
    this.#byType.set(type, [...entries, { handler, context, once }]);
  }

  remove(type: string, handler: Handler<Told>, context: unknown): void {
    const isMeant = isOf(handler, context);
    const left = this.#of(type).filter((entry) => !isMeant(entry));
    if (left.length > 0) this.#byType.set(type, left);
    else this.#byType.delete(type);
    this.#removed();
  }

  /** Calls the present handlers: one removed meanwhile is left out, one added meanwhile waits for the next time. */
  tell(type: string, told: Told): void {
    for (const entry of this.#of(type)) {
      if (!this.#of(type).includes(entry)) continue;
      if (entry.once) this.remove(type, entry.handler, entry.context);
      callHandler(entry, told);
    }
  }

  #of(type: string): readonly Entry<Told>[] {
    return this.#byType.get(type) ?? [];
  }
}

interface Entry<Told> {
  readonly handler: Handler<Told>;
  readonly context: unknown;
  readonly once: boolean;
}

function isOf<Told>(handler: Handler<Told>, context: unknown): (entry: Entry<Told>) => boolean {
  return (entry) => entry.handler === handler && entry.context === context;
}

/** An error that a handler throws is reported as uncaught, as with events, and does not stop the others. */
function callHandler<Told>({ handler, context }: Entry<Told>, told: Told): void {
  try {
    handler.call(context, told);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** The constructor of plain resources. The compiler knows the methods of described actions. */
export interface PlainResourceConstructor {
  readonly prototype: PlainRestResource;
  /** The check that only requires its parameter. */
  readonly REQUIRED: RequiredCheck;
  /** The type of an action's answer: `response: PlainResource.type<Photo>()`. */
  type<T>(): StandardSchemaV1<unknown, T>;
  /** The type of an answer that is text, for example HTML: `response: PlainResource.text`. */
  readonly text: StandardSchemaV1<unknown, string>;
  new (): PlainRestResource & UntypedActions;
  new <const D extends Description>(
    description: D,
    options?: ResourceOptions,
  ): PlainRestResource & Actions<D>;
}

export const PlainResource: PlainResourceConstructor = withActions(PlainRestResource);
export type PlainResource = PlainRestResource;

/** The compiler cannot see that `map` makes methods of the described actions; the overload tells it. */
function withActions(constructor: typeof PlainRestResource): PlainResourceConstructor;
function withActions(constructor: unknown): unknown {
  return constructor;
}
