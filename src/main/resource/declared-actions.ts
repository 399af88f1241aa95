import { declareAction } from './action.ts';
import type { Action, DeclareOptions, Description } from './action.ts';
import { NO_BODY } from './body.ts';
import type { EncodedBody, RequestData } from './body.ts';
import type { PlaceOrder } from './cursor-options.ts';
import type { Link } from './link.ts';
import type { LoopRequest } from './loop-order.ts';
import type { Call } from './notice.ts';
import type { InputParams } from './params.ts';
import { prepare } from './prepare.ts';
import type { InvokeOptions, Prepared, ConfigureRequest } from './prepare.ts';
import type { ActionCall } from './action-method.ts';
import type { Checks } from './check.ts';
import { unlessProduction } from '../development.ts';
import { anObject, assertIs } from './option-checks.ts';
import { describe, isPlainObject } from './params.ts';
import type { PollOptions } from './loop.ts';

/** Names that are no members yet and would do harm: `stream` is to come, and `then` would make a thenable of it. */
const RESERVED = ['stream', 'then'];

/** The rest of what requests of a resource are made of. */
export interface ActionsPorts {
  /** The resource's name in messages and `inspect()`; empty for none. */
  readonly name: string;
  /** Gives the URL that an action's relative one is resolved against. */
  readonly documentUrl: (baseUrl: string, action: string) => string;
}

/** The contents of one call of an action. The last one is kept for `refresh`, and for loops without parameters. */
export interface Asked {
  readonly params: InputParams;
  readonly data: RequestData;
  readonly options: InvokeOptions;
  /** The body as it was sent; null before that. */
  readonly encoded: EncodedBody | Promise<EncodedBody> | null;
}

/** A request that is ready but for its id, and its body. */
interface Request {
  readonly prepared: Prepared;
  readonly call: Omit<Call, 'id'>;
}

/** The actions of a resource, and all that goes into their requests. */
export class DeclaredActions {
  /** True once the resource has ended, and takes nothing any more. */
  isDisposed = false;
  readonly #ports: ActionsPorts;
  readonly #actions = new Map<string, Action>();
  readonly #callbacks = new Set<{ readonly callback: ConfigureRequest; readonly action: string | null }>();

  /** Text put before every template. */
  #baseUrl: string;

  constructor(baseUrl: string, ports: ActionsPorts) {
    this.#baseUrl = baseUrl;
    this.#ports = ports;
  }

  map(name: string, method: unknown, url: unknown, checks: unknown, options: DeclareOptions): void {
    this.assertAlive();
    this.#actions.set(name, declareAction(name, method, url, checks, options));
  }

  find(name: string): Action | undefined {
    return this.#actions.get(name);
  }

  /** @throws Error where there is none of that name, or the resource has been disposed. */
  get(name: string): Action {
    this.assertAlive();
    const action = this.#actions.get(name);
    if (!action) throw new Error(`No route for action ${name}`);
    return action;
  }

  /** Adds a callback, of one action or of all; the returned function removes it. */
  configureRequest(callback: ConfigureRequest, action: string | null): () => void {
    this.assertAlive();
    if (typeof callback !== 'function') throw new TypeError('configureRequest takes a function');
    const entry = { callback, action };
    this.#callbacks.add(entry);
    return () => {
      this.#callbacks.delete(entry);
    };
  }

  setBaseUrl(url: string): void {
    this.assertAlive();
    this.#baseUrl = url;
  }

  assertAlive(): void {
    if (this.isDisposed) throw new Error('This resource has been disposed');
  }

  /** Makes a request of an action; `revalidate` where the stored validators go along. */
  request(name: string, asked: Asked, link: Link, revalidate: boolean): Request {
    const action = this.get(name);
    const { params, data } = asked;
    const prepared = prepare({
      ...asked,
      action,
      label: this.#ports.name === '' ? name : `${this.#ports.name}.${name}`,
      callbacks: this.#callbacksOf(name),
      settings: link.settings,
      baseUrl: this.#baseUrl,
      documentUrl: this.#ports.documentUrl(this.#baseUrl, name),
      revalidate,
    });
    const { method, template } = action;
    const schema = action.options.response ?? null;
    const { timeout } = prepared;
    return { prepared, call: { action: name, method, template, params, data, schema, timeout } };
  }

  /** Makes the request of a loop, with the request to catch up made of the loop's own parameters. */
  loopRequest(name: string, asked: Asked, { cursor, ...place }: PlaceOrder, link: Link): LoopRequest {
    const request = this.request(name, asked, link, true);
    if (!cursor) return { ...request, place };
    const catchUp = cursor.catchUp === null ? null : this.#catchUp(cursor.catchUp, asked, link);
    const invocation = catchUp && catchUp.prepared.finish(NO_BODY);
    return {
      ...request,
      place: { ...place, cursor: { ...cursor, catchUp: invocation } },
      catchUp: catchUp && catchUp.call,
    };
  }

  #catchUp(name: string, { params, options }: Asked, link: Link): Request {
    // The loop's timeout is how long it may wait for news.
    const { timeout: _watchdog, ...others } = options;
    return this.request(name, { params, data: null, options: others, encoded: NO_BODY }, link, true);
  }

  #callbacksOf(name: string): ConfigureRequest[] {
    const ofAction = [...this.#callbacks].filter(({ action }) => action === null || action === name);
    return ofAction.map(({ callback }) => callback);
  }
}

/** The declaration of an action. */
export type Mapping = [
  action: string,
  method: string,
  url: string,
  check?: Checks | undefined,
  options?: DeclareOptions | undefined,
];

/** The part of a resource that has to do with its actions, whatever it makes of what becomes of them. */
interface Mapped {
  map(...mapping: Mapping): void;
  invoke(action: string, ...call: ActionCall): number;
}

/** Declares an action, which becomes a method of its resource; one of the same name is replaced. */
export function mapAction(resource: Mapped, actions: DeclaredActions, ...mapping: Mapping): void {
  const [action, method, url, check, options = {}] = mapping;
  assertName(action, resource, actions.find(action) !== undefined);
  actions.map(action, method, url, check, options);
  Object.defineProperty(resource, action, {
    configurable: true,
    enumerable: true,
    value: (...call: ActionCall): number => resource.invoke(action, ...call),
  });
}

/** Declares all actions of a description, as if each had been mapped. @throws TypeError where it is no plain object. */
export function mapAll(resource: Mapped, description: Description): void {
  if (!isPlainObject(description)) {
    throw new TypeError(`A resource is made with an object of its actions, got ${describe(description)}`);
  }
  for (const [action, described] of Object.entries(description)) {
    unlessProduction(() => assertIs(`The description of '${action}'`, described, anObject()));
    const { method, url, check, ...options } = described;
    resource.map(action, method, url, check, options);
  }
}

/**
 * An action becomes a method of its resource, so its name must be free there.
 * @throws TypeError where it is no name; Error where it is taken by anything but an action.
 */
export function assertName(name: unknown, resource: object, isAction: boolean): asserts name is string {
  if (typeof name !== 'string' || name === '')
    throw new TypeError('The name of an action must be a non-empty string');
  if (RESERVED.includes(name) || (name in resource && !isAction)) {
    throw new Error(`Method with name of action (${name}) already exists`);
  }
}

type Given = InputParams | null | undefined;

/** The arguments of `poll`: with options, or in the classic order. */
export type PollCall =
  | [action: string, params?: Given, options?: PollOptions | undefined]
  | [action: string, interval: number, params?: Given, immediately?: boolean | undefined];

/** Both orders say the same, but the classic one waits an interval first unless it says otherwise. */
export function pollCallOf(call: PollCall): readonly [string, Given, PollOptions] {
  if (!isClassic(call)) return [call[0], call[1], call[2] ?? {}];
  const [action, interval, params, immediately = false] = call;
  return [action, params, { interval, immediately }];
}

function isClassic(call: PollCall): call is Extract<PollCall, [string, number, ...unknown[]]> {
  return typeof call[1] === 'number';
}
