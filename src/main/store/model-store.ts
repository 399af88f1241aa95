import type { RestStoreStatus } from './status.ts';
import { follow, tellerOf } from './subscription.ts';
import type { Observer, Unsubscribe } from './subscription.ts';
import { isPath, valueAt } from '../path.ts';

/** A store's model has changed. `value` is the new model, `old` the one before, which is null at the first change. */
export class ChangeModelEvent<Model = unknown> extends Event {
  /** Null where the page goes on with another identity. */
  readonly value: Model | null;
  readonly old: Model | null;

  constructor(value: Model | null, old: Model | null) {
    super('changeModel');
    this.value = value;
    this.old = old;
  }

  getData(): Model | null {
    return this.value;
  }

  getOldData(): Model | null {
    return this.old;
  }
}

/** A status, and whether it has changed since the last `hasChanged`. */
export interface Standing<Status> {
  read(): Status;
  hasChanged(): boolean;
  /** Fixes the status as it is now. */
  end(): void;
}

/** Has a model and a status, tells of their changes, and binds them. */
export abstract class ModelStore<Model, Status extends RestStoreStatus> extends EventTarget {
  protected abstract readonly standing: Standing<Status>;
  protected readonly ends: (() => void)[] = [];
  #model: Model | null = null;
  /** True while a change of the model is told: that comes before a change of the status. */
  #isTellingModel = false;
  #isDisposed = false;

  get model(): Model | null {
    return this.#model;
  }

  getModel(): Model | null {
    return this.#model;
  }

  /** Where the model comes from and how old it is, what went wrong, what is under way. Made anew at each read. */
  get status(): Status {
    return this.standing.read();
  }

  /** Returns the model; bound, as `useSyncExternalStore` needs it. */
  readonly getSnapshot = (): Model | null => this.#model;

  /** Calls the observer at once with the model, then at each change. The result, or its `unsubscribe`, ends that. */
  readonly subscribe = (observer: Observer<Model>): Unsubscribe => {
    const tell = tellerOf(observer);
    return this.#follow('model', () => tell(this.#model));
  };

  /**
   * Assigns the model, the status or the value at a dotted path in one of them (`model.items`, `status.error`; null
   * where the path leads nowhere), now and at each change. The returned function ends that. `status.age` is assigned
   * when the status changes, not as time passes.
   * @throws TypeError where the store has no such source, or the target cannot take it.
   */
  bind(source: BindSource, target: object, property: Target): () => void {
    const { kind, path } = parseSource(source);
    const assign = assigner(target, property);
    const value = (): unknown => read(path, this[kind]);
    if (path === null) return this.#follow(kind, () => assign(value()));
    // No property has this value, so the first one is always assigned.
    let last: unknown = assign;
    return this.#follow(kind, () => {
      const now = value();
      if (Object.is(now, last)) return;
      last = now;
      assign(now);
    });
  }

  /** Ends the store: its model and status stay as they are, and it tells nobody any more. */
  dispose(): void {
    this.#isDisposed = true;
    this.standing.end();
    for (const end of this.ends.splice(0)) end();
  }

  protected get isDisposed(): boolean {
    return this.#isDisposed;
  }

  /** Null where another user has come. */
  protected show(model: Model | null): void {
    const old = this.#model;
    this.#model = model;
    this.#isTellingModel = true;
    this.dispatchEvent(new ChangeModelEvent<Model | null>(model, old));
    this.#isTellingModel = false;
  }

  /** Returns true where there was a change to tell. */
  protected tellStatus(): boolean {
    if (this.#isDisposed || this.#isTellingModel || !this.standing.hasChanged()) return false;
    this.dispatchEvent(new Event('changeStatus'));
    return true;
  }

  #follow(what: 'model' | 'status', tell: () => void): Unsubscribe {
    return follow(this, what === 'model' ? 'changeModel' : 'changeStatus', () => !this.#isDisposed, tell);
  }
}

/** Where a bound value goes: a property, a dotted path to one, or a function that takes it. */
export type Target = string | ((value: unknown) => void);

/**
 * Makes the function that assigns a value to its target. If the object lacks the last property of the path but has a
 * setter method (`model`, `setModel`), it calls that.
 * @throws TypeError where the path leads through a value that is not an object.
 */
export function assigner(target: object, property: Target): (value: unknown) => void {
  if (typeof property === 'function') return (value) => property.call(target, value);
  const path = property.split('.');
  const last = path.pop() ?? '';
  if (!isPath(property)) throw new TypeError(`'${property}' is no path to a property`);
  return (value) => setProperty(parentIn(target, path, property), last, value);
}

function parentIn(target: object, path: readonly string[], property: string): object {
  let object: unknown = target;
  for (const part of path) {
    object = Reflect.get(Object(object), part);
    if (!isObject(object)) throw new TypeError(`Cannot assign to '${property}': '${part}' is not an object`);
  }
  return Object(object);
}

function setProperty(object: object, name: string, value: unknown): void {
  const setter: unknown = Reflect.get(object, `set${name.charAt(0).toUpperCase()}${name.slice(1)}`);
  if (!(name in object) && typeof setter === 'function') Reflect.apply(setter, object, [value]);
  else Reflect.set(object, name, value);
}

function isObject(value: unknown): boolean {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** The source of a binding: the model or status, or the value at a dotted path in one of them. */
export type BindSource = 'model' | `model.${string}` | 'status' | `status.${string}`;

interface Source {
  readonly kind: 'model' | 'status';
  /** The path into the model or the status; null for the whole. */
  readonly path: string | null;
}

/** @throws TypeError where a store has no such property, or the path is malformed. */
export function parseSource(source: string): Source {
  const [, kind = '', path = null] = /^([^.]*)(?:\.(.*))?$/s.exec(source) ?? [];
  if (kind !== 'model' && kind !== 'status')
    throw new TypeError(
      `A store has no property '${source}' to bind, only 'model', 'status' and their paths`,
    );
  if (path !== null && !isPath(path)) throw new TypeError(`'${source}' is no path into a store's ${kind}`);
  return { kind, path };
}

/** The value to assign; null where the path leads nowhere. */
export function read(path: string | null, whole: unknown): unknown {
  return path === null ? whole : (valueAt(whole, path) ?? null);
}
