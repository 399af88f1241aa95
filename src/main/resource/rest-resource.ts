import type { DeclareOptions, Description } from './action.ts';
import type { RequestData } from './body.ts';
import { REQUIRED } from './check.ts';
import type { Checks, RequiredCheck } from './check.ts';
import { connectedCore } from './connected-core.ts';
import type { ResourceOptions } from './connected-core.ts';
import type { ResourceCore } from './core.ts';
import { RestEvent } from './event.ts';
import type { InvocationId, Mapping, PollCall } from './declared-actions.ts';
import { Listening } from './listening.ts';
import type { PrefetchOptions, QueryOptions } from '../queries/options.ts';
import type { Query } from '../queries/query.ts';
import type { Loop, LongPollOptions, PollOptions, StartsLoops } from './loop.ts';
import { mapAction, mapAll, pollCallOf } from './declared-actions.ts';
import type { Notice } from './notice.ts';
import type { InputParams } from './params.ts';
import type { InvokeOptions, ConfigureRequest } from './prepare.ts';
import { believe, TEXT } from '../../shared/standard-schema.ts';

/** The part of a resource that stores follow. */
export type Pulse = Pick<
  ResourceCore,
  | 'pendingWrites'
  | 'nextPollAt'
  | 'watch'
  | 'followers'
  | 'changes'
  | 'actions'
  | 'link'
  | 'query'
  | 'catchUp'
>;

export type RestListener = (event: RestEvent) => void;

/**
 * A REST resource: named actions, each a method. Outcomes come back as events and through `result`.
 *
 * `<action>Success` is dispatched before `success`, `<action>Error` before `error`; likewise `started`, `sent` and
 * `progress`. A listener of `<action>Success` hears only its action.
 */
export class RestResource extends EventTarget implements StartsLoops {
  /** The check that only requires its parameter. */
  static readonly REQUIRED: RequiredCheck = REQUIRED;
  /** The type of an action's answer: `response: Resource.type<Photo>()`. */
  static readonly type: typeof believe = believe;
  /** The type of an answer that is text, for example HTML: `response: Resource.text`. */
  static readonly text: typeof TEXT = TEXT;

  /** Stores follow this instead of events: listening for events would make the worker send more. */
  static pulseOf(resource: RestResource): Pulse {
    return resource.#core;
  }

  readonly #core: ResourceCore;
  readonly #listening = new Listening(() => this.#core.updateInterest());

  constructor(description: Description = {}, options: ResourceOptions = {}) {
    super();
    this.#core = connectedCore(options, {
      has: (name) => this.#listening.has(name),
      tell: (name, notice) => this.#dispatch(name, notice),
    });
    mapAll(this, description);
  }

  /**
   * Declares an action, which becomes a method; it replaces one of the same name.
   * @throws Error where the name is taken or the method or URL is not a string; TypeError or RangeError where a method,
   * check or option is wrong; TemplateError where the template is malformed.
   */
  map(action: string, method: string, url: string, check?: Checks, options?: DeclareOptions): void;
  map(...mapping: Mapping): void {
    mapAction(this, this.#core.actions, ...mapping);
  }

  /**
   * Sends one request; returns the invocation's id, a positive integer unique in the page.
   * @throws RestError `Missing parameter '<name>'` or `Parameter '<name>' is invalid`; Error `No route for action
   * <name>`; TypeError where parameters or data cannot be sent; any error that a `configureRequest` callback throws. A
   * failure that only the network can show comes as an `error` event and rejects `result`.
   */
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

  /**
   * Sends the last invocation of an action again with its parameters and body, or else the request of its loop, and
   * revalidates the stored answer. Returns the new id; null where the action has neither.
   */
  refresh(action: string): number | null {
    return this.#core.refresh(action);
  }

  /**
   * Sends a request every `interval` milliseconds, from the worker; a tick is skipped while the last request is out.
   * Without parameters it uses those of the action's last invocation. The same action and parameters replace their
   * loop.
   * @throws RangeError where the interval is under 100 ms; otherwise as `invoke`.
   */
  poll(action: string, params?: InputParams | null, options?: PollOptions): Loop;
  /** The classic order: the first request goes after one interval unless `immediately` is true. */
  poll(action: string, interval: number, params?: InputParams | null, immediately?: boolean): Loop;
  poll(...call: PollCall): Loop {
    return this.#core.poll(...pollCallOf(call));
  }

  /**
   * Sends a request, and the next as soon as it is answered, from the worker; the server holds each until it has news.
   * After an error the loop waits. A server that does not hold requests is asked more slowly.
   */
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

  /** Ends the requests of an action (its loops go on) or one invocation, with an `error` of code `aborted` each. */
  abort(target: string | number): void {
    this.#core.abort(target);
  }

  /**
   * Adds a callback that sees every request before it is sent; callbacks run in the order in which they were added. For
   * a loop they run at its start and at a restart. The returned function removes the callback.
   */
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

  /** Adds a listener; the returned function removes it. */
  addListener(type: string, listener: RestListener): () => void {
    this.addEventListener(type, asEventListener(listener));
    return () => this.removeListener(type, listener);
  }

  removeListener(type: string, listener: RestListener): void {
    this.removeEventListener(type, asEventListener(listener));
  }

  override addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: AddEventListenerOptions | boolean,
  ): void {
    this.#listening.addBy((...args) => super.addEventListener(...args), type, listener, options);
    this.#core.updateInterest(true);
  }

  override removeEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: EventListenerOptions | boolean,
  ): void {
    this.#listening.removeBy((...args) => super.removeEventListener(...args), type, listener, options);
  }

  #dispatch(name: string, notice: Notice): void {
    if (this.#listening.has(name)) this.dispatchEvent(new RestEvent(name, notice));
  }
}

/** A resource dispatches only RestEvents, whatever their type. */
function asEventListener(listener: RestListener): EventListener;
function asEventListener(listener: unknown): unknown {
  return listener;
}
