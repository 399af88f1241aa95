import type { RestEvent } from '../resource/event.ts';
import { RestResource } from '../resource/rest-resource.ts';
import { assigner } from './assign.ts';
import type { Target } from './assign.ts';
import { ChangeModelEvent } from './change-model-event.ts';
import { modelOf } from './delegate.ts';
import type { RestStoreDelegate } from './delegate.ts';
import { Newest } from './newest.ts';
import { parseSource, read } from './source.ts';
import type { BindSource } from './source.ts';
import { Status } from './status.ts';
import type { RestStoreStatus } from './status.ts';
import { follow, tellerOf } from './subscription.ts';
import type { Observer, Unsubscribe } from './subscription.ts';

/** A store as it works; what it answers with is the business of the types around it. */
export class ActionStore<Model> extends EventTarget {
  readonly resource: RestResource;
  readonly actionName: string;
  readonly #delegate: RestStoreDelegate<unknown, Model>;
  readonly #ends: (() => void)[] = [];
  readonly #newest = new Newest();
  readonly #status: Status;
  #model: Model | null = null;
  /** The model has changed, and that is told first. */
  #isTellingModel = false;
  #disposed = false;

  /** @throws TypeError where the resource is none; Error `No route for action <name>`. */
  constructor(resource: RestResource, actionName: string, delegate: RestStoreDelegate<unknown, Model> = {}) {
    super();
    // `map` makes each action an own property of its resource, which has no other.
    if (!Object.hasOwn(resource, actionName)) throw new Error(`No route for action ${actionName}`);
    this.resource = resource;
    this.actionName = actionName;
    this.#delegate = delegate;
    const pulse = RestResource.pulseOf(resource);
    this.#status = new Status(
      () => Date.now(),
      () => ({ nextPollAt: pulse.nextPollAt(actionName), pendingWrites: pulse.pendingWrites }),
    );
    if (delegate.configureRequest) {
      const configure = delegate.configureRequest.bind(delegate);
      this.#ends.push(resource.configureRequest(configure, actionName));
    }
    this.#ends.push(
      resource.addListener(`${actionName}Success`, (event) => this.#succeed(event)),
      resource.addListener(`${actionName}Error`, (event) => this.#fail(event)),
      pulse.watch(() => this.#tellStatus()),
    );
  }

  /** The newest response, or what `manipulateData` made of it. Do not change it. */
  get model(): Model | null {
    return this.#model;
  }

  getModel(): Model | null {
    return this.#model;
  }

  /** Where the model comes from and how old it is, what went wrong, what is under way: as of now, made anew at each read. */
  get status(): RestStoreStatus {
    return this.#status.read();
  }

  /** The model, bound, as `useSyncExternalStore` asks for it. */
  readonly getSnapshot = (): Model | null => this.#model;

  /** Calls at once with the model and then whenever it changes; the returned function, or its `unsubscribe`, ends it. */
  readonly subscribe = (observer: Observer<Model>): Unsubscribe => {
    const tell = tellerOf(observer);
    return this.#follow('model', () => tell(this.#model));
  };

  /**
   * Assigns the model, the status or what lies at a dotted path in one of them (`model.items`, `status.error`; null
   * where that leads nowhere), now and whenever it changes; the returned function ends that. `status.age` is assigned
   * when the status changes, not as time passes.
   * @throws TypeError where the store has no such source, or the target cannot take it.
   */
  bind(source: BindSource, target: object, property: Target): () => void {
    const { kind, path } = parseSource(source);
    const assign = assigner(target, property);
    const value = (): unknown => read(path, this[kind]);
    if (path === null) return this.#follow(kind, () => assign(value()));
    // A value that a property never has, so that the first is assigned.
    let last: unknown = assign;
    return this.#follow(kind, () => {
      const now = value();
      if (Object.is(now, last)) return;
      last = now;
      assign(now);
    });
  }

  /** Ends the store: its model stays as it is, and so does its status; nobody hears of it any more. */
  dispose(): void {
    this.#disposed = true;
    this.#status.end();
    for (const end of this.#ends.splice(0)) end();
  }

  #follow(what: 'model' | 'status', tell: () => void): Unsubscribe {
    return follow(this, what === 'model' ? 'changeModel' : 'changeStatus', () => !this.#disposed, tell);
  }

  #succeed(event: RestEvent): void {
    const { response, request, revision } = event;
    const novelty = this.#newest.judge(request.url, revision);
    if (novelty === 'older') return;
    if (response === null) this.#status.ended(null);
    else if (novelty === 'same') this.#status.confirm(event);
    else this.#take(event);
    this.#tellStatus();
  }

  #fail({ error }: RestEvent): void {
    if (error?.code === 'aborted') return;
    this.#status.ended(error);
    this.#tellStatus();
  }

  #take(event: RestEvent): void {
    const { response, request, revision } = event;
    const old = this.#model;
    // First, for the delegate may throw: then nothing has changed.
    const model = modelOf(response, this.#delegate);
    this.#newest.take(request.url, revision);
    this.#status.confirm(event);
    this.#model = model;
    this.#isTellingModel = true;
    this.dispatchEvent(new ChangeModelEvent(model, old));
    this.#isTellingModel = false;
  }

  #tellStatus(): void {
    if (this.#disposed || this.#isTellingModel || !this.#status.hasChanged()) return;
    this.dispatchEvent(new Event('changeStatus'));
  }
}
