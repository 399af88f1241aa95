import type { Description, ActionParams } from './action.ts';
import type { ActionCall, ActionName, ActionResponse, CallResult, InvocationId } from './declared-actions.ts';
import type { PrefetchOptions, QueryOptions } from '../queries/options.ts';
import type { Query } from '../queries/query.ts';
import type { SelectedOf } from '../queries/view.ts';
import type { RestEvent } from './event.ts';
import type { Loop, LongPollOptions, PollOptions } from './loop.ts';
import type { ConfigureRequest } from './prepare.ts';
import type { RestResource } from './rest-resource.ts';
import type { NoticeType } from './notice.ts';

/**
 * A resource whose description the compiler knows: the names of its actions and events, their parameters and their
 * answers. Each one is also a `RestResource`, which takes any name.
 */
export interface DescribedResource<D extends Description> extends RestResource {
  invoke<Name extends ActionName<D>>(
    action: Name,
    ...call: ActionCall<ActionParams<D[Name]>>
  ): InvocationId<CallResult<D[Name]>>;

  refresh<Name extends ActionName<D>>(action: Name): InvocationId<CallResult<D[Name]>> | null;

  poll<Name extends ActionName<D>>(
    action: Name,
    interval: number,
    params?: ActionParams<D[Name]> | null,
    immediately?: boolean,
  ): Loop;
  // The compiler's error messages quote the last overload.
  poll<Name extends ActionName<D>>(
    action: Name,
    params?: ActionParams<D[Name]> | null,
    options?: PollOptions<ActionName<D>>,
  ): Loop;

  longPoll<Name extends ActionName<D>>(
    action: Name,
    params?: ActionParams<D[Name]> | null,
    options?: LongPollOptions<ActionName<D>>,
  ): Loop;

  query<Name extends ActionName<D>, const Pointer extends string>(
    action: Name,
    params: ActionParams<D[Name]> | null | undefined,
    options: QueryOptions<ActionResponse<D[Name]>, ActionName<D>> & { readonly select: Pointer },
  ): Query<SelectedOf<ActionResponse<D[Name]>, Pointer>>;
  query<Name extends ActionName<D>, Data>(
    action: Name,
    params: ActionParams<D[Name]> | null | undefined,
    options: QueryOptions<ActionResponse<D[Name]>, ActionName<D>> & {
      readonly select: (response: ActionResponse<D[Name]>) => Data;
    },
  ): Query<Data>;
  query<Name extends ActionName<D>>(
    action: Name,
    params?: ActionParams<D[Name]> | null,
    options?: QueryOptions<ActionResponse<D[Name]>, ActionName<D>> & { readonly select?: undefined },
  ): Query<ActionResponse<D[Name]>>;

  prefetch<Name extends ActionName<D>>(
    action: Name,
    params?: ActionParams<D[Name]> | null,
    options?: PrefetchOptions,
  ): Promise<ActionResponse<D[Name]>>;

  abort(target: ActionName<D> | number): void;

  configureRequest(callback: ConfigureRequest, action?: ActionName<D>): () => void;

  addListener<Name extends EventName<D>>(
    type: Name,
    listener: (event: RestEvent<EventResponse<D, Name>>) => void,
  ): () => void;

  removeListener<Name extends EventName<D>>(
    type: Name,
    listener: (event: RestEvent<EventResponse<D, Name>>) => void,
  ): void;

  addEventListener<Name extends EventName<D>>(
    type: Name,
    listener: Listener<RestEvent<EventResponse<D, Name>>> | null,
    options?: AddEventListenerOptions | boolean,
  ): void;

  removeEventListener<Name extends EventName<D>>(
    type: Name,
    listener: Listener<RestEvent<EventResponse<D, Name>>> | null,
    options?: EventListenerOptions | boolean,
  ): void;
}

type Listener<E extends Event> = ((event: E) => void) | { handleEvent(event: E): void };

/** The event names of described actions: `getSuccess` for `get` alone, `success` for all. */
export type EventName<D extends Description> =
  string extends ActionName<D> ? string : NoticeType | `${ActionName<D>}${Capitalize<NoticeType>}`;

/** The type of `response`: of a success the action's answer, of an error whatever came, before that null. */
export type EventResponse<D extends Description, Name extends string> =
  string extends ActionName<D>
    ? unknown
    : Name extends 'success'
      ? ActionResponse<D[ActionName<D>]>
      : Name extends `${infer Action extends ActionName<D>}Success`
        ? ActionResponse<D[Action]>
        : Name extends 'error' | `${ActionName<D>}Error`
          ? unknown
          : null;
