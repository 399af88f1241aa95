import type { LoadFunctions, WorkerFunction, WorkerFunctions } from '../../shared/engine.ts';
import type { Failure, SchemaIssue } from '../../shared/failure.ts';
import { issueOf, summary } from '../../shared/schema-issues.ts';
import type { StandardSchemaV1 } from '../../shared/standard-schema.ts';

export type Made =
  { readonly kind: 'made'; readonly value: unknown } | { readonly kind: 'failed'; readonly failure: Failure };

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
  return { kind: 'failed', failure: { code: 'schema', message, issues } };
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
