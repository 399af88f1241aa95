import { parseTemplate } from 'url-template';
import { describe, expect, it } from 'vitest';
import type { Params, ParamValue } from '../../shared/invocation.ts';
import { expand } from './expansion.ts';
import { Refusal } from './confine.ts';

/** The variables of RFC 6570 section 3.2; `undef` is left out, as the page leaves out what is undefined. */
const VARIABLES: Params = [
  ['count', ['one', 'two', 'three']],
  ['dom', ['example', 'com']],
  ['dub', 'me/too'],
  ['hello', 'Hello World!'],
  ['half', '50%'],
  ['var', 'value'],
  ['who', 'fred'],
  ['base', 'http://example.com/home/'],
  ['path', '/foo/bar'],
  ['list', ['red', 'green', 'blue']],
  [
    'keys',
    {
      pairs: [
        ['semi', ';'],
        ['dot', '.'],
        ['comma', ','],
      ],
    },
  ],
  ['v', '6'],
  ['x', '1024'],
  ['y', '768'],
  ['empty', ''],
  ['empty_keys', []],
];

describe('the examples of RFC 6570', () => {
  it.each([
    // 3.2.1
    ['{count}', 'one,two,three'],
    ['{count*}', 'one,two,three'],
    ['{/count}', '/one,two,three'],
    ['{/count*}', '/one/two/three'],
    ['{;count}', ';count=one,two,three'],
    ['{;count*}', ';count=one;count=two;count=three'],
    ['{?count}', '?count=one,two,three'],
    ['{?count*}', '?count=one&count=two&count=three'],
    ['{&count*}', '&count=one&count=two&count=three'],
    // 3.2.2
    ['{var}', 'value'],
    ['{hello}', 'Hello%20World%21'],
    ['{half}', '50%25'],
    ['O{empty}X', 'OX'],
    ['O{undef}X', 'OX'],
    ['{x,y}', '1024,768'],
    ['{x,hello,y}', '1024,Hello%20World%21,768'],
    ['?{x,empty}', '?1024,'],
    ['?{x,undef}', '?1024'],
    ['?{undef,y}', '?768'],
    ['{var:3}', 'val'],
    ['{var:30}', 'value'],
    ['{list}', 'red,green,blue'],
    ['{list*}', 'red,green,blue'],
    ['{keys}', 'semi,%3B,dot,.,comma,%2C'],
    ['{keys*}', 'semi=%3B,dot=.,comma=%2C'],
    // 3.2.3
    ['{+var}', 'value'],
    ['{+hello}', 'Hello%20World!'],
    ['{+half}', '50%25'],
    ['{base}index', 'http%3A%2F%2Fexample.com%2Fhome%2Findex'],
    ['{+base}index', 'http://example.com/home/index'],
    ['O{+empty}X', 'OX'],
    ['O{+undef}X', 'OX'],
    ['{+path}/here', '/foo/bar/here'],
    ['here?ref={+path}', 'here?ref=/foo/bar'],
    ['up{+path}{var}/here', 'up/foo/barvalue/here'],
    ['{+x,hello,y}', '1024,Hello%20World!,768'],
    ['{+path,x}/here', '/foo/bar,1024/here'],
    ['{+path:6}/here', '/foo/b/here'],
    ['{+list}', 'red,green,blue'],
    ['{+list*}', 'red,green,blue'],
    ['{+keys}', 'semi,;,dot,.,comma,,'],
    ['{+keys*}', 'semi=;,dot=.,comma=,'],
    // 3.2.4
    ['{#var}', '#value'],
    ['{#hello}', '#Hello%20World!'],
    ['{#half}', '#50%25'],
    ['foo{#empty}', 'foo#'],
    ['foo{#undef}', 'foo'],
    ['{#x,hello,y}', '#1024,Hello%20World!,768'],
    ['{#path,x}/here', '#/foo/bar,1024/here'],
    ['{#path:6}/here', '#/foo/b/here'],
    ['{#list}', '#red,green,blue'],
    ['{#list*}', '#red,green,blue'],
    ['{#keys}', '#semi,;,dot,.,comma,,'],
    ['{#keys*}', '#semi=;,dot=.,comma=,'],
    // 3.2.5
    ['{.who}', '.fred'],
    ['{.who,who}', '.fred.fred'],
    ['{.half,who}', '.50%25.fred'],
    ['www{.dom*}', 'www.example.com'],
    ['X{.var}', 'X.value'],
    ['X{.empty}', 'X.'],
    ['X{.undef}', 'X'],
    ['X{.var:3}', 'X.val'],
    ['X{.list}', 'X.red,green,blue'],
    ['X{.list*}', 'X.red.green.blue'],
    ['X{.keys}', 'X.semi,%3B,dot,.,comma,%2C'],
    ['X{.keys*}', 'X.semi=%3B.dot=..comma=%2C'],
    ['X{.empty_keys}', 'X'],
    ['X{.empty_keys*}', 'X'],
    // 3.2.6
    ['{/who}', '/fred'],
    ['{/who,who}', '/fred/fred'],
    ['{/half,who}', '/50%25/fred'],
    ['{/who,dub}', '/fred/me%2Ftoo'],
    ['{/var}', '/value'],
    ['{/var,empty}', '/value/'],
    ['{/var,undef}', '/value'],
    ['{/var,x}/here', '/value/1024/here'],
    ['{/var:1,var}', '/v/value'],
    ['{/list}', '/red,green,blue'],
    ['{/list*}', '/red/green/blue'],
    ['{/list*,path:4}', '/red/green/blue/%2Ffoo'],
    ['{/keys}', '/semi,%3B,dot,.,comma,%2C'],
    ['{/keys*}', '/semi=%3B/dot=./comma=%2C'],
    // 3.2.7
    ['{;who}', ';who=fred'],
    ['{;half}', ';half=50%25'],
    ['{;empty}', ';empty'],
    ['{;v,empty,who}', ';v=6;empty;who=fred'],
    ['{;v,bar,who}', ';v=6;who=fred'],
    ['{;x,y}', ';x=1024;y=768'],
    ['{;x,y,empty}', ';x=1024;y=768;empty'],
    ['{;x,y,undef}', ';x=1024;y=768'],
    ['{;hello:5}', ';hello=Hello'],
    ['{;list}', ';list=red,green,blue'],
    ['{;list*}', ';list=red;list=green;list=blue'],
    ['{;keys}', ';keys=semi,%3B,dot,.,comma,%2C'],
    ['{;keys*}', ';semi=%3B;dot=.;comma=%2C'],
    // 3.2.8
    ['{?who}', '?who=fred'],
    ['{?half}', '?half=50%25'],
    ['{?x,y}', '?x=1024&y=768'],
    ['{?x,y,empty}', '?x=1024&y=768&empty='],
    ['{?x,y,undef}', '?x=1024&y=768'],
    ['{?var:3}', '?var=val'],
    ['{?list}', '?list=red,green,blue'],
    ['{?list*}', '?list=red&list=green&list=blue'],
    ['{?keys}', '?keys=semi,%3B,dot,.,comma,%2C'],
    ['{?keys*}', '?semi=%3B&dot=.&comma=%2C'],
    // 3.2.9
    ['{&who}', '&who=fred'],
    ['{&half}', '&half=50%25'],
    ['?fixed=yes{&x}', '?fixed=yes&x=1024'],
    ['{&x,y,empty}', '&x=1024&y=768&empty='],
    ['{&x,y,undef}', '&x=1024&y=768'],
    ['{&var:3}', '&var=val'],
    ['{&list}', '&list=red,green,blue'],
    ['{&list*}', '&list=red&list=green&list=blue'],
    ['{&keys}', '&keys=semi,%3B,dot,.,comma,%2C'],
    ['{&keys*}', '&semi=%3B&dot=.&comma=%2C'],
  ])('%s makes %s', (template, result) => {
    expect(expanded(template, VARIABLES)).toBe(result);
  });
});

describe('a default', () => {
  it.each([
    ['/photo/{size=medium}', [], '/photo/medium'],
    ['/photo/{size=medium}', [['size', 'large']], '/photo/large'],
    ['/photo/{size=medium}', [['size', '']], '/photo/'],
    ['/photo/{size=medium}', [['size', []]], '/photo/medium'],
    ['{a=two words/é%20}', [], 'two%20words%2F%C3%A9%2520'],
    ['{+a=/x%20y}', [], '/x%20y'],
    ['{?page=1,tags*}', [], '?page=1'],
    ['{?page=1,tags*}', [['tags', ['a', 'b']]], '?page=1&tags=a&tags=b'],
    ['{?empty=default,var}', [['var', 'v']], '?empty=default&var=v'],
    ['{?a=}', [], '?a='],
    ['{;a=}', [], ';a'],
    ['{a:3=xyzw}', [], 'xyz'],
    ['{?tags*=none}', [], '?tags=none'],
    ['{?tags*=none}', [['tags', { pairs: [] }]], '?tags=none'],
  ] as const satisfies readonly (readonly [string, Params, string])[])(
    '%s with %j makes %s',
    (template, params, result) => {
      expect(expanded(template, params)).toBe(result);
    },
  );
});

/** Each row fails with url-template alone: `bare` is what that makes of the same. */
describe('url-template, where it falls short,', () => {
  it.each<[why: string, template: string, value: ParamValue, bare: string, right: string]>([
    ['a bare % before one digit', '{+x}', '%4é', '%4é', '%254%C3%A9'],
    ['an emoji under a prefix', '{x:4}', 'ab😀c', 'ab%F0%9F%98%80', 'ab%F0%9F%98%80c'],
    ['an emoji kept under a prefix', '{+x:1}', '%F0%9F%98%80!', '%25', '%F0%9F%98%80'],
    ['a triplet under a prefix', '{+x:2}', 'a%20b', 'a%25', 'a%20'],
    ['an empty list', '{?x}', [], '?x=', ''],
    ['empty lists', '{;x,x}', [], ';x=;x=', ''],
    ['an empty map', '{?x}', pairs(), '?x=', ''],
    ['an empty member of a list', '{;x*}', ['', 'a'], ';x=;x=a', ';x;x=a'],
    ['an empty member of a map', '{;x*}', pairs(['k', '']), ';k=', ';k'],
    ['an empty key', '{?x*}', pairs(['', 'v']), '?v', '?=v'],
    ['numeric keys', '{?x*}', pairs(['b', '1'], ['2', '2']), '?2=2&b=1', '?b=1&2=2'],
    ['a repeated key', '{?x*}', pairs(['k', '1'], ['k', '2']), '?k=2', '?k=1&k=2'],
    ['a key with reserved characters', '{+x}', pairs(['a/b', 'c/d']), 'a%2Fb,c/d', 'a/b,c/d'],
    ['such a key, exploded', '{+x*}', pairs(['a/b', '/']), 'a%2Fb=/', 'a/b=/'],
  ])('is corrected for %s', (_why, template, value, bare, right) => {
    expect(bareExpansion(template, 'x', value)).toBe(bare);
    expect(expanded(template, [['x', value]])).toBe(right);
    expect(bare).not.toBe(right);
  });

  it('encodes the triplets of a name again, which we do not', () => {
    expect(bareExpansion('{?%C3%A9}', '%C3%A9', '1')).toBe('?%25C3%25A9=1');
    expect(expanded('{?%C3%A9}', [['%C3%A9', '1']])).toBe('?%C3%A9=1');
    expect(expanded('{;%c3*}', [['%c3', ['1', '2']]])).toBe(';%c3=1;%c3=2');
  });

  it('throws where a prefix halves a surrogate pair, which ours does not', () => {
    expect(() => parseTemplate('{x:1}').expand({ x: '😀' })).toThrow(URIError);
    expect(expanded('{x:1}', [['x', '😀']])).toBe('%F0%9F%98%80');
  });

  it('takes a prefix of a list or map for no prefix, which we refuse', () => {
    expect(parseTemplate('{x:1}').expand({ x: ['ab', 'cd'] })).toBe('ab,cd');
    for (const value of [['ab', 'cd'], pairs(['k', 'v'])]) {
      expect(() => expand('{x:1}', [['x', value]])).toThrow(Refusal);
      expect(() => expand('{x:1}', [['x', value]])).toThrow(/'x' is a list or a map.*':1'/);
    }
    expect(expanded('{x:1}', [['x', []]])).toBe('');
  });

  it('expands malformed templates, which we refuse', () => {
    expect(parseTemplate('{a:0}{b c}').expand({ a: 'x', 'b c': 'y' })).toBe('y');
    expect(() => expand('{a:0}{b c}', [])).toThrow(/1 to 9999/);
  });

  it('throws at half a surrogate pair and at very long lists, which we refuse by name', () => {
    expect(() => parseTemplate('{x}').expand({ x: '\uD83D' })).toThrow(URIError);
    for (const broken of ['\uD83D', ['a', '\uDE00'], pairs(['a', 'b'], ['c', '\uD83D'])]) {
      expect(() => expand('{x}', [['x', broken]])).toThrow(/'x' holds half a surrogate pair/);
    }
    const long = Array.from({ length: 1_000_000 }, () => '');
    expect(() => parseTemplate('{x*}').expand({ x: long })).toThrow(RangeError);
    expect(() => expand('{x*}', [['x', long]])).toThrow(/'x' the URL is longer than 16384 characters/);
  });
});

describe('expansion', () => {
  it('keeps names that mean something to objects', () => {
    const params: Params = [
      ['__proto__', 'a'],
      ['constructor', { pairs: [['__proto__', 'b']] }],
    ];
    expect(expanded('{?__proto__,constructor*,toString}', params)).toBe('?__proto__=a&__proto__=b');
  });

  it('encodes what is not ASCII in literals and keeps their triplets', () => {
    expect(expanded("/é%20[it's]", [])).toBe("/%C3%A9%20[it's]");
  });

  it('lets no key of a map forge a parameter', () => {
    expect(expanded('{?x*}', [['x', { pairs: [['a&admin', '1=2&b']] }]])).toBe('?a%26admin=1%3D2%26b');
  });
});

function pairs(...each: (readonly [string, string])[]): ParamValue {
  return { pairs: each };
}

/** What url-template makes of a value when it is handed over as its documentation says. */
function bareExpansion(template: string, name: string, value: ParamValue): string {
  const plain =
    typeof value === 'string' ? value : 'pairs' in value ? Object.fromEntries(value.pairs) : [...value];
  return parseTemplate(template).expand({ [name]: plain });
}

function expanded(template: string, params: Params): string {
  return expand(template, params)
    .map(({ text }) => text)
    .join('');
}
