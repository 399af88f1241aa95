import type { LoadFunctions, WorkerFunction, WorkerFunctions } from '../../shared/engine.ts';
import type { Failure, SchemaIssue } from '../../shared/failure.ts';
import { issueOf, summary } from '../../shared/standard-schema.ts';
import type { StandardSchemaV1 } from '../../shared/standard-schema.ts';
import { isSafe } from '../../shared/invocation.ts';
import type { Invocation } from '../../shared/invocation.ts';
import type { Answer } from '../../shared/outcome.ts';
import type { RowsQuery, FunctionCall } from '../../shared/part.ts';
import type { ReadBody, Arrangement } from '../contracts/read-body.ts';
import { headerValue, saysJson } from '../../shared/header.ts';

export type Made =
  | { readonly kind: 'made'; readonly value: unknown }
  /** `refused`: what a schema was given; missing where a function failed. */
  | { readonly kind: 'failed'; readonly failure: Failure; readonly refused?: unknown };

/** The functions that an app gave to the worker. Pages name them, since functions do not cross threads. */
export class Functions {
  readonly #load: LoadFunctions;

  /** `load` may be called often. */
  constructor(load: LoadFunctions) {
    this.#load = load;
  }

  /** Why these cannot be used; null if they can. */
  async refuse(names: readonly string[]): Promise<Failure | null> {
    try {
      const functions = await this.#load();
      const unknown = names.find((name) => !givenBy(functions, name));
      return unknown === undefined ? null : unknownFunction(unknown, functions);
    } catch (error) {
      return broken(`The functions cannot be loaded: ${String(error)}`);
    }
  }

  /** A text that differs if one of the functions does, so that their results are not taken for each other. */
  async textOf(names: readonly string[]): Promise<string> {
    const functions = await this.#load();
    return JSON.stringify(names.map((name) => [name, sourceOf(givenBy(functions, name))]));
  }

  /** Sends a value through the functions, one after the other; never rejects. */
  async apply(names: readonly string[], value: unknown): Promise<Made> {
    let made: Made = { kind: 'made', value };
    for (const name of names) {
      if (made.kind === 'failed') break;
      made = await this.#apply(name, made.value);
    }
    return made;
  }

  async #apply(name: string, value: unknown): Promise<Made> {
    try {
      const functions = await this.#load();
      const given = givenBy(functions, name);
      if (!given) return { kind: 'failed', failure: unknownFunction(name, functions) };
      if ('~standard' in given) return await judged(name, given, value);
      return { kind: 'made', value: call(given, [value]) };
    } catch (error) {
      return { kind: 'failed', failure: broken(`The worker's function '${name}' failed: ${String(error)}`) };
    }
  }

  /** A function of rows, which is called for many of them; null if there is none of that name, or it is a schema. */
  async find(name: string): Promise<WorkerFunction | null> {
    const functions = await this.#load();
    const found = givenBy(functions, name);
    return typeof found === 'function' ? found : null;
  }
}

/** Null if there is none of that name; inherited names, such as `toString`, are not the app's functions. */
function givenBy(functions: WorkerFunctions, name: string): WorkerFunction | StandardSchemaV1 | null {
  return Object.hasOwn(functions, name) ? (functions[name] ?? null) : null;
}

/** @throws TypeError if it returns a promise; also throws whatever the function throws. */
export function call(given: WorkerFunction, values: readonly unknown[]): unknown {
  const value: unknown = Reflect.apply(given, undefined, values);
  if (!isPromise(value)) return value;
  throw new TypeError('it returns a promise, which schemas alone may');
}

/** A JSON object may have a member `then`, too, but not a function. */
function isPromise(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

async function judged(name: string, schema: StandardSchemaV1, value: unknown): Promise<Made> {
  const result = await schema['~standard'].validate(value);
  if (!result.issues) return { kind: 'made', value: result.value };
  const issues = result.issues.map(issueOf).map(inWords);
  const message = `The answer is not what the worker's schema '${name}' says: ${summary(issues)}`;
  return { kind: 'failed', failure: { code: 'schema', message, issues }, refused: value };
}

/** In a form that a message can carry: a path may contain symbols. */
function inWords({ message, path }: SchemaIssue): SchemaIssue {
  const words = path.map((segment) => (typeof segment === 'number' ? segment : String(segment)));
  return { message, path: words };
}

function sourceOf(given: WorkerFunction | StandardSchemaV1 | null): string {
  return String(given && '~standard' in given ? given['~standard'].validate : given);
}

function unknownFunction(name: string, functions: WorkerFunctions): Failure {
  const names = Object.keys(functions);
  const known = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`;
  return broken(
    `The worker has no function '${name}' (${known}): see 'functions' of install() and connect()`,
  );
}

function broken(message: string): Failure {
  return { code: 'function', message };
}

const AS_IT_IS: Transformed = { kind: 'as-it-is' };

export interface FunctionsPort {
  /** Why these cannot be used; null if they can. */
  readonly refuse: (names: readonly string[]) => Promise<Failure | null>;
  readonly transform: (
    invocation: Invocation,
    answer: Answer<ReadBody>,
    bytes: ArrayBuffer,
  ) => Promise<Transformed>;
  /** How a rows query filters and sorts. */
  readonly arrangementOf: (part: RowsQuery) => Promise<Arranging>;
}

export function functionsPort(functions: Functions): FunctionsPort {
  return {
    refuse: (names) => functions.refuse(names),
    transform: (invocation, answer, bytes) => transform(functions, invocation, answer, bytes),
    arrangementOf: (part) => arrangementOf(functions, part),
  };
}

type Arranging =
  | { readonly kind: 'arranging'; readonly arrangement: Arrangement | null }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** The functions by which a rows query filters and sorts; never rejects. */
async function arrangementOf(functions: Functions, { filter, sorter }: RowsQuery): Promise<Arranging> {
  if (!filter && !sorter) return { kind: 'arranging', arrangement: null };
  const names = [filter, sorter].flatMap((each) => each?.name ?? []);
  const failure = await functions.refuse(names);
  if (failure) return { kind: 'failed', failure };
  try {
    const keep = filter ? await callOf(functions, filter) : null;
    const compare = sorter ? await callOf(functions, sorter) : null;
    const arrangement: Arrangement = {
      keep: keep && ((row) => Boolean(keep(row))),
      compare: compare && ((one, other) => Number(compare(one, other))),
      key: JSON.stringify([filter ?? null, sorter ?? null, await functions.textOf(names)]),
    };
    return { kind: 'arranging', arrangement };
  } catch (error) {
    return { kind: 'failed', failure: { code: 'function', message: String(error) } };
  }
}

async function callOf(
  functions: Functions,
  { name, given }: FunctionCall,
): Promise<(...rows: readonly unknown[]) => unknown> {
  const called = await functions.find(name);
  if (!called) throw new TypeError(`'${name}' is no function of rows`);
  const more = listOf(given);
  return (...rows) => call(called, [...rows, ...more]);
}

/** @throws SyntaxError or TypeError if the text is not a JSON list. */
function listOf(given: string): readonly unknown[] {
  const list: unknown = JSON.parse(given);
  if (Array.isArray(list)) return list;
  throw new TypeError('What a function is given beside rows must be a list');
}

type Transformed =
  | { readonly kind: 'transformed'; readonly bytes: ArrayBuffer }
  /** It has no body, or is not JSON though it says so. */
  | { readonly kind: 'as-it-is' }
  /** `refused`: the body of the answer to a write, as a schema was given it; undefined where there is none. */
  | { readonly kind: 'failed'; readonly failure: Failure; readonly refused?: unknown };

/** Sends an answer through its action's functions. Later steps see the result as the server's. Never rejects. */
async function transform(
  functions: Functions,
  { action, method, policy }: Invocation,
  { headers, body }: Answer<ReadBody>,
  bytes: ArrayBuffer,
): Promise<Transformed> {
  const names = policy.transform ?? [];
  if (names.length === 0 || bytes.byteLength === 0) return AS_IT_IS;
  if (!saysJson(headers)) return failed(`of '${action}' takes JSON; the answer is of ${typeOf(headers)}`);
  const read = body.kind === 'value' ? body : parsed(bytes);
  if (read === null) return AS_IT_IS;
  const made = await functions.apply(names, read.value);
  if (made.kind === 'failed') return { ...made, refused: isSafe(method) ? undefined : plain(made.refused) };
  return written(`of '${action}' (${names.join(', ')})`, made.value);
}

/** As JSON has it; undefined where that cannot express it: functions before may have made what no message carries. */
function plain(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value));
  } catch {
    return undefined;
  }
}

/** JSON cannot express cycles, a BigInt, or nothing at all. */
function written(what: string, value: unknown): Transformed {
  try {
    const text: string | undefined = JSON.stringify(value);
    return text === undefined
      ? failed(`${what} gave nothing`)
      : { kind: 'transformed', bytes: bytesOf(text) };
  } catch (error) {
    return failed(`${what} gave what is no JSON: ${String(error)}`);
  }
}

/** Null if it is not JSON: the code that reads it next finds that out and tells it. */
function parsed(bytes: ArrayBuffer): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(new TextDecoder().decode(bytes)) };
  } catch {
    return null;
  }
}

function bytesOf(text: string): ArrayBuffer {
  const { buffer, byteOffset, byteLength } = new TextEncoder().encode(text);
  return buffer.slice(byteOffset, byteOffset + byteLength);
}

function typeOf(headers: Answer['headers']): string {
  return headerValue(headers, 'content-type') ?? 'no type';
}

function failed(what: string): Transformed {
  return { kind: 'failed', failure: { code: 'function', message: `The 'transform' ${what}` } };
}
