import type { InvocationId } from '../resource/declared-actions.ts';
import type { RestResource } from '../resource/rest-resource.ts';
import { ActionStore } from './action-store.ts';
import type { ChangeModelEvent, RestStoreDelegate } from './model-store.ts';
import type { SelectedOf } from '../queries/view.ts';

/**
 * Keeps the newest response of one action as its model: null before the first; an empty answer keeps the one before.
 * Dispatches `changeModel` (ChangeModelEvent) when the model has changed, and `changeStatus` when its `status` has,
 * except for a change of `age` alone.
 */
export interface RestStore<Model = unknown> extends ActionStore<Model> {
  addEventListener(
    type: 'changeModel',
    listener: ((event: ChangeModelEvent<Model>) => void) | null,
    options?: AddEventListenerOptions | boolean,
  ): void;
  addEventListener(
    type: 'changeStatus',
    listener: ((event: Event) => void) | null,
    options?: AddEventListenerOptions | boolean,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: AddEventListenerOptions | boolean,
  ): void;
}

/** The constructor of stores. The model's type follows from the resource, its action and the delegate. */
export interface RestStoreConstructor {
  readonly prototype: RestStore;
  /**
   * Keeps a part of the newest response of one action as its model: what `select` names, null where that is nothing.
   * @throws TypeError where `resource` is not one, or `select` not a JSON Pointer; Error `No route for action <name>`.
   */
  new <
    const Pointer extends string,
    Resource extends RestResource = RestResource,
    Name extends NameOf<Resource> = NameOf<Resource>,
    Model = SelectedOf<ResponseOf<Resource, Name>, Pointer>,
  >(
    resource: Resource,
    actionName: Name,
    delegate: RestStoreDelegate<SelectedOf<ResponseOf<Resource, Name>, Pointer>, Model> & {
      readonly select: Pointer;
    },
  ): RestStore<Model>;
  /**
   * Keeps the newest response of one action as its model.
   * @throws TypeError where `resource` is not a Resource; Error `No route for action <name>`.
   */
  new <
    Resource extends RestResource = RestResource,
    Name extends NameOf<Resource> = NameOf<Resource>,
    Model = ResponseOf<Resource, Name>,
  >(
    resource: Resource,
    actionName: Name,
    delegate?: RestStoreDelegate<ResponseOf<Resource, Name>, Model>,
  ): RestStore<Model>;
}

/** The actions of a resource, as far as the compiler knows them: its own keys, else any name. */
type NameOf<Resource extends RestResource> = TextOf<Exclude<keyof Resource, keyof RestResource>>;

type TextOf<Key> = [Key] extends [never] ? string : Key & string;

/** The type of an action's answer, without null: an empty answer makes no model. */
type ResponseOf<Resource extends RestResource, Name extends string> = Resource extends {
  readonly [Action in Name]: (...call: never) => InvocationId<infer Response>;
}
  ? Exclude<Response, null>
  : unknown;

export const RestStore: RestStoreConstructor = withModels(ActionStore);

/** The compiler cannot see that a store's responses are those of its action; the overload tells it. */
function withModels(constructor: typeof ActionStore): RestStoreConstructor;
function withModels(constructor: unknown): unknown {
  return constructor;
}
