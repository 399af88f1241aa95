import { assigner } from './assign.ts';
import type { Target } from './assign.ts';
import { ChangeModelEvent } from './change-model-event.ts';
import { parseSource, read } from './source.ts';
import type { BindSource } from './source.ts';
import type { RestStoreStatus } from './status.ts';
import { follow, tellerOf } from './subscription.ts';
import type { Observer, Unsubscribe } from './subscription.ts';

/** What a status says, and whether that has changed since this was asked last. */
export interface Standing<Status> {
  read(): Status;
  hasChanged(): boolean;
  /** It stays as it is from now on. */
  end(): void;
}

/** What has a model and a status, tells of their changes and binds them. */
export abstract class ModelStore<Model, Status extends RestStoreStatus> extends EventTarget {
  protected abstract readonly standing: Standing<Status>;
  protected readonly ends: (() => void)[] = [];
  #model: Model | null = null;
  /** The model has changed, and that is told first. */
  #isTellingModel = false;
  #isDisposed = false;

  get model(): Model | null {
    return this.#model;
  }

  getModel(): Model | null {
    return this.#model;
  }

  /** Where the model comes from and how old it is, what went wrong, what is under way: as of now, made anew at each read. */
  get status(): Status {
    return this.standing.read();
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
    this.#isDisposed = true;
    this.standing.end();
    for (const end of this.ends.splice(0)) end();
  }

  protected get isDisposed(): boolean {
    return this.#isDisposed;
  }

  protected show(model: Model): void {
    const old = this.#model;
    this.#model = model;
    this.#isTellingModel = true;
    this.dispatchEvent(new ChangeModelEvent(model, old));
    this.#isTellingModel = false;
  }

  /** Returns whether there was anything to tell. */
  protected tellStatus(): boolean {
    if (this.#isDisposed || this.#isTellingModel || !this.standing.hasChanged()) return false;
    this.dispatchEvent(new Event('changeStatus'));
    return true;
  }

  #follow(what: 'model' | 'status', tell: () => void): Unsubscribe {
    return follow(this, what === 'model' ? 'changeModel' : 'changeStatus', () => !this.#isDisposed, tell);
  }
}
