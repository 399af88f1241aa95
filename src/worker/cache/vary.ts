import {
  askingHeaders,
  DEFAULT_ACCEPT,
  headerValue,
  isBrowsersOwn,
  isSecret,
  listed,
} from '../../shared/header.ts';
import type { Header } from '../../shared/header.ts';

// RFC 9111 section 4.1: an answer fits a request if the headers that its `Vary` names are as they were.

/** The names of `Vary`, in lower case, in order, each once. */
export function namesOf(headers: readonly Header[]): string[] {
  const names = headers
    .filter(([name]) => name.toLowerCase() === 'vary')
    .flatMap(([, value]) => value.split(','))
    .map((name) => name.trim().toLowerCase());
  return [...new Set(names)].filter((name) => name !== '').toSorted();
}

/**
 * Those of the names by which the requests of one user may differ. What only the browser sets is the same in all
 * requests of an origin; of cookies and other secrets `isTellable` decides.
 */
export function selectorsOf(names: readonly string[], secretHeaders: readonly string[]): string[] {
  return names.filter((name) => !isBrowsersOwn(name) && !isSecret(name, secretHeaders));
}

/** False if nobody can tell which requests the answer fits: it varies by anything, or by who asks. */
export function isTellable(
  headers: readonly Header[],
  secretHeaders: readonly string[],
  isIdentified: boolean,
): boolean {
  const names = namesOf(headers);
  if (names.includes('*')) return false;
  return isIdentified || !names.some((name) => isSecret(name, secretHeaders));
}

/**
 * The headers of an answer from another origin, which may keep its `Vary` to itself (Fetch, CORS-safelisted
 * response-header names): it may vary by all that its request was sent with, but for secrets, which always count.
 */
export function withVary(
  answer: readonly Header[],
  sent: readonly Header[],
  secretHeaders: readonly string[],
): readonly Header[] {
  if (headerValue(answer, 'vary') !== null) return answer;
  const telling = tellingNames(sent, secretHeaders);
  return telling.length === 0 ? answer : [...answer, ['vary', telling.join()]];
}

/** The names of the headers by which a server may choose its answer. Conditions choose between that and none. */
export function tellingNames(sent: readonly Header[], secretHeaders: readonly string[]): string[] {
  const names = askingHeaders(sent).map(([name]) => name.toLowerCase());
  return selectorsOf(names, secretHeaders).filter(
    (name) => !name.startsWith('if-') && valuesOf([name], sent) !== '',
  );
}

/** The values of these headers as one text, however they are written; empty if the request has none of them. */
export function valuesOf(names: readonly string[], headers: readonly Header[]): string {
  const values = names.flatMap((name) => {
    const value = headerValue(headers, name);
    return value === null || isDefault(name, value) ? [] : [[name, normalized(name, value)]];
  });
  return values.length === 0 ? '' : JSON.stringify(values);
}

function isDefault(name: string, value: string): boolean {
  return name === 'accept' && value === DEFAULT_ACCEPT;
}

/** Lists whose order means nothing, and whose items are read in any case, but for values of parameters (RFC 9110 section 12.5). */
const UNORDERED = ['accept', 'accept-language'];

/** Spaces around the items of a list mean nothing (RFC 9110 section 5.6.1). */
function normalized(name: string, value: string): string {
  const items = listed(value).map((item) => item.trim());
  if (!UNORDERED.includes(name)) return items.join();
  return items.map(rangeOf).toSorted().join();
}

/** Between the semicolons of an item; semicolons in quotes do not divide. */
const PARTS = /(?:[^;"]|"(?:\\.?|[^"\\])*"?)+/g;

/** A media range or a language with its parameters, whose values alone are not read in any case. */
function rangeOf(item: string): string {
  const [range = '', ...parameters] = item.match(PARTS) ?? [];
  const written = parameters.map((each) => {
    const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(each) ?? [];
    return `${name.trim().toLowerCase()}=${value.trim()}`;
  });
  return [range.trim().toLowerCase(), ...written].join(';');
}

/** The secret headers as one text; empty if the request has none. */
export function secretsOf(headers: readonly Header[], secretHeaders: readonly string[]): string {
  const names = headers.map(([name]) => name.toLowerCase()).filter((name) => isSecret(name, secretHeaders));
  return exactlyOf([...new Set(names)].toSorted(), headers);
}

/** The values of these headers as one text, each as it is written: another spelling is another secret. */
export function exactlyOf(names: readonly string[], headers: readonly Header[]): string {
  const values = names.flatMap((name) => {
    const value = headerValue(headers, name);
    return value === null ? [] : [[name, value]];
  });
  return values.length === 0 ? '' : JSON.stringify(values);
}
