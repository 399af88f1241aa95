import { isToken } from '../../shared/header.ts';
import { isSafe, REFUSED_METHODS } from '../../shared/invocation.ts';
import type { CachePolicy } from '../../shared/invocation.ts';
import { parseTemplate } from '../../shared/template.ts';
import { unlessProduction } from '../development.ts';
import { assertChecks } from './check.ts';
import type { Checks } from './check.ts';
import {
  aCachePolicy,
  aFunction,
  aPointer,
  assertRules,
  names,
  oneOf,
  someFunctions,
  someHeaders,
  someNames,
} from './option-checks.ts';
import type { Rules } from './option-checks.ts';
import type { Optimism } from '../optimistic/write.ts';
import { assertSchema } from '../../shared/standard-schema.ts';
import type { StandardSchemaV1 } from '../../shared/standard-schema.ts';
import type { Operator } from '../../shared/template.ts';
import type { InputParams, InputScalar, InputValue, PresentValue } from './params.ts';

/** Headers by name. Where a list of pairs or a Map repeats a name, the later value counts. */
export type RequestHeaders =
  | Readonly<Record<string, string>>
  | Headers
  | ReadonlyMap<string, string>
  | readonly (readonly [name: string, value: string])[];

/** How requests are sent and answered, for an action or for one call of it. */
export interface ActionOptions {
  /** Milliseconds until the last byte of the answer, repetitions included (default: the connection's). */
  readonly timeout?: number;
  /** How often a safe or idempotent request is repeated on network failure, 408, 425, 429 and 5xx (default 0). */
  readonly retry?: number;
  /** Headers of every request; `configureRequest` may change them. */
  readonly headers?: RequestHeaders;
  /** How stored answers are used; `network-only` neither stores nor serves any (default `default`). */
  readonly cache?: CachePolicy;
  /** As in fetch (default: the connection's). */
  readonly credentials?: RequestCredentials;
  /** As in fetch (default: the connection's). */
  readonly mode?: 'cors' | 'same-origin';
}

/** The options of an action's declaration, in addition to its method, URL and checks. */
export interface DeclareOptions extends ActionOptions {
  /**
   * A Standard Schema that every answer must pass; or `Resource.type<T>()`, which tests nothing; or `Resource.text`,
   * for text and HTML: where an action prefers JSON, as it does by default, an answer of HTML fails with code `parse`.
   */
  readonly response?: StandardSchemaV1;
  /**
   * Names of the worker's functions or schemas (default none). Every answer goes through them in this order before it
   * is stored, compared or sent to the page. The page then pays only for changes in their result.
   */
  readonly transform?: string | readonly string[];
  /**
   * Names of actions of the same resource (default none). A success makes all their stored answers stale, with any
   * parameters, and loops of theirs ask at once, in every tab.
   */
  readonly invalidates?: readonly string[];
  /**
   * A call is stored on the device and acknowledged by `<action>Queued`, then sent, as often as that takes, also by later
   * lives of the page. Its answer comes as `<action>Success`. For methods that change something.
   */
  readonly offline?: 'queue';
  /**
   * Names the lane of a call that is queued: writes of one lane are sent one after the other, in their order (default: the
   * URL before the first parameter, without a slash at its end).
   */
  readonly lane?: (params: InputParams, data: unknown) => string;
  /**
   * Where in the answer the id of what a queued call creates stands: a JSON Pointer (RFC 6901), such as `/id`. The call has a
   * temporary id then, which params and data of later queued calls may name at once.
   */
  readonly creates?: string;
  /**
   * How a call changes the answers of other actions of the resource, by their names, before their server says so: pure functions,
   * as `appendRow` and `changeRow` are. Queries and stores of these show it at once and in every tab, until an answer contains it, or
   * until it is refused. What it changes, it invalidates. Events and results show what servers say.
   */
  readonly optimistic?: Readonly<Record<string, Optimism>>;
}

/** One action as an application declares it. */
export interface ActionDescription extends DeclareOptions {
  /** Any HTTP token except TRACE, TRACK and CONNECT. */
  readonly method: string;
  /** An RFC 6570 template, extended by defaults: `{name=default}`. */
  readonly url: string;
  /** The conditions that parameters must meet. */
  readonly check?: Checks;
}

/** The actions of a resource by name. */
export type Description = Readonly<Record<string, ActionDescription>>;

/** An action whose declaration has been checked. */
export interface Action {
  readonly name: string;
  readonly method: string;
  readonly template: string;
  readonly checks: Checks;
  readonly options: DeclareOptions;
}

/** @throws Error, TypeError, RangeError or TemplateError where the declaration is wrong. */
export function declareAction(
  name: string,
  method: unknown,
  url: unknown,
  checks: unknown,
  options: DeclareOptions,
): Action {
  if (typeof method !== 'string') throw new Error(`Method must be string for route '${name}'`);
  if (typeof url !== 'string') throw new Error(`URL must be string for route '${name}'`);
  assertMethod(name, method);
  parseTemplate(url);
  const declared = checks ?? {};
  assertChecks(name, declared);
  assertRules(`'${name}'`, options, declareRules);
  assertOptions(name, options);
  if (options.offline !== undefined && isSafe(method.toUpperCase()))
    throw new TypeError(`'${name}' cannot be queued: ${method} changes nothing`);
  if (options.creates !== undefined && options.offline !== 'queue')
    throw new TypeError(`'${name}' has no temporary id, since it is not queued: set offline to 'queue'`);
  if (options.optimistic !== undefined && isSafe(method.toUpperCase()))
    throw new TypeError(`'${name}' cannot be optimistic: ${method} changes nothing`);
  const { response } = options;
  if (response !== undefined) unlessProduction(() => assertSchema(name, response));
  return { name, method: method.toUpperCase(), template: url, checks: { ...declared }, options };
}

/** Numbers have no rule here: every build checks them where they are used. */
export function actionRules(): Rules<ActionOptions> {
  return {
    timeout: null,
    retry: null,
    headers: someHeaders(),
    cache: aCachePolicy(),
    credentials: oneOf('omit', 'same-origin', 'include'),
    mode: oneOf('cors', 'same-origin'),
  };
}

function declareRules(): Rules<DeclareOptions> {
  return {
    ...actionRules(),
    response: null,
    transform: names(),
    invalidates: someNames(),
    offline: oneOf('queue'),
    lane: aFunction(),
    creates: aPointer(),
    optimistic: someFunctions(),
  };
}

/** @throws RangeError where a number is out of its range. */
export function assertOptions(
  name: string,
  { timeout, retry }: Pick<ActionOptions, 'timeout' | 'retry'>,
): void {
  if (timeout !== undefined && !(timeout > 0 && Number.isFinite(timeout))) {
    throw new RangeError(`Timeout of '${name}' must be a number of milliseconds above 0, got ${timeout}`);
  }
  if (retry !== undefined && !(Number.isInteger(retry) && retry >= 0)) {
    throw new RangeError(`Retry of '${name}' must be a whole number of repetitions from 0, got ${retry}`);
  }
}

function assertMethod(name: string, method: string): void {
  if (!isToken(method)) throw new TypeError(`Method of '${name}' must be an HTTP token, got '${method}'`);
  if (REFUSED_METHODS.includes(method.toUpperCase())) {
    throw new TypeError(
      `Method of '${name}' must not be ${method.toUpperCase()}: browsers refuse to send it`,
    );
  }
}

/**
 * The parameters of an action, as its template and its checks name them; those with a check are required. Where the
 * compiler does not know the exact text of the template or the names of the checks, any parameters are allowed.
 */
export type ActionParams<Described extends ActionDescription> =
  IsKnown<Described['url']> extends true
    ? IsKnown<CheckedNames<Described>> extends true
      ? NamedParams<Described['url'], CheckedNames<Described>>
      : InputParams
    : InputParams;

type NamedParams<Url extends string, Checked extends string> = [TemplateNames<Url> | Checked] extends [never]
  ? NoParams
  : Flat<
      { [Name in Checked]: IfCut<Name, Url, InputScalar, PresentValue> } & {
        [Name in Exclude<TemplateNames<Url>, Checked>]?: IfCut<
          Name,
          Url,
          InputScalar | null | undefined,
          InputValue
        >;
      }
    >;

/** An empty object type would accept every object. */
type NoParams = Readonly<Record<string, undefined>>;

/** A prefix modifier cannot cut a list or a map (RFC 6570 section 2.4.1): the worker refuses that. */
type IfCut<Name extends string, Url extends string, Cut, Whole> =
  `${Name}:` extends CutMark<VariablesOf<Url>> ? Cut : Whole;

/** The names of a template's variables, without duplicates, as `templateNames` finds them. */
export type TemplateNames<Url extends string> = NameOf<VariablesOf<Url>>;

/** The variables as written, without the operator of their expression: `id`, `size=medium`, `tags*`, `name:3`. */
type VariablesOf<
  Url extends string,
  Found extends string = never,
> = Url extends `${string}{${infer Inside}}${infer Rest}`
  ? VariablesOf<Rest, Found | Listed<Inside extends `${Exclude<Operator, ''>}${infer List}` ? List : Inside>>
  : Found;

type Listed<List extends string, Found extends string = never> = List extends `${infer First},${infer Rest}`
  ? Listed<Rest, Found | First>
  : Found | List;

type NameOf<Variable extends string> = Variable extends unknown ? Unmodified<HeadOf<Variable>> : never;

type Unmodified<Head extends string> = Head extends `${infer Name}*`
  ? Name
  : Head extends `${infer Name}:${string}`
    ? Name
    : Head;

/** `name:` for each variable with a prefix modifier. */
type CutMark<Variable extends string> = Variable extends unknown
  ? HeadOf<Variable> extends `${infer Name}:${string}`
    ? `${Name}:`
    : never
  : never;

/** A variable without its default, which may contain any character except a brace and a comma. */
type HeadOf<Variable extends string> = Variable extends `${infer Head}=${string}` ? Head : Variable;

type CheckedNames<Described extends ActionDescription> = Described extends { readonly check: infer Tested }
  ? keyof Tested & string
  : never;

/** True where the compiler knows the exact text: `string` and `/photo/${string}` make an index signature. */
type IsKnown<Text extends string> = [Text] extends [never]
  ? true
  : { readonly none?: unknown } extends Record<Text, unknown>
    ? false
    : true;

/** Makes one object type of an intersection, as editors show it. */
type Flat<T> = T extends infer Whole ? { [Name in keyof Whole]: Whole[Name] } : never;
