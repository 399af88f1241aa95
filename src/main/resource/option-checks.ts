import { isPointer } from '../../shared/part.ts';
import { isRecord } from '../../shared/shape.ts';
import { unlessProduction } from '../development.ts';
import { describe, isPlainObject } from './params.ts';

// An app writes its options once, so production builds do not check them again.

/** The requirement in words; its test; and how to show a wrong value (default: its type). */
export type Rule = readonly [
  words: string,
  isMet: (value: unknown) => boolean,
  shown?: (value: unknown) => string,
];

/** One rule for each option, null where it is checked elsewhere. The compiler reports a missing one. */
export type Rules<Options> = { readonly [Name in keyof Required<Options>]: Rule | null };

/**
 * Checks options against their rules. A function makes the rules, so that a production build contains none of them.
 * @throws TypeError where the options are not an object, an option is unknown, or its value is wrong: without this it
 * would be ignored silently.
 */
export function assertRules<Options>(where: string, options: unknown, rules: () => Rules<Options>): void {
  unlessProduction(() => {
    const all = rules();
    assertKnown(where, assertValues(where, options, all), Object.keys(all));
  });
}

/** @throws TypeError where an option is unknown: a misspelt one would be ignored silently. */
export function assertKnown(where: string, options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).find((option) => !known.includes(option));
  if (unknown !== undefined) throw new TypeError(`Unknown option '${unknown}' of ${where}`);
}

/** Like `assertRules`, for objects that may have other members too. */
export function assertMembers<Options>(where: string, options: unknown, rules: () => Rules<Options>): void {
  unlessProduction(() => assertValues(where, options, rules()));
}

/** @throws TypeError where the value breaks the rule. */
export function assertIs(what: string, value: unknown, [words, isMet, shown = describe]: Rule): void {
  if (!isMet(value)) throw new TypeError(`${what} must be ${words}, got ${shown(value)}`);
}

function assertValues(where: string, options: unknown, rules: Readonly<Record<string, Rule | null>>): object {
  assertIs(`Options of ${where}`, options, anObject());
  const values = isRecord(options) ? options : {};
  for (const [name, rule] of Object.entries(rules)) {
    const value = values[name];
    if (rule && value !== undefined) assertIs(`Option '${name}' of ${where}`, value, rule);
  }
  return values;
}

export function anObject(): Rule {
  return ['an object', (value) => isRecord(value) && !Array.isArray(value)];
}

export function aText(): Rule {
  return ['a string', (value) => typeof value === 'string'];
}

export function aFlag(): Rule {
  return ['true or false', (value) => typeof value === 'boolean'];
}

export function aFunction(): Rule {
  return ['a function', (value) => typeof value === 'function'];
}

export function aPointer(): Rule {
  return ['a JSON Pointer such as /id', (value) => typeof value === 'string' && isPointer(value), quoted];
}

export function oneOf(...words: readonly string[]): Rule {
  return [`one of ${words.join(', ')}`, (value) => words.some((word) => word === value), quoted];
}

function isSeconds(value: unknown): boolean {
  return Number.isFinite(value) && Number(value) >= 0;
}

const LIFETIMES = ['maxAge', 'staleIfError', 'staleWhileRevalidate'];

function isLifetimes(given: Record<string, unknown>): boolean {
  return 'maxAge' in given && Object.entries(given).every(isLifetime);
}

function isLifetime([name, value]: readonly [string, unknown]): boolean {
  return LIFETIMES.includes(name) && (isSeconds(value) || (value === undefined && name !== 'maxAge'));
}

/** A word, or lifetimes in seconds. */
export function aCachePolicy(): Rule {
  const words = ['default', 'strict', 'network-first', 'cache-first', 'cache-only', 'network-only'];
  return [
    `one of ${words.join(', ')}, or { ${LIFETIMES.join(', ')} } in seconds`,
    (value) => (isPlainObject(value) ? isLifetimes(value) : words.some((word) => word === value)),
    (value) => (isPlainObject(value) ? JSON.stringify(value) : quoted(value)),
  ];
}

export function aListOf(what: string, isOne: (text: string) => boolean): Rule {
  return [
    `a list of ${what}`,
    (value) => Array.isArray(value) && value.every((each) => typeof each === 'string' && isOne(each)),
    (value) => (Array.isArray(value) ? `[${value.map(quoted).join(', ')}]` : describe(value)),
  ];
}

/** One non-empty name, or a list of them. */
export function names(): Rule {
  return [
    "names of the worker's functions",
    (value) => [value].flat().every((each) => typeof each === 'string' && each !== ''),
  ];
}

export function someNames(): Rule {
  return aListOf('names of actions', (name) => name !== '');
}

/** Functions by the names of actions. */
export function someFunctions(): Rule {
  return ['functions by the names of actions', (value) => isPlainObject(value) && areFunctions(value)];
}

function areFunctions(value: object): boolean {
  return Object.values(value).every((each) => typeof each === 'function');
}

/** No `instanceof`: a signal of another window is a signal too. */
export function aSignal(): Rule {
  return ['an AbortSignal', (value) => isRecord(value) && 'aborted' in value && 'addEventListener' in value];
}

/** Only what can be read more than once: an iterator would be empty at the second call. */
export function someHeaders(): Rule {
  return [
    'a plain object, Headers, a Map or a list of pairs',
    (value) =>
      Array.isArray(value)
        ? value.every((pair) => Array.isArray(pair) && pair.length === 2)
        : isPlainObject(value) || (isRecord(value) && Symbol.iterator in value && !('next' in value)),
  ];
}

function quoted(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : describe(value);
}
