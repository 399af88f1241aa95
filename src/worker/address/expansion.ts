import type { PlainFailure } from '../../shared/failure.ts';
import type { Invocation, RequestBody, Pair, Params, ParamValue } from '../../shared/invocation.ts';
import { LIMITS } from '../../shared/limits.ts';
import { confine, quote, Refusal, tooLong } from './confine.ts';
import type { Piece } from './confine.ts';
import { parseTemplate as compile } from 'url-template';
import { type Expression, type Operator, parseTemplate, type Variable } from '../../shared/template.ts';

/** Parsed templates for later calls: pages have few, and use them often. */
const parsed = new Map<string, readonly (Piece | Expression)[]>();

const MOST_PARSED = 256;

/** The table of RFC 6570 appendix A. */
const RULES: Readonly<Record<Operator, Rule>> = {
  '': rule('', '', ',', false),
  '+': rule('+', '', ',', false),
  '#': rule('#', '#', ',', false),
  '.': rule('.', '.', '.', false),
  '/': rule('/', '/', '/', false),
  ';': rule(';', ';', ';', true),
  '?': rule('?', '?', '&', true),
  '&': rule('&', '&', '&', true),
};

const CODE_POINT: RegExp = /./gsu;

/** The triplets of one code point count as one character where they are kept. */
const KEPT_CHARACTER: RegExp =
  /%[CD][0-9A-F]%[89AB][0-9A-F]|%E[0-9A-F](?:%[89AB][0-9A-F]){2}|%F[0-7](?:%[89AB][0-9A-F]){3}|%[0-9A-F]{2}|./gisu;

const LONGEST_CHARACTER = '%F0%9F%98%80'.length;

export type Located =
  | { readonly kind: 'located'; readonly url: string }
  | { readonly kind: 'refused'; readonly failure: PlainFailure };

/** URL without fragment, or why it may not be asked (invariant 11). `parameters`: see `replaceQuery`. Never throws. */
export function locate(
  invocation: Invocation,
  parameters: readonly (readonly [name: string, value: string])[] = [],
): Located {
  const { template, baseUrl, params, documentUrl, body } = invocation;
  try {
    const url = confine(below(baseUrl, expand(template, params)), documentUrl);
    addQuery(url, body);
    const { href } = url;
    if (href.length > LIMITS.urlLength) throw tooLong('with its values');
    const replaced = replaceQuery(href, parameters);
    if (replaced.length > LIMITS.urlLength) throw tooLong('with the place of its cursor');
    return { kind: 'located', url: replaced };
  } catch (error) {
    return { kind: 'refused', failure: explain(template, error) };
  }
}

/** The URL of an invocation without what a loop adds; null if it is refused. */
export function urlOf(invocation: Invocation): string | null {
  const located = locate(invocation, []);
  return located.kind === 'located' ? located.url : null;
}

/** Puts `baseUrl` before the pieces: it is text, not a template, with exactly one slash after it. */
function below(baseUrl: string, pieces: readonly Piece[]): readonly Piece[] {
  if (baseUrl === '') return pieces;
  // Before the search for its slashes, whose time grows with the square of their number.
  if (baseUrl.length > LIMITS.urlLength) throw tooLong('with its baseUrl');
  const directory = `${baseUrl.replace(/\/+$/, '')}/`;
  const [first, ...rest] = pieces;
  if (!first) return [written(directory)];
  if (first.expression === null) return [written(directory + unslashed(first)), ...rest];
  // The first piece with text may begin with a slash of its own: `{/x}`, or what follows an absent `{x}`.
  const at = pieces.findIndex(({ text }) => text !== '');
  const fitted = pieces.map((piece, index) => (index === at ? { ...piece, text: unslashed(piece) } : piece));
  if (first.expression.operator !== '/') return [written(directory), ...fitted];
  const [begin = first, ...others] = fitted;
  return [written(directory), { ...begin, plain: begin.plain.slice(1) }, ...others];
}

function unslashed({ text, expression }: Piece): string {
  if (expression === null) return text.replace(/^\/+/, '');
  return expression.operator === '/' ? text.slice(1) : text;
}

/** Data of a GET joins the query whole. URL encodes a `#` in it, but would drop tabs and line breaks. */
function addQuery(url: URL, body: RequestBody): void {
  if (body.kind !== 'query') return;
  const text = body.text.replace(/^[?&]/, '').replace(/[\t\n\r]/g, encodeURIComponent);
  if (text === '') return;
  url.search = url.search === '' ? `?${text}` : `${url.search}&${text}`;
}

function explain(template: string, error: unknown): PlainFailure {
  const where = `URL template ${quote(template)}`;
  if (error instanceof Refusal) return { code: error.code, message: `${where}: ${error.message}` };
  const surprise = String(error).slice(0, 200);
  const message = `${where} cannot be expanded (${surprise}); nothing was sent, check it and its parameters.`;
  return { code: 'blocked-url', message };
}

/**
 * A URL without a fragment, in which each parameter replaces those of its name, or else is appended. All others stay as
 * they are, byte for byte: `URLSearchParams` would write `%20` as `+`, and a signed URL would not survive that.
 */
export function replaceQuery(
  url: string,
  parameters: readonly (readonly [name: string, value: string])[],
): string {
  return parameters.reduce((so, [name, value]) => replace(so, name, value), url);
}

function replace(url: string, name: string, value: string): string {
  const [path, query] = cut(url);
  const pieces = query === '' ? [] : query.split('&');
  const [first = pieces.length, ...others] = pieces.flatMap((piece, at) =>
    nameOf(piece) === name ? at : [],
  );
  const kept = pieces.filter((_piece, at) => !others.includes(at));
  kept[first] = `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
  return `${path}?${kept.join('&')}`;
}

function cut(url: string): readonly [path: string, query: string] {
  const mark = url.indexOf('?');
  return mark === -1 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
}

/** The name as a server reads it; null for nothing between two `&`. A `?` at the beginning belongs to the name. */
function nameOf(piece: string): string | null {
  return new URLSearchParams(`&${piece}`).keys().next().value ?? null;
}

/**
 * Expands a template (RFC 6570, sections as named) through url-template, whose mistakes are corrected here: it is asked
 * for one value at a time, under a harmless name, and never for an exploded one.
 */
export function expand(template: string, params: Params): readonly Piece[] {
  const values = new Map(params);
  let length = 0;
  return partsOf(template).map((part) => {
    const piece = 'operator' in part ? filled(part, values) : part;
    length += piece.text.length;
    if (length > LIMITS.urlLength) throw tooLong(`with ${quote(part.text)}`);
    return piece;
  });
}

function partsOf(template: string): readonly (Piece | Expression)[] {
  const known = parsed.get(template);
  if (known) return known;
  const parts = parseTemplate(template).parts.map((part) =>
    part.kind === 'literal' ? written(encode('+', part.text)) : part,
  );
  if (template.length > LIMITS.urlLength) return parts;
  if (parsed.size === MOST_PARSED) parsed.clear();
  parsed.set(template, parts);
  return parts;
}

interface Rule {
  readonly first: string;
  readonly separator: string;
  readonly named: boolean;
  /** The expansion, by url-template, of the one variable `v` under this operator. */
  readonly expand: (value: string | string[]) => string;
}

function rule(operator: Operator, first: string, separator: string, named: boolean): Rule {
  const template = compile(`{${operator}v}`);
  return { first, separator, named, expand: (value) => template.expand({ v: value }) };
}

/** Text that the author wrote. */
function written(text: string): Piece {
  return { text, plain: text, expression: null };
}

function filled(expression: Expression, values: ReadonlyMap<string, ParamValue>): Piece {
  const { operator, variables } = expression;
  const { first, separator } = RULES[operator];
  const items = variables.flatMap((variable) => {
    const value = values.get(variable.name);
    return itemsOf(operator, variable, value === undefined || isEmpty(value) ? variable.default : value);
  });
  const text = items.length === 0 ? '' : first + items.join(separator);
  return { text, plain: `${first}x`, expression };
}

/** Section 2.3: an empty list or map is undefined; url-template would send `?list=`. */
function isEmpty(value: ParamValue): boolean {
  return typeof value !== 'string' && membersOf(value).length === 0;
}

function membersOf(value: Exclude<ParamValue, string>): readonly (string | Pair)[] {
  return 'pairs' in value ? value.pairs : value;
}

/** The texts between the separators. */
function itemsOf(operator: Operator, variable: Variable, value: ParamValue | null): readonly string[] {
  if (value === null) return [];
  const { name, prefix, explode } = variable;
  if (prefix !== null && typeof value !== 'string') throw notCuttable(variable);
  const members = typeof value === 'string' ? [prefixOf(operator, prefix, value)] : membersOf(value);
  refuseUnsendable(name, members);
  // url-template writes `;list=` for an empty member where section 3.2.7 wants `;list`. It takes a map as an object,
  // which loses the order of numeric keys, repeated keys and the empty one.
  if (explode) return members.map((member) => exploded(operator, name, member));
  return [item(operator, name, typeof value === 'string' ? members.join('') : members.flat())];
}

/** One `name=value`, or the value alone if the operator does not name values. */
function item(operator: Operator, name: string, value: string | string[]): string {
  const { first, named, expand: through } = RULES[operator];
  const text = through(
    typeof value === 'string' ? prepare(operator, value) : value.map((each) => prepare(operator, each)),
  );
  // Section 2.3 makes triplets part of a name; url-template would send `%25C3` for `%C3`.
  return named ? name + text.slice(`${first}v`.length) : text.slice(first.length);
}

/** A key keeps reserved characters only where values do (url-template: never), so that no key can forge a parameter. */
function exploded(operator: Operator, name: string, member: string | Pair): string {
  if (typeof member === 'string') return item(operator, name, member);
  const [key, value] = [encode(operator, member[0]), member[1]];
  return RULES[operator].named ? item(operator, key, value) : `${key}=${encode(operator, value)}`;
}

function encode(operator: Operator, text: string): string {
  const like = keepsReserved(operator) ? '+' : '';
  return RULES[like].expand(prepare(like, text));
}

function keepsReserved(operator: Operator): boolean {
  return operator === '+' || operator === '#';
}

/** Section 3.2.3: `{+x}` keeps triplets, but no other `%`; url-template sends `%4é` as it is. */
function prepare(operator: Operator, text: string): string {
  return keepsReserved(operator) ? text.replace(/%(?![0-9A-Fa-f]{2})/g, '%25') : text;
}

/** Appendix A: characters, "taking care not to split"; url-template counts UTF-16 units and throws on half a pair. */
function prefixOf(operator: Operator, prefix: number | null, text: string): string {
  if (prefix === null) return text;
  const characters = text
    .slice(0, prefix * LONGEST_CHARACTER)
    .match(keepsReserved(operator) ? KEPT_CHARACTER : CODE_POINT);
  return (characters ?? []).slice(0, prefix).join('');
}

/** Section 2.4.1: a prefix does not apply to composite values; url-template ignores it. */
function notCuttable({ name, prefix }: Variable): Refusal {
  return new Refusal(
    'blocked-url',
    `parameter ${quote(name)} is a list or a map, of which ':${prefix}' takes no part; give a string, or remove the ':${prefix}'.`,
  );
}

/** Runs before anything is encoded, which only makes it longer: a megabyte must not cost more than a look. */
function refuseUnsendable(name: string, members: readonly (string | Pair)[]): void {
  let length = -1;
  for (const member of members) {
    length += 1 + (typeof member === 'string' ? member.length : member[0].length + member[1].length);
    if (length > LIMITS.urlLength) throw tooLong(`with parameter ${quote(name)}`);
  }
  if (!members.flat().some((text) => /\p{Cs}/u.test(text))) return;
  throw new Refusal(
    'blocked-url',
    `parameter ${quote(name)} holds half a surrogate pair, which no URL can carry; cut text by code points.`,
  );
}

/** Where the answers of one template lie, whatever its values. */
export interface Base {
  /** What their URLs, each with a space after it, begin with. */
  readonly prefixes: readonly string[];
}

/** The bases of the templates of which a success of this invocation makes the answers stale. */
export function invalidatedBy(invocation: Invocation): Base[] {
  return (invocation.policy.invalidates ?? []).flatMap((template) => baseOf(invocation, template) ?? []);
}

/** True if it may be a URL of the template with that base. */
export function isBelow(url: string, { prefixes }: Base): boolean {
  return prefixes.some((prefix) => `${url} `.startsWith(prefix));
}

/**
 * The text before the first expression, resolved; of a template without expressions the URL alone, with any query. A
 * template that begins with an expression may lead anywhere below its directory.
 */
function baseOf(invocation: Invocation, template: string): Base | null {
  const [start = ''] = template.split('{', 1);
  const text = urlOf({ ...invocation, template: start || '.', params: [], body: { kind: 'none' } });
  if (text === null) return null;
  return { prefixes: start === template ? [`${text} `, `${text}?`] : [text] };
}
