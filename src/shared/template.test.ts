import { describe, expect, it } from 'vitest';
import { cpuTimeOf } from './cpu-time.fixture.ts';
import { parseTemplate, TemplateError, templateNames, type Variable } from './template.ts';

const plain = { explode: false, prefix: null, default: null };

describe('a well-formed template', () => {
  it('comes apart into literals and expressions that join to itself', () => {
    const template = '/photo/{id}/{size=medium}{?page=1,tags*}#top';
    const { parts } = parseTemplate(template);
    expect(parts.map(({ kind }) => kind)).toEqual([
      'literal',
      'expression',
      'literal',
      'expression',
      'expression',
      'literal',
    ]);
    expect(parts.map(({ text }) => text).join('')).toBe(template);
  });

  it('may be empty or without expressions', () => {
    expect(parseTemplate('')).toEqual({ parts: [], names: [] });
    expect(parseTemplate('/a')).toEqual({ parts: [{ kind: 'literal', text: '/a' }], names: [] });
  });

  it.each(['', '+', '#', '.', '/', ';', '?', '&'])("knows the operator '%s'", (operator) => {
    expect(parseTemplate(`{${operator}id}`).parts).toEqual([
      { kind: 'expression', text: `{${operator}id}`, operator, variables: [{ name: 'id', ...plain }] },
    ]);
  });

  it.each<[string, Variable]>([
    ['{a}', { ...plain, name: 'a' }],
    ['{a*}', { ...plain, name: 'a', explode: true }],
    ['{a:3}', { ...plain, name: 'a', prefix: 3 }],
    ['{a:9999}', { ...plain, name: 'a', prefix: 9999 }],
    ['{a=}', { ...plain, name: 'a', default: '' }],
    ['{a=b=c}', { ...plain, name: 'a', default: 'b=c' }],
    ['{a=12:30*}', { ...plain, name: 'a', default: '12:30*' }],
    ['{a=two words é}', { ...plain, name: 'a', default: 'two words é' }],
    ['{a=%20}', { ...plain, name: 'a', default: '%20' }],
    ['{a*=x}', { ...plain, name: 'a', explode: true, default: 'x' }],
    ['{a:3=xyz}', { ...plain, name: 'a', prefix: 3, default: 'xyz' }],
    ['{a.b_1.2}', { ...plain, name: 'a.b_1.2' }],
    ['{_}', { ...plain, name: '_' }],
    ['{%C3%a9}', { ...plain, name: '%C3%a9' }],
    ['{.a}', { ...plain, name: 'a' }],
  ])('reads the variable of %s', (template, variable) => {
    expect(parseTemplate(template).parts).toMatchObject([{ variables: [variable] }]);
  });

  it('takes each variable of an expression with its own modifier and default', () => {
    expect(parseTemplate('{?empty=default,var,tags*}').parts).toMatchObject([
      {
        operator: '?',
        variables: [
          { ...plain, name: 'empty', default: 'default' },
          { ...plain, name: 'var' },
          { ...plain, name: 'tags', explode: true },
        ],
      },
    ]);
  });

  it('names its parameters once each, in the order of their first use', () => {
    expect(templateNames('/{b}/{a}{?b*,%C3%A9=1}')).toEqual(['b', 'a', '%C3%A9']);
  });

  it.each([
    "/it's",
    '/a%20b',
    '/%7Bid%7D',
    "/!#$&()*+,-.:;=?@[]_~'",
    '/é/日本/😀',
    '/\u00A0\uFDCF\uFDF0\uFFEF\uE000\u{E1000}\u{10FFFD}',
  ])('holds what may stand in a literal: %s', (template) => {
    expect(parseTemplate(template).parts).toEqual([{ kind: 'literal', text: template }]);
  });
});

describe('a malformed template', () => {
  it.each<[string, number, RegExp]>([
    ['/photo/{id', 7, /never closed/],
    ['/photo/id}', 9, /closes nothing/],
    ['/{a}}', 4, /closes nothing/],
    ['/{a{b}}', 3, /inside an expression/],
    ['/{{a}}', 2, /inside an expression/],
    ['/{a=b{c}}', 5, /inside an expression/],
    ['/{}', 2, /name is missing/],
    ['{?}', 2, /name is missing/],
    ['{a,}', 3, /name is missing/],
    ['{a,,b}', 3, /name is missing/],
    ['{?=x}', 2, /name is missing/],
    ['{?a,=x}', 4, /name is missing/],
    ['{=x}', 1, /'=' is reserved/],
    ['{,x}', 1, /',' is reserved/],
    ['{!x}', 1, /'!' is reserved/],
    ['{@x}', 1, /'@' is reserved/],
    ['{|x}', 1, /'\|' is reserved/],
    ['{$x}', 1, /'\$' cannot stand in a name/],
    ['{-x}', 1, /'-' cannot stand/],
    ['{a-b}', 2, /'-' cannot stand/],
    ['{a b}', 2, /' ' cannot stand/],
    ['{ a}', 1, /' ' cannot stand/],
    ['{a }', 2, /' ' cannot stand/],
    ['{a, b}', 3, /' ' cannot stand/],
    ['{é}', 1, /'é' cannot stand/],
    ['{😀}', 1, /'😀' cannot stand/],
    ['{a\n}', 2, /U\+000A cannot stand/],
    ['{a.}', 2, /'\.' cannot stand/],
    ['{a..b}', 2, /'\.' cannot stand/],
    ['{..a}', 2, /'\.' cannot stand/],
    ['{a%}', 2, /'%' cannot stand/],
    ['{%zz}', 1, /'%' cannot stand/],
    ['{a?}', 2, /'\?' cannot stand/],
    ['{*}', 1, /'\*' cannot stand/],
    ['{a:}', 2, /1 to 9999/],
    ['{a:0}', 2, /1 to 9999/],
    ['{a:03}', 2, /1 to 9999/],
    ['{a:-1}', 2, /1 to 9999/],
    ['{a:x}', 2, /1 to 9999/],
    ['{a:10000}', 2, /1 to 9999/],
    ['{:3}', 1, /1 to 9999/],
    ['{a:3*}', 2, /1 to 9999/],
    ['{a*:3}', 2, /may follow/],
    ['{a**}', 2, /may follow/],
    ['/a b', 2, /' ' cannot stand in a URL/],
    ['/a"', 2, /'"' cannot/],
    ['/<a>', 1, /'<' cannot/],
    ['/a\\b', 2, /'\\' cannot/],
    ['/a^', 2, /'\^' cannot/],
    ['/a`', 2, /'`' cannot/],
    ['/a|b', 2, /'\|' cannot/],
    ['/100%', 4, /two hexadecimal digits/],
    ['/%4', 1, /two hexadecimal digits/],
    ['/%zz', 1, /two hexadecimal digits/],
    ['/a\tb', 2, /U\+0009/],
    ['/a\u0000', 2, /U\+0000/],
    ['/\u007F', 1, /U\+007F/],
    ['/\u0085', 1, /U\+0085/],
    ['/\uD800', 1, /U\+D800/],
    ['/\uFDD0', 1, /U\+FDD0/],
    ['/\uFFFD', 1, /./],
    ['/\u{1FFFE}', 1, /U\+1FFFE/],
    ['/\u{E0001}', 1, /U\+E0001/],
    ['{a=x\ny}', 4, /U\+000A cannot stand in a default/],
    ['{a=\uDC00}', 3, /U\+DC00 cannot stand in a default/],
  ])('%j is refused at %i', (template, position, reason) => {
    const error = errorOf(template);
    expect(error).toBeInstanceOf(TemplateError);
    expect(error).toMatchObject({ name: 'TemplateError', template, position });
    expect(error?.message).toMatch(reason);
    expect(error?.message).toContain(`at position ${position}`);
  });

  it('is quoted in its message, but not by the megabyte', () => {
    expect(errorOf('/photo/{id')?.message).toContain("'/photo/{id'");
    expect(errorOf(`/${'a'.repeat(1_000_000)}{`)?.message.length).toBeLessThan(300);
    expect(errorOf(`/{a:${'9'.repeat(1_000_000)}}`)?.message.length).toBeLessThan(300);
  });
});

describe('a very long template', () => {
  it.each([
    ['of one name', `{${'a'.repeat(1_000_000)}}`],
    ['of one dotted name', `{${'a.'.repeat(500_000)}a}`],
    ['of many expressions', '{a}'.repeat(50_000)],
    ['of many variables', `{a${',a'.repeat(100_000)}}`],
    ['of many braces that open', '{'.repeat(1_000_000)],
    ['of triplets', '%20'.repeat(300_000)],
  ])('%s takes no longer than its length asks for', (_what, template) => {
    expect(cpuTimeOf(() => errorOf(template))).toBeLessThan(2_000);
  });
});

function errorOf(template: string): Error | null {
  try {
    parseTemplate(template);
    return null;
  } catch (error) {
    return error instanceof Error ? error : null;
  }
}
