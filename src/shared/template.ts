/** The grammar of URL templates: RFC 6570, levels 1 to 4, and `{name=default}`. It only parses; the worker expands. */
export interface Template {
  /** Their `text`, joined, is the template again. */
  readonly parts: readonly Part[];
  /** The names in the expressions, each once, as declared: percent-triplets stay (RFC 6570 section 2.3). */
  readonly names: readonly string[];
}

export type Part = Literal | Expression;

export interface Literal {
  readonly kind: 'literal';
  readonly text: string;
}

export interface Expression {
  readonly kind: 'expression';
  /** As written, including the braces. */
  readonly text: string;
  readonly operator: Operator;
  readonly variables: readonly Variable[];
}

/** RFC 6570 section 2.2; the empty one is simple string expansion. */
export type Operator = '' | '+' | '#' | '.' | '/' | ';' | '?' | '&';

export interface Variable {
  readonly name: string;
  readonly explode: boolean;
  /** How many characters of the value are used, 1 to 9,999; null for all. */
  readonly prefix: number | null;
  /** The value where the call gives none, not yet encoded; null for none. */
  readonly default: string | null;
}

/** A malformed template: thrown where it is declared. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
  readonly template: string;
  /** The position in the template, in UTF-16 units from 0. */
  readonly position: number;

  constructor(template: string, position: number, reason: string) {
    super(`Malformed URL template '${excerpt(template)}', at position ${position}: ${reason}`);
    this.template = template;
    this.position = position;
  }
}

/** Throws a `TemplateError` where the template is malformed. */
export function parseTemplate(template: string): Template {
  const parts: Part[] = [];
  for (let at = 0; at < template.length; at += parts.at(-1)?.text.length ?? 0) {
    parts.push(template[at] === '{' ? expressionAt(template, at) : literalAt(template, at));
  }
  const variables = parts.flatMap((part) => (part.kind === 'expression' ? part.variables : []));
  return { parts, names: [...new Set(variables.map(({ name }) => name))] };
}

/** The names of a template's parameters, each once, in the order of their first use. */
export function templateNames(template: string): readonly string[] {
  return parseTemplate(template).names;
}

/**
 * Characters that a literal must not contain: RFC 6570 section 2.1 with erratum 6937, which allows the apostrophe. The
 * ranges are those that `ucschar` and `iprivate` leave out.
 */
const NOT_LITERAL: RegExp =
  /%(?![0-9A-F]{2})|[ "<>\\^`|}\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\uFFF0-\uFFFF\u{E0000}-\u{E0FFF}]/iu;

function literalAt(template: string, start: number): Literal {
  const end = template.indexOf('{', start);
  const text = template.slice(start, end === -1 ? template.length : end);
  const wrong = NOT_LITERAL.exec(text);
  if (wrong) throw new TemplateError(template, start + wrong.index, literalAdvice(wrong[0]));
  return { kind: 'literal', text };
}

function literalAdvice(character: string): string {
  if (character === '}') return `this '}' closes nothing; remove it, or write %7D to send one.`;
  if (character === '%') return `'%' needs two hexadecimal digits after it, or be %25.`;
  return `${show(character)} cannot stand in a URL: percent-encode or remove it.`;
}

const OPERATORS: readonly Operator[] = ['+', '#', '.', '/', ';', '?', '&'];
/** RFC 6570 section 2.2 reserves them for extensions. */
const RESERVED = '=,!@|';

function expressionAt(template: string, start: number): Expression {
  const end = template.indexOf('}', start);
  if (end === -1) throw new TemplateError(template, start, `this '{' is never closed; add the missing '}'.`);
  const text = template.slice(start, end + 1);
  const nested = text.indexOf('{', 1);
  if (nested !== -1) {
    throw new TemplateError(
      template,
      start + nested,
      `'{' inside an expression; close the one before it first.`,
    );
  }
  const first = text.charAt(1);
  if (RESERVED.includes(first)) {
    throw new TemplateError(template, start + 1, `the operator '${first}' is reserved; begin with a name.`);
  }
  const operator = OPERATORS.find((each) => each === first) ?? '';
  return {
    kind: 'expression',
    text,
    operator,
    variables: variablesIn(template, start + 1 + operator.length, end),
  };
}

function variablesIn(template: string, start: number, end: number): readonly Variable[] {
  let at = start;
  return template
    .slice(start, end)
    .split(',')
    .map((spec) => {
      const variable = variableAt(template, at, spec);
      at += spec.length + 1;
      return variable;
    });
}

/** RFC 6570 section 2.3: letters, digits, `_` and triplets, with single dots between. */
const NAME: RegExp = /^(?:\w|%[0-9A-Fa-f]{2})+(?:\.(?:\w|%[0-9A-Fa-f]{2})+)*/;
/** RFC 6570 section 2.4. */
const MODIFIER: RegExp = /^(?:\*|:[1-9]\d{0,3})?$/;

function variableAt(template: string, start: number, spec: string): Variable {
  const equals = spec.indexOf('=');
  const head = equals === -1 ? spec : spec.slice(0, equals);
  const name = NAME.exec(head)?.[0] ?? '';
  const modifier = head.slice(name.length);
  if (name === '' || !MODIFIER.test(modifier)) {
    throw new TemplateError(template, start + name.length, headAdvice(name, modifier));
  }
  return {
    name,
    explode: modifier === '*',
    prefix: modifier.startsWith(':') ? Number(modifier.slice(1)) : null,
    default: equals === -1 ? null : defaultAt(template, start + equals + 1, spec.slice(equals + 1)),
  };
}

function headAdvice(name: string, rest: string): string {
  if (name === '' && rest === '') return `a name is missing; write one, as in {id}.`;
  if (rest.startsWith(':')) return `'${excerpt(rest)}' is no length from 1 to 9999, as in {id:3}.`;
  if (name !== '' && rest.startsWith('*')) return `nothing but '=' or ',' may follow '*'.`;
  return `${show(rest)} cannot stand in a name: use letters, digits, '_', and single dots between.`;
}

/** A default may be any text, since it is encoded like a given value; a control character is a mistake. */
function defaultAt(template: string, start: number, text: string): string {
  const wrong = /[\p{Cc}\p{Cs}]/u.exec(text);
  if (!wrong) return text;
  throw new TemplateError(
    template,
    start + wrong.index,
    `${show(wrong[0])} cannot stand in a default; remove it.`,
  );
}

/** The first character, or its code point where it is invisible. */
function show(text: string): string {
  const code = text.codePointAt(0) ?? 0;
  const visible = /^[^\p{C}\p{Z}]/u.test(text) || code === 0x20;
  return visible
    ? `'${String.fromCodePoint(code)}'`
    : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

function excerpt(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
