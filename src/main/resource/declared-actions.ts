import { declareAction } from './action.ts';
import type { Action, DeclareOptions, Description, ActionDescription, ActionParams } from './action.ts';
import { NO_BODY } from './body.ts';
import type { RequestData } from './body.ts';
import type { CursorDeclaration } from './cursor-options.ts';
import type { Link } from './link.ts';
import type { LoopRequest } from './loop-order.ts';
import type { Call } from './notice.ts';
import type { InputParams } from './params.ts';
import { prepare } from './prepare.ts';
import type { Asked, InvokeOptions, Prepared, ConfigureRequest } from './prepare.ts';
import type { Ticket } from '../../shared/outbox.ts';
import { brief, ticketOf } from './ticket.ts';
import type { Queued } from '../outbox/entry.ts';
import type { Optimism } from '../optimistic/write.ts';
import type { Checks } from './check.ts';
import { unlessProduction } from '../development.ts';
import { anObject, assertIs } from './option-checks.ts';
import { describe, isPlainObject } from './params.ts';
import type { PollOptions } from './loop.ts';
import type { SchemaOutput, StandardSchemaV1 } from '../../shared/standard-schema.ts';

/** Not members yet, but harmful as actions: `stream` is planned, and `then` would make the resource a thenable. */
const RESERVED = ['stream', 'then'];

export interface ActionsPorts {
  /** The resource's name in messages and `inspect()`; empty for none. */
  readonly name: string;
  /** Returns the URL against which an action's relative URL is resolved. */
  readonly documentUrl: (baseUrl: string, action: string) => string;
  /** An action was declared, perhaps in the place of another. */
  readonly mapped?: () => void;
}

/** A request that lacks only its id and its body. */
interface Request {
  readonly prepared: Prepared;
  readonly call: Omit<Call, 'id'>;
  /** For a call that is to be queued. */
  readonly ticket?: Ticket;
}

/** The actions of a resource, and everything that goes into their requests. */
export class DeclaredActions {
  /** True once the resource is disposed. */
  isDisposed = false;
  readonly #ports: ActionsPorts;
  readonly #actions = new Map<string, Action>();
  readonly #callbacks = new Set<{ readonly callback: ConfigureRequest; readonly action: string | null }>();

  /** By the actions whose answers they change. */
  readonly #optimisms = new Map<string, ReadonlyMap<string, Optimism>>();
  #isOptimistic: boolean | null = null;
  #usedName: string | null = null;
  #baseUrl: string;

  constructor(baseUrl: string, ports: ActionsPorts) {
    this.#baseUrl = baseUrl;
    this.#ports = ports;
  }

  map(name: string, method: unknown, url: unknown, checks: unknown, options: DeclareOptions): void {
    this.assertAlive();
    const action = declareAction(name, method, url, checks, options);
    for (const other of changedBy(options)) if (other !== name) this.get(other);
    this.#actions.set(name, action);
    this.#optimisms.clear();
    this.#isOptimistic = null;
    this.#ports.mapped?.();
  }

  find(name: string): Action | undefined {
    return this.#actions.get(name);
  }

  /** @throws Error where no action has that name, or the resource has been disposed. */
  get(name: string): Action {
    this.assertAlive();
    const action = this.#actions.get(name);
    if (!action) throw new Error(`No route for action ${name}`);
    return action;
  }

  /** True where any action changes answers of others before it is done. */
  get isOptimistic(): boolean {
    this.#isOptimistic ??= [...this.#actions.values()].some(
      ({ options }) => options.optimistic !== undefined,
    );
    return this.#isOptimistic;
  }

  /** True where any action changes answers of others, before it is done or after. */
  get isChanging(): boolean {
    return this.isOptimistic || [...this.#actions.values()].some(({ options }) => options.invalidates);
  }

  /** How actions change the answers of that one, by their names. */
  optimismFor(target: string): ReadonlyMap<string, Optimism> {
    const known = this.#optimisms.get(target);
    if (known) return known;
    const all = [...this.#actions.values()].flatMap(({ name, options: { optimistic = {} } }) => {
      const apply = Object.hasOwn(optimistic, target) ? optimistic[target] : undefined;
      return apply ? [[name, apply] as const] : [];
    });
    const made = new Map(all);
    this.#optimisms.set(target, made);
    return made;
  }

  /** Adds a callback for one action, or for all where `action` is null; the returned function removes it. */
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

  /**
   * Makes a request. With `revalidate` the stored validators go along; with `storedFirst` what is stored is told while
   * the server is asked.
   */
  request(name: string, asked: Asked, link: Link, revalidate: boolean, storedFirst = false): Request {
    const action = this.get(name);
    const { params, data } = asked;
    const documentUrl = this.#ports.documentUrl(this.#baseUrl, name);
    const prepared = prepare({
      ...asked,
      action,
      label: this.#ports.name === '' ? name : `${this.#ports.name}.${name}`,
      callbacks: this.#callbacksOf(name),
      settings: link.settings,
      baseUrl: this.#baseUrl,
      documentUrl,
      revalidate,
      storedFirst,
      invalidates: templatesOf(changedBy(action.options).map((other) => this.get(other))),
    });
    const { method, template } = action;
    const schema = action.options.response ?? null;
    const { timeout } = prepared;
    const { secretHeaders } = link.settings;
    const { headers } = prepared;
    const queueing = { action, params, data, headers, secretHeaders, baseUrl: this.#baseUrl, documentUrl };
    return {
      ...(action.options.offline === 'queue' && {
        ticket: ticketOf({ ...queueing, resource: this.useName() }),
      }),
      prepared,
      call: {
        action: name,
        method,
        template,
        params,
        data,
        asked: { ...asked, encoded: prepared.encoded },
        declared: action,
        schema,
        timeout,
      },
    };
  }

  /** Makes the request of a loop. Its catch-up request uses the loop's own parameters. */
  loopRequest(name: string, asked: Asked, { cursor, ...rest }: CursorDeclaration, link: Link): LoopRequest {
    const request = this.request(name, asked, link, true);
    if (!cursor) return { ...request, following: rest };
    const catchUp = cursor.catchUp === null ? null : this.#catchUp(cursor.catchUp, asked, link);
    const invocation = catchUp && catchUp.prepared.finish(NO_BODY);
    return {
      ...request,
      following: { ...rest, cursor: { ...cursor, catchUp: invocation } },
      catchUp: catchUp && catchUp.call,
    };
  }

  /** The resource's name as writes have it. Of one without, what it is made of: the same in later lives of the page. */
  get resourceName(): string {
    const { name } = this.#ports;
    const actions = [...this.#actions.values()].map((action) => `${action.name} ${action.template}`);
    return this.#usedName ?? brief(name === '' ? [this.#baseUrl, ...actions].join(' ') : name);
  }

  /** The same for a write: from here on it stays, whatever is declared. */
  useName(): string {
    this.#usedName ??= this.resourceName;
    return this.#usedName;
  }

  #catchUp(name: string, { params, options }: Asked, link: Link): Request {
    // The loop's timeout says how long a request may wait for news; it does not fit the catch-up request.
    const { timeout: _watchdog, ...others } = options;
    return this.request(name, { params, data: null, options: others, encoded: NO_BODY }, link, true);
  }

  #callbacksOf(name: string): ConfigureRequest[] {
    const ofAction = [...this.#callbacks].filter(({ action }) => action === null || action === name);
    return ofAction.map(({ callback }) => callback);
  }
}

/** The actions whose answers a success makes stale. */
function changedBy({ invalidates = [], optimistic = {} }: DeclareOptions): readonly string[] {
  return [...new Set([...invalidates, ...Object.keys(optimistic)])];
}

function templatesOf(actions: readonly Action[]): readonly string[] | undefined {
  return actions.length > 0 ? actions.map(({ template }) => template) : undefined;
}

export type Mapping = [
  action: string,
  method: string,
  url: string,
  check?: Checks | undefined,
  options?: DeclareOptions | undefined,
];

/** The part of a resource that deals with actions; events and plain objects both build on it. */
interface Mapped {
  map(...mapping: Mapping): void;
  invoke(action: string, ...call: ActionCall): number;
}

/** Declares an action, which becomes a method of its resource. It replaces one of the same name. */
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

/** Declares all actions of a description, as `map` does for one. @throws TypeError where it is not a plain object. */
export function mapAll(resource: Mapped, description: Description): void {
  if (!isPlainObject(description)) {
    throw new TypeError(`A resource is made with an object of its actions, got ${describe(description)}`);
  }
  const all = Object.entries(description);
  for (const [action, described] of all) {
    unlessProduction(() => assertIs(`The description of '${action}'`, described, anObject()));
    const { method, url, check, invalidates: _later, optimistic: _too, ...options } = described;
    resource.map(action, method, url, check, options);
  }
  // Once all names are known.
  for (const [action, { method, url, check, ...options }] of all)
    if (options.invalidates !== undefined || options.optimistic !== undefined)
      resource.map(action, method, url, check, options);
}

/**
 * An action becomes a method of its resource, so its name must be free there.
 * @throws TypeError where it is not a name; Error where something other than an action has that name.
 */
export function assertName(name: unknown, resource: object, isAction: boolean): asserts name is string {
  if (typeof name !== 'string' || name === '')
    throw new TypeError('The name of an action must be a non-empty string');
  if (RESERVED.includes(name) || (name in resource && !isAction)) {
    throw new Error(`Method with name of action (${name}) already exists`);
  }
}

type Given = InputParams | null | undefined;

export type PollCall =
  | [action: string, params?: Given, options?: PollOptions | undefined]
  | [action: string, interval: number, params?: Given, immediately?: boolean | undefined];

/** Both orders mean the same, but in the classic one the first request waits one interval unless told otherwise. */
export function pollCallOf(call: PollCall): readonly [string, Given, PollOptions] {
  if (!isClassic(call)) return [call[0], call[1], call[2] ?? {}];
  const [action, interval, params, immediately = false] = call;
  return [action, params, { interval, immediately }];
}

function isClassic(call: PollCall): call is Extract<PollCall, [string, number, ...unknown[]]> {
  return typeof call[1] === 'number';
}

declare const RESPONSE: unique symbol;

/** The arguments of a call. `params` may be left out or null where no parameter is required. */
export type ActionCall<Params = InputParams> =
  Partial<Params> extends Params
    ? [params?: Params | null, data?: RequestData, options?: InvokeOptions]
    : [params: Params, data?: RequestData, options?: InvokeOptions];

/** An action as a method: returns the invocation's id. */
export type ActionMethod<Params = InputParams, Response = unknown> = (
  ...call: ActionCall<Params>
) => InvocationId<Response>;

/** The methods of described actions, by name. */
export type Actions<D extends Description> = {
  readonly [Name in keyof D]: ActionMethod<ActionParams<D[Name]>, CallResult<D[Name]>>;
};

/** The type of an action's answer: the output of its `response` schema, unknown where it has none. */
export type ActionResponse<Described extends ActionDescription> = Described extends {
  readonly response: infer Schema extends StandardSchemaV1;
}
  ? SchemaOutput<Schema>
  : unknown;

/** What a call fulfils with. One that queues is answered at once where nothing can be stored. */
export type CallResult<Described extends ActionDescription> = Described extends { readonly offline: 'queue' }
  ? Queued | ActionResponse<Described>
  : ActionResponse<Described>;

export type ActionName<D extends Description> = Extract<keyof D, string>;

/**
 * The actions of a resource without a description: `map` adds them, and the compiler accepts any name. The usual names
 * are spelled out, since under `noPropertyAccessFromIndexSignature` any other is written `photo['archive']`.
 */
export interface UntypedActions {
  readonly get: ActionMethod;
  readonly put: ActionMethod;
  readonly post: ActionMethod;
  readonly patch: ActionMethod;
  readonly del: ActionMethod;
  readonly list: ActionMethod;
  readonly [action: string]: ActionMethod;
}

/**
 * The number of an invocation as the call returns it: a positive integer, unique in the page. The type parameter, which
 * only the compiler sees, is the type of the answer.
 */
export type InvocationId<Response = unknown> = number & { readonly [RESPONSE]?: () => Response };
