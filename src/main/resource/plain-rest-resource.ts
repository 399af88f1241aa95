import type { DeclareOptions, Description } from './action.ts';
import type { RequestData } from './body.ts';
import { REQUIRED } from './check.ts';
import type { Checks, RequiredCheck } from './check.ts';
import { connectedCore } from './connected-core.ts';
import type { ResourceOptions } from './connected-core.ts';
import type { ResourceCore } from './core.ts';
import { Handlers } from './handlers.ts';
import type { Handler } from './handlers.ts';
import type { InvocationId } from './invocation-id.ts';
import type { Loop } from './loop.ts';
import type { LongPollOptions, PollOptions } from './loop-options.ts';
import { mapAction, mapAll } from './mapping.ts';
import type { Mapping } from './mapping.ts';
import type { Notice } from './notice.ts';
import type { InputParams } from './params.ts';
import { pollCallOf } from './poll-call.ts';
import type { PollCall } from './poll-call.ts';
import type { InvokeOptions } from './prepare.ts';
import type { ConfigureRequest } from './request-draft.ts';
import { believe } from '../../shared/standard-schema.ts';
import { hears, namesOf, interestOf } from './told.ts';

/** Takes a plain object: `{ id, action, response, request, ... }`. */
export type PlainHandler = Handler<Notice>;

/**
 * A REST resource whose handlers get plain objects where those of `Resource` get events; loops are ended and run again
 * by the name of their action. `<action>Success` is told before `success`, and so on.
 */
export class PlainRestResource {
  /** The check that does no more than require its parameter. */
  static readonly REQUIRED: RequiredCheck = REQUIRED;
  /** Says what an action answers with: `response: Resource.type<Photo>()`. */
  static readonly type: typeof believe = believe;

  readonly #core: ResourceCore;
  readonly #handlers = new Handlers<Notice>();

  constructor(description: Description = {}, options: ResourceOptions = {}) {
    this.#core = connectedCore(options, {
      notify: (notice) => namesOf(notice).forEach((each) => this.#handlers.tell(each, notice)),
      interest: (action) => interestOf(action, (each) => this.#handlers.has(each)),
      hears: (action) => hears(action, (each) => this.#handlers.has(each)),
    });
    mapAll(this, description);
  }

  /** Declares an action, which becomes a method; one of the same name is replaced. Throws what `Resource.map` does. */
  map(action: string, method: string, url: string, check?: Checks, options?: DeclareOptions): void;
  map(...mapping: Mapping): void {
    mapAction(this, this.#core, ...mapping);
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
    return this.#core.configureRequest(callback, action ?? null);
  }

  /** Sets the text put before every template from the next call on. */
  setBaseUrl(url: string): void {
    this.#core.setBaseUrl(url);
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
    this.#core.retell();
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
    this.#core.retell(true);
    return () => this.off(type, handler, context);
  }
}
