import { isRecord } from '../../shared/shape.ts';
import { unlessProduction } from '../development.ts';
import { describe, isPlainObject } from './params.ts';

// What an app writes down once: a production build does not look at it again.

/** What a value has to be, in words, whether it is that, and what it is where not: by its type alone unless said otherwise. */
export type Rule = readonly [
  words: string,
  isMet: (value: unknown) => boolean,
  shown?: (value: unknown) => string,
];

/** One rule for each option, null where that is looked at elsewhere: the compiler says which is missing. */
export type Rules<Options> = { readonly [Name in keyof Required<Options>]: Rule | null };

/**
 * Holds options against their rules, which are made where they are needed: nothing of them is in a production build.
 * @throws TypeError where they are no object, an option has no meaning here, or its value is none: it would be ignored
 * without a word.
 */
export function assertRules<Options>(where: string, options: unknown, rules: () => Rules<Options>): void {
  unlessProduction(() => {
    const all = rules();
    assertKnown(where, assertValues(where, options, all), Object.keys(all));
  });
}

/** @throws TypeError where an option has no meaning here: a misspelt one would be ignored without a word. */
export function assertKnown(where: string, options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).find((option) => !known.includes(option));
  if (unknown !== undefined) throw new TypeError(`Unknown option '${unknown}' of ${where}`);
}

/** As `assertRules`, for what may have other members besides. */
export function assertMembers<Options>(where: string, options: unknown, rules: () => Rules<Options>): void {
  unlessProduction(() => assertValues(where, options, rules()));
}

/** @throws TypeError where a value is not what it has to be. */
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

export function oneOf(...words: readonly string[]): Rule {
  return [`one of ${words.join(', ')}`, (value) => words.some((word) => word === value), quoted];
}

export function aListOf(what: string, isOne: (text: string) => boolean): Rule {
  return [
    `a list of ${what}`,
    (value) => Array.isArray(value) && value.every((each) => typeof each === 'string' && isOne(each)),
    (value) => (Array.isArray(value) ? `[${value.map(quoted).join(', ')}]` : describe(value)),
  ];
}

/** One name or several: none of them is empty. */
export function names(): Rule {
  return [
    "names of the worker's functions",
    (value) => [value].flat().every((each) => typeof each === 'string' && each !== ''),
  ];
}

/** One of another window is a signal as well. */
export function aSignal(): Rule {
  return ['an AbortSignal', (value) => isRecord(value) && 'aborted' in value && 'addEventListener' in value];
}

/** What can be looked through more than once: an iterator would be empty at the second call. */
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
