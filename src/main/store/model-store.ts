import type { RestStoreStatus } from './status.ts';
import { isPath, valueAt } from '../path.ts';
import { isPointer, pointed } from '../../shared/part.ts';
import type { RequestData } from '../resource/body.ts';
import { aFunction, assertMembers, assertIs } from '../resource/option-checks.ts';
import type { Rules, Rule } from '../resource/option-checks.ts';
import type { InputParams } from '../resource/params.ts';
import type { RequestDraft } from '../resource/prepare.ts';
import { unlessProduction } from '../development.ts';
import { isRecord } from '../../shared/shape.ts';

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

/** An app's own steps on the way from the answer to the model. */
export interface RestStoreDelegate<Response = unknown, Model = unknown> {
  /** JSON Pointer (RFC 6901) to the part of a response that becomes the model; that is null where it leads nowhere. */
  readonly select?: string;
  /** The store follows what the action asks with these parameters, and nothing else (default: all that it asks). */
  readonly params?: InputParams;
  /** Sees every request of the store's action before it is sent, in addition to the resource's own callbacks. */
  configureRequest?(request: RequestDraft, action: string, params: InputParams, data: RequestData): void;
  /** Makes the model from a response, or from the part that `select` names; it gets its own copy and may change it. */
  manipulateData?(response: Response): Model;
}

/** Without `manipulateData`, the model is the response or its selected part, with the resource's types. */
export function modelOf<Model>(response: unknown, delegate: RestStoreDelegate<unknown, Model>): Model;
export function modelOf(response: unknown, delegate: RestStoreDelegate): unknown {
  const selected = pointed(response, delegate.select ?? '') ?? null;
  return delegate.manipulateData ? delegate.manipulateData(structuredClone(selected)) : selected;
}

/** @throws TypeError where it is not a delegate, or its `select` not a JSON Pointer. */
export function assertDelegate(delegate: RestStoreDelegate): void {
  assertMembers('a store', delegate, delegateRules);
  assertPointer(delegate.select);
}

function delegateRules(): Rules<RestStoreDelegate> {
  return { select: null, params: null, configureRequest: aFunction(), manipulateData: aFunction() };
}

function assertPointer(select: unknown): void {
  if (select === undefined || (typeof select === 'string' && isPointer(select))) return;
  const got = typeof select === 'string' ? `'${select}'` : typeof select;
  throw new TypeError(`'select' must be a JSON pointer like '/items', got ${got}`);
}

/** Gets the model: a function, or an observer as in RxJS. */
export type Observer<Model = unknown> = ((model: Model | null) => void) | { next(model: Model | null): void };

/** Ends a subscription: call it, or its `unsubscribe`. */
export type Unsubscribe = (() => void) & { readonly unsubscribe: () => void };

export function tellerOf<Model>(observer: Observer<Model>): (model: Model | null) => void {
  unlessProduction(() => assertIs('What subscribes', observer, anObserver()));
  return typeof observer === 'function' ? observer : (model) => observer.next(model);
}

/** Calls `tell` now and at each event while `isOpen`; the result ends that, and so does a throw of the first call. */
export function follow(
  target: EventTarget,
  type: string,
  isOpen: () => boolean,
  tell: () => void,
): Unsubscribe {
  const listener = (): void => {
    if (isOpen()) tell();
  };
  const unsubscribe = (): void => target.removeEventListener(type, listener);
  target.addEventListener(type, listener);
  try {
    tell();
  } catch (error) {
    unsubscribe();
    throw error;
  }
  return Object.assign(() => unsubscribe(), { unsubscribe });
}

function anObserver(): Rule {
  return [
    'a function, or an object with a function next',
    (value) => typeof value === 'function' || (isRecord(value) && typeof value['next'] === 'function'),
  ];
}
