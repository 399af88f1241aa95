import type { RequestData } from '../resource/body.ts';
import type { RestEvent } from '../resource/event.ts';
import type { InputParams } from '../resource/params.ts';
import type { RequestDraft } from '../resource/request-draft.ts';
import type { InvocationId } from '../resource/invocation-id.ts';
import type { RestResource } from '../resource/rest-resource.ts';
import { assigner } from './assign.ts';
import type { Target } from './assign.ts';
import { ChangeModelEvent } from './change-model-event.ts';
import { Newest } from './newest.ts';

/** What a store lets others do on its way from the answer to the model. */
export interface RestStoreDelegate<Response = unknown, Model = unknown> {
  /** Sees every request of the store's action before it is sent, beside the resource's own callbacks. */
  configureRequest?(request: RequestDraft, action: string, params: InputParams, data: RequestData): void;
  /** Makes the model of a response; gets a copy of its own and may change it. */
  manipulateData?(response: Response): Model;
}

/** Hears the model: a function, or an observer as RxJS has it. */
export type Observer<Model = unknown> = ((model: Model | null) => void) | { next(model: Model | null): void };

/** Ends a subscription; it is called, or its `unsubscribe` is. */
export type Unsubscribe = (() => void) & { readonly unsubscribe: () => void };

/**
 * Keeps the newest response of one action as its model, which is null before the first; an empty answer keeps the one
 * before. Dispatches `changeModel` (ChangeModelEvent) when the model has changed.
 */
export interface RestStore<Model = unknown> extends ActionStore<Model> {
  addEventListener(
    type: 'changeModel',
    listener: ((event: ChangeModelEvent<Model>) => void) | null,
    options?: AddEventListenerOptions | boolean,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: AddEventListenerOptions | boolean,
  ): void;
}

/** How stores are made: the model follows from the resource, its action and the delegate. */
export interface RestStoreConstructor {
  readonly prototype: RestStore;
  /**
   * Keeps the newest response of one action as its model.
   * @throws TypeError where the resource is none; Error `No route for action <name>`.
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

/** What an action answers with, null aside: an empty answer makes no model. */
type ResponseOf<Resource extends RestResource, Name extends string> = Resource extends {
  readonly [Action in Name]: (...call: never) => InvocationId<infer Response>;
}
  ? Exclude<Response, null>
  : unknown;

/** A store as it works; what it answers with is the business of the types around it. */
class ActionStore<Model> extends EventTarget {
  readonly resource: RestResource;
  readonly actionName: string;
  readonly #delegate: RestStoreDelegate<unknown, Model>;
  readonly #ends: (() => void)[] = [];
  readonly #newest = new Newest();
  #model: Model | null = null;

  /** @throws TypeError where the resource is none; Error `No route for action <name>`. */
  constructor(resource: RestResource, actionName: string, delegate: RestStoreDelegate<unknown, Model> = {}) {
    super();
    // `map` makes each action an own property of its resource, which has no other.
    if (!Object.hasOwn(resource, actionName)) throw new Error(`No route for action ${actionName}`);
    this.resource = resource;
    this.actionName = actionName;
    this.#delegate = delegate;
    if (delegate.configureRequest) {
      const configure = delegate.configureRequest.bind(delegate);
      this.#ends.push(resource.configureRequest(configure, actionName));
    }
    this.#ends.push(resource.addListener(`${actionName}Success`, (event) => this.#take(event)));
  }

  /** The newest response, or what `manipulateData` made of it. Do not change it. */
  get model(): Model | null {
    return this.#model;
  }

  getModel(): Model | null {
    return this.#model;
  }

  /** The model, bound, as `useSyncExternalStore` asks for it. */
  readonly getSnapshot = (): Model | null => this.#model;

  /** Calls at once with the model and then whenever it changes; the returned function, or its `unsubscribe`, ends it. */
  readonly subscribe = (observer: Observer<Model>): Unsubscribe => {
    const tell =
      typeof observer === 'function' ? observer : (model: Model | null): void => observer.next(model);
    const listener = (): void => tell(this.#model);
    const unsubscribe = (): void => this.removeEventListener('changeModel', listener);
    this.addEventListener('changeModel', listener);
    tell(this.#model);
    return Object.assign(() => unsubscribe(), { unsubscribe });
  };

  /**
   * Assigns the model to a property of the target, now and whenever it changes; the returned function ends that.
   * @throws TypeError where the property of the store is not `model`, or the target cannot take it.
   */
  bind(source: 'model', target: object, property: Target): () => void {
    if (source !== 'model')
      throw new TypeError(`A store has no property '${String(source)}' to bind, only 'model'`);
    return this.subscribe(assigner(target, property));
  }

  /** Ends the store: its model stays as it is. */
  dispose(): void {
    for (const end of this.#ends.splice(0)) end();
  }

  #take({ response, request, revision }: RestEvent): void {
    if (response === null || !this.#newest.take(request.url, revision)) return;
    const old = this.#model;
    const model = modelOf(response, this.#delegate);
    this.#model = model;
    this.dispatchEvent(new ChangeModelEvent(model, old));
  }
}

export const RestStore: RestStoreConstructor = withModels(ActionStore);

/** Without a delegate of its own making the model is the response, which the resource's types speak of. */
function modelOf<Model>(response: unknown, delegate: RestStoreDelegate<unknown, Model>): Model;
function modelOf(response: unknown, delegate: RestStoreDelegate): unknown {
  return delegate.manipulateData ? delegate.manipulateData(structuredClone(response)) : response;
}

/** The compiler cannot see that a store's responses are those of its action; the overload tells it. */
function withModels(constructor: typeof ActionStore): RestStoreConstructor;
function withModels(constructor: unknown): unknown {
  return constructor;
}
