import type { Pair, Params, ParamValue } from '../../shared/invocation.ts';

/** A single value of a template. */
export type InputScalar = string | number | bigint | boolean | Date;

/** RFC 6570 section 2.3: a value, a list of values, or an associative array of values. */
export type PresentValue =
  | InputScalar
  | readonly (InputScalar | null | undefined)[]
  | { readonly [key: string]: InputScalar | null | undefined };

/** A value, or none: null and undefined expand to nothing. */
export type InputValue = PresentValue | null | undefined;

/** The parameters of a call by name. Parameters that the template does not name are ignored. */
export interface InputParams {
  readonly [name: string]: InputValue;
}

/** @throws TypeError where `params` is not a plain object, null or undefined. */
export function assertParams(
  action: string,
  params: unknown,
): asserts params is InputParams | null | undefined {
  if (params === undefined || params === null || isPlainObject(params)) return;
  throw new TypeError(`Parameters of '${action}' must be a plain object, got ${describe(params)}`);
}

/**
 * The present parameters as text, in the order given.
 * @throws TypeError where a value cannot be put into a URL.
 */
export function encodeParams(params: InputParams): Params {
  return Object.entries(params)
    .filter(([, value]) => !isAbsent(value))
    .map(([name, value]) => [name, encodeValue(name, value)]);
}

/** A copy, safe from later changes by the caller. */
export function copyParams(params: InputParams): InputParams {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, copyValue(value)]));
}

/** True for undefined, null, and a list or map of nothing else, which expand to nothing; false for an empty string. */
export function isAbsent(value: unknown): boolean {
  const members = isPlainObject(value) ? Object.values(value) : value;
  return Array.isArray(members) ? !members.some(isPresent) : !isPresent(members);
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // An object of another frame has that frame's Object.prototype, whose own prototype is null too.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function copyValue(value: InputValue): InputValue {
  if (Array.isArray(value)) return value.map(copyScalar);
  if (!isPlainObject(value)) return copyScalar(value);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copyScalar(item)]));
}

function copyScalar<T>(value: T): T | Date {
  return value instanceof Date ? new Date(value) : value;
}

/**
 * A present value as text.
 * @throws TypeError where it cannot be put into a URL.
 */
export function encodeValue(name: string, value: unknown): ParamValue {
  if (Array.isArray(value)) return value.filter(isPresent).map((item) => encodeScalar(name, item));
  if (isPlainObject(value)) return { pairs: pairsOf(name, value) };
  return encodeScalar(name, value);
}

function pairsOf(name: string, value: Record<string, unknown>): Pair[] {
  return Object.entries(value)
    .filter(([, item]) => isPresent(item))
    .map(([key, item]) => [encodeScalar(name, key), encodeScalar(name, item)]);
}

function encodeScalar(name: string, value: unknown): string {
  const text = textOf(value);
  if (text === null)
    throw new TypeError(`Parameter '${name}' cannot be put into a URL: it is ${describe(value)}`);
  if (isWellFormed(text)) return text;
  throw new TypeError(`Parameter '${name}' cannot be put into a URL: it holds half of a surrogate pair`);
}

function isPresent(item: unknown): boolean {
  return item !== undefined && item !== null;
}

/** The text of a scalar; null where the value is not a scalar. */
export function textOf(value: unknown): string | null {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value);
    default:
      return value instanceof Date && !Number.isNaN(value.getTime()) ? value.toISOString() : null;
  }
}

/** With the `u` flag a surrogate matches only where it is not part of a pair. */
function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

export function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return `a ${value.constructor?.name ?? 'null-prototype object'}`;
  return `a ${typeof value}`;
}
