import type { Actions, UntypedActions, InvocationId } from './action-method.ts';
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
import type { Mapping, PollCall } from './declared-actions.ts';
import type { Notice } from './notice.ts';
import type { InputParams } from './params.ts';
import type { InvokeOptions, ConfigureRequest } from './prepare.ts';
import { believe } from '../../shared/standard-schema.ts';

/** Takes a plain object: `{ id, action, response, request, ... }`. */
export type PlainHandler = Handler<Notice>;

/**
 * A REST resource whose handlers get plain objects where those of `Resource` get events; loops are ended and run again
 * by the name of their action. `<action>Success` is told before `success`, and so on.
 */
export class PlainRestResource implements StartsLoops {
  /** The check that does no more than require its parameter. */
  static readonly REQUIRED: RequiredCheck = REQUIRED;
  /** Says what an action answers with: `response: Resource.type<Photo>()`. */
  static readonly type: typeof believe = believe;

  readonly #core: ResourceCore;
  readonly #handlers = new Handlers<Notice>();

  constructor(description: Description = {}, options: ResourceOptions = {}) {
    this.#core = connectedCore(options, {
      has: (name) => this.#handlers.has(name),
      tell: (name, notice) => this.#handlers.tell(name, notice),
    });
    mapAll(this, description);
  }

  /** Declares an action, which becomes a method; one of the same name is replaced. Throws what `Resource.map` does. */
  map(action: string, method: string, url: string, check?: Checks, options?: DeclareOptions): void;
  map(...mapping: Mapping): void {
    mapAction(this, this.#core.actions, ...mapping);
  }

  /** Sends one request; returns the invocation's id. Throws what `Resource.invoke` does. */
  invoke(
    action: string,
    params?: InputParams | null,
    data?: RequestData,
    options: InvokeOptions = {},
  ): number {
    return this.#core.invoke(action, params, data, options);
  }

  /**
   * The response of an invocation; rejects with a RestError. Known are those under way and the last 1,000 settled, of
   * whose answers 8 MiB are held for this alone.
   */
  result<Response = unknown>(id: InvocationId<Response>): Promise<Response>;
  result(id: number): Promise<unknown> {
    return this.#core.result(id);
  }

  /** Sends the last invocation of an action again; returns the new id, null where there was none. */
  refresh(action: string): number | null {
    return this.#core.refresh(action);
  }

  /** Sends a request every `interval` milliseconds, in the classic order after one interval unless `immediately`. */
  poll(action: string, interval: number, params?: InputParams | null, immediately?: boolean): Loop;
  poll(action: string, params?: InputParams | null, options?: PollOptions): Loop;
  poll(...call: PollCall): Loop {
    return this.#core.poll(...pollCallOf(call));
  }

  /** Asks, and asks again as soon as it is answered; the server holds the request until it has news. */
  longPoll(action: string, params?: InputParams | null, options: LongPollOptions = {}): Loop {
    return this.#core.longPoll(action, params, options);
  }

  /** Ends the polls and long-polls of an action. */
  stopPollByAction(action: string): void {
    this.#core.stopLoops(action);
  }

  /** Has the polls and long-polls of an action ask at once and go on from there, stopped ones included. */
  restartPollByAction(action: string): void {
    this.#core.restartLoops(action);
  }

  /** Ends the requests of an action (its loops go on), or one invocation; each is an `error` of code `aborted`. */
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

  /** Ends all calls and loops; every call after it throws. */
  dispose(): void {
    this.#core.dispose();
  }

  /** Adds a handler of `getSuccess`, `success` and so on; the returned function removes it. */
  on(type: string, handler: PlainHandler, context?: unknown): () => void {
    return this.#add(type, handler, context, false);
  }

  /** As `on`, for the next time alone. */
  once(type: string, handler: PlainHandler, context?: unknown): () => void {
    return this.#add(type, handler, context, true);
  }

  off(type: string, handler: PlainHandler, context?: unknown): void {
    this.#handlers.remove(type, handler, context);
    this.#core.updateInterest();
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

/** Takes what is told of one type. */
type Handler<Told> = (told: Told) => void;

/** Who is told what, by type, in the order in which they asked for it. */
export class Handlers<Told> {
  readonly #byType = new Map<string, readonly Entry<Told>[]>();

  has(type: string): boolean {
    return this.#byType.has(type);
  }

  /** `context` is the handler's `this`. The same handler with the same context is added once. */
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
  }

  /** Tells those who are there now: one that goes meanwhile is left out, one that comes is for the next time. */
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

/** What a handler throws is reported as uncaught, as an event's would be, and keeps nothing from the others. */
function callHandler<Told>({ handler, context }: Entry<Told>, told: Told): void {
  try {
    handler.call(context, told);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** How plain resources are made. Described actions are methods known to the compiler. */
export interface PlainResourceConstructor {
  readonly prototype: PlainRestResource;
  /** The check that does no more than require its parameter. */
  readonly REQUIRED: RequiredCheck;
  /** Says what an action answers with: `response: PlainResource.type<Photo>()`. */
  type<T>(): StandardSchemaV1<unknown, T>;
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
