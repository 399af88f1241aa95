import type { Failure } from '../../shared/failure.ts';
import type { Invocation } from '../../shared/invocation.ts';
import type { Answer } from '../../shared/outcome.ts';
import type { RowsQuery, FunctionCall } from '../../shared/part.ts';
import type { ReadBody } from '../contracts/read-body.ts';
import type { Functions } from './functions.ts';
import type { Arrangement } from '../contracts/arrangement.ts';
import { call } from './functions.ts';
import { headerValue, saysJson } from '../../shared/header.ts';

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
  | { readonly kind: 'failed'; readonly failure: Failure };

/** Sends an answer through its action's functions. Later steps see the result as the server's. Never rejects. */
async function transform(
  functions: Functions,
  { action, policy }: Invocation,
  { headers, body }: Answer<ReadBody>,
  bytes: ArrayBuffer,
): Promise<Transformed> {
  const names = policy.transform ?? [];
  if (names.length === 0 || bytes.byteLength === 0) return AS_IT_IS;
  if (!saysJson(headers)) return failed(`of '${action}' takes JSON; the answer is of ${typeOf(headers)}`);
  const read = body.kind === 'value' ? body : parsed(bytes);
  if (read === null) return AS_IT_IS;
  const made = await functions.apply(names, read.value);
  if (made.kind === 'failed') return made;
  return written(`of '${action}' (${names.join(', ')})`, made.value);
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
