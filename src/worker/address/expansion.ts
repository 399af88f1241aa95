import { parseTemplate as compile } from 'url-template';
import type { Pair, Params, ParamValue } from '../../shared/invocation.ts';
import { LIMITS } from '../../shared/limits.ts';
import { type Expression, type Operator, parseTemplate, type Variable } from '../../shared/template.ts';
import { quote, Refusal, tooLong } from './refusal.ts';

/** What became of one part of a template. */
export interface Piece {
  readonly text: string;
  /** What it would be under an ordinary value: where the author means to lead. */
  readonly plain: string;
  /** The expression whose values it holds; null for text that the author wrote. */
  readonly expression: Expression | null;
}

/**
 * Expands a template through url-template, and corrects here what that gets wrong (RFC 6570, sections as named): it is
 * asked for one value at a time, under a name that is no trouble, and never for an exploded one.
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

/** What templates are made of, for the calls to come: pages have few, and use them often. */
const parsed = new Map<string, readonly (Piece | Expression)[]>();
const MOST_PARSED = 256;

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
  /** What url-template makes of the one variable `v` under this operator. */
  readonly expand: (value: string | string[]) => string;
}

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

function rule(operator: Operator, first: string, separator: string, named: boolean): Rule {
  const template = compile(`{${operator}v}`);
  return { first, separator, named, expand: (value) => template.expand({ v: value }) };
}

/** Text of the author's. */
export function written(text: string): Piece {
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

/** Section 2.3: a list or map of no members is undefined; url-template would send `?list=`. */
function isEmpty(value: ParamValue): boolean {
  return typeof value !== 'string' && membersOf(value).length === 0;
}

function membersOf(value: Exclude<ParamValue, string>): readonly (string | Pair)[] {
  return 'pairs' in value ? value.pairs : value;
}

/** What stands between the separators. */
function itemsOf(operator: Operator, variable: Variable, value: ParamValue | null): readonly string[] {
  if (value === null) return [];
  const { name, prefix, explode } = variable;
  if (prefix !== null && typeof value !== 'string') throw notCuttable(variable);
  const members = typeof value === 'string' ? [cut(operator, prefix, value)] : membersOf(value);
  refuseUnsendable(name, members);
  // url-template writes `;list=` for an empty member where section 3.2.7 wants `;list`, and a map it takes as an
  // object, which loses the order of numeric keys, repeated keys and the empty one.
  if (explode) return members.map((member) => exploded(operator, name, member));
  return [item(operator, name, typeof value === 'string' ? members.join('') : members.flat())];
}

/** One `name=value`, or the value alone where the operator names nothing. */
function item(operator: Operator, name: string, value: string | string[]): string {
  const { first, named, expand: through } = RULES[operator];
  const text = through(
    typeof value === 'string' ? prepare(operator, value) : value.map((each) => prepare(operator, each)),
  );
  // Section 2.3 makes triplets part of a name; url-template would send `%25C3` for `%C3`.
  return named ? name + text.slice(`${first}v`.length) : text.slice(first.length);
}

/** A key keeps reserved characters only where values do (url-template: never), so that none can forge a parameter. */
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

/** Section 3.2.3: `{+x}` keeps triplets and nothing else of a `%`; url-template sends `%4é` as it is. */
function prepare(operator: Operator, text: string): string {
  return keepsReserved(operator) ? text.replace(/%(?![0-9A-Fa-f]{2})/g, '%25') : text;
}

const CODE_POINT: RegExp = /./gsu;
/** The triplets of one code point count as one character where they are kept. */
const KEPT_CHARACTER: RegExp =
  /%[CD][0-9A-F]%[89AB][0-9A-F]|%E[0-9A-F](?:%[89AB][0-9A-F]){2}|%F[0-7](?:%[89AB][0-9A-F]){3}|%[0-9A-F]{2}|./gisu;
const LONGEST_CHARACTER = '%F0%9F%98%80'.length;

/** Appendix A: characters, "taking care not to split"; url-template counts UTF-16 units and throws on half a pair. */
function cut(operator: Operator, prefix: number | null, text: string): string {
  if (prefix === null) return text;
  const characters = text
    .slice(0, prefix * LONGEST_CHARACTER)
    .match(keepsReserved(operator) ? KEPT_CHARACTER : CODE_POINT);
  return (characters ?? []).slice(0, prefix).join('');
}

/** Section 2.4.1: a prefix is not for composite values; url-template ignores it. */
function notCuttable({ name, prefix }: Variable): Refusal {
  return new Refusal(
    'blocked-url',
    `parameter ${quote(name)} is a list or a map, of which ':${prefix}' takes no part; give a string, or remove the ':${prefix}'.`,
  );
}

/** Before anything is encoded, which only makes it longer: a megabyte must not cost more than a look. */
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
