import type { RequestData } from '../resource/body.ts';
import type { RestEvent } from '../resource/event.ts';
import type { InputParams } from '../resource/params.ts';
import type { RequestDraft } from '../resource/request-draft.ts';
import type { RestResource } from '../resource/resource.ts';
import { assigner } from './assign.ts';
import type { Target } from './assign.ts';
import { ChangeModelEvent } from './change-model-event.ts';
import { Newest } from './newest.ts';

/** What a store lets others do on its way from the answer to the model. */
export interface RestStoreDelegate {
  /** Sees every request of the store's action before it is sent, beside the resource's own callbacks. */
  configureRequest?(request: RequestDraft, action: string, params: InputParams, data: RequestData): void;
  /** Makes the model of a response; gets a copy of its own and may change it. */
  manipulateData?(response: unknown): unknown;
}

/** Hears the model: a function, or an observer as RxJS has it. */
export type Observer = ((model: unknown) => void) | { next(model: unknown): void };

/** Ends a subscription; it is called, or its `unsubscribe` is. */
export type Unsubscribe = (() => void) & { readonly unsubscribe: () => void };

/**
 * Keeps the newest response of one action as its model, which is null before the first; an empty answer keeps the one
 * before. Dispatches `changeModel` (ChangeModelEvent) when the model has changed.
 */
export class RestStore extends EventTarget {
  readonly resource: RestResource;
  readonly actionName: string;
  readonly #delegate: RestStoreDelegate;
  readonly #ends: (() => void)[] = [];
  readonly #newest = new Newest();
  #model: unknown = null;

  /** @throws TypeError where the resource is none; Error `No route for action <name>`. */
  constructor(resource: RestResource, actionName: string, delegate: RestStoreDelegate = {}) {
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
  get model(): unknown {
    return this.#model;
  }

  getModel(): unknown {
    return this.#model;
  }

  /** The model, bound, as `useSyncExternalStore` asks for it. */
  readonly getSnapshot = (): unknown => this.#model;

  /** Calls at once with the model and then whenever it changes; the returned function, or its `unsubscribe`, ends it. */
  readonly subscribe = (observer: Observer): Unsubscribe => {
    const tell = typeof observer === 'function' ? observer : (model: unknown): void => observer.next(model);
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
    const delegate = this.#delegate;
    this.#model = delegate.manipulateData ? delegate.manipulateData(structuredClone(response)) : response;
    this.dispatchEvent(new ChangeModelEvent(this.#model, old));
  }
}
