import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cpuTimeOf } from '../../shared/cpu-time.fixture.ts';
import type { Invocation, ParamValue } from '../../shared/invocation.ts';
import { LIMITS } from '../../shared/limits.ts';
import { type Located, locate } from './expansion.ts';
import { invocation } from './invocation.fixture.ts';

describe('a base URL', () => {
  const params = [['id', '1']] as const;

  it.each([
    ['https://page.example/v1', '/photo/{id}', 'https://page.example/v1/photo/1'],
    ['https://page.example/v1/', '/photo/{id}', 'https://page.example/v1/photo/1'],
    ['https://page.example/v1//', '//photo/{id}', 'https://page.example/v1/photo/1'],
    ['https://page.example/v1', 'photo/{id}', 'https://page.example/v1/photo/1'],
    ['https://page.example', '/photo/{id}', 'https://page.example/photo/1'],
    ['https://page.example/v1', '{id}', 'https://page.example/v1/1'],
    ['https://page.example/v1', '{/id}', 'https://page.example/v1/1'],
    ['https://page.example/v1/', '{/id}', 'https://page.example/v1/1'],
    ['https://page.example/v1', '{/missing}', 'https://page.example/v1/'],
    ['https://page.example/v1', '{/missing}/photo/{id}', 'https://page.example/v1/photo/1'],
    ['https://page.example/v1', '{/missing}{/id}', 'https://page.example/v1/1'],
    ['https://page.example/v1', '{missing}/photo{/missing}{/id}', 'https://page.example/v1/photo/1'],
    ['https://page.example/v1', '{?id}', 'https://page.example/v1/?id=1'],
    ['https://page.example/v1', '', 'https://page.example/v1/'],
    ['/v1', '/photo/{id}', 'https://page.example/v1/photo/1'],
    ['/', '/photo/{id}', 'https://page.example/photo/1'],
    ['v1', '/photo/{id}', 'https://page.example/app/v1/photo/1'],
    ['/{v}', '/photo/{id}', 'https://page.example/%7Bv%7D/photo/1'],
    ['', '/photo/{id}', 'https://page.example/photo/1'],
    ['', 'photo/{id}', 'https://page.example/app/photo/1'],
    ['', '', 'https://page.example/app/index.html'],
    ['/v1', 'https://evil.example/', 'https://page.example/v1/https://evil.example/'],
  ])("'%s' before '%s' makes %s", (baseUrl, template, url) => {
    expect(locate(invocation(template, params, { baseUrl }))).toEqual({ kind: 'located', url });
  });

  it('belongs to the base, which values cannot leave', () => {
    for (const [template, id] of [
      ['{+id}', '../admin'],
      ['{/id}', '..'],
      ['{id}', '..'],
    ] as const) {
      const refused = locate(invocation(template, [['id', id]], { baseUrl: '/v1' }));
      expect(refused).toHaveProperty('failure.code', 'blocked-url');
    }
    for (const id of ['//evil.example', 'https://evil.example']) {
      const located = locate(invocation('{+id}', [['id', id]], { baseUrl: 'https://page.example' }));
      expect(located).toEqual({ kind: 'located', url: `https://page.example/${id}` });
    }
  });

  it('may lie on another origin, for its author wrote it', () => {
    const elsewhere = { baseUrl: 'https://api.example/v1' };
    expect(locate(invocation('/x', [], elsewhere))).toEqual({
      kind: 'located',
      url: 'https://api.example/v1/x',
    });
  });
});

describe('the fragment', () => {
  it.each(['/x#top', '/x{#y}', '/x#a#b', '/x{+hash}'])('of %s is not sent', (template) => {
    const params = [
      ['y', 'top'],
      ['hash', '#top'],
    ] as const;
    expect(locate(invocation(template, params))).toEqual({ kind: 'located', url: 'https://page.example/x' });
  });
});

describe("the page's own user name", () => {
  it('is not sent, for fetch would refuse it', () => {
    const documentUrl = 'https://me:secret@page.example/app/';
    expect(locate(invocation('x', [], { documentUrl }))).toEqual({
      kind: 'located',
      url: 'https://page.example/app/x',
    });
  });
});

describe('data in the query', () => {
  it.each([
    ['/x', 'a=1', '/x?a=1'],
    ['/x?b=2', 'a=1', '/x?b=2&a=1'],
    ['/x?', 'a=1', '/x?a=1'],
    ['/x#top', 'a=1', '/x?a=1'],
    ['/x?b=2#top', 'a=1', '/x?b=2&a=1'],
    ['/x', '?a=1', '/x?a=1'],
    ['/x?b=2', '&a=1', '/x?b=2&a=1'],
    ['/x', 'a=#1&b=#2', '/x?a=%231&b=%232'],
    ['/x', 'a=1\r\n2\t3', '/x?a=1%0D%0A2%093'],
    ['/x', 'a= é"<', '/x?a=%20%C3%A9%22%3C'],
    ['/x', 'a=%20+?', '/x?a=%20+?'],
    ['/x', 'a=\\..\\', '/x?a=\\..\\'],
    ['/x', '', '/x'],
    ['/x', '?', '/x'],
    ['/x', 'a=\uD800', '/x?a=%EF%BF%BD'],
    ['', 'a=1', '/app/index.html?a=1'],
  ])("'%s' with '%s' makes %s", (template, text, url) => {
    expect(locate(invocation(template, [], { body: { kind: 'query', text } }))).toEqual({
      kind: 'located',
      url: `https://page.example${url}`,
    });
  });

  it('is no body of another kind', () => {
    const located = locate(invocation('/x', [], { method: 'POST', body: { kind: 'text', text: 'a=1' } }));
    expect(located).toEqual({ kind: 'located', url: 'https://page.example/x' });
  });
});

describe('a long URL', () => {
  const room = LIMITS.urlLength - 'https://page.example/'.length;
  const megabyte = 'x'.repeat(1_000_000);

  it('may have as many characters as the limit says, and not one more', () => {
    expect(locate(invocation('/{x}', [['x', 'x'.repeat(room)]])).kind).toBe('located');
    expect(locate(invocation('/{x}', [['x', 'x'.repeat(room + 1)]]))).toHaveProperty(
      'failure.code',
      'url-too-long',
    );
    expect(locate(invocation('/{x}', [['x', 'é'.repeat(room / 6 + 1)]]))).toHaveProperty(
      'failure.code',
      'url-too-long',
    );
  });

  it.each<[string, Invocation]>([
    ['value', invocation('/{x}', [['x', megabyte]])],
    ['value of percent signs', invocation('/{+x}', [['x', '%'.repeat(1_000_000)]])],
    ['value of dots', invocation('/{+x}', [['x', './/'.repeat(500_000)]])],
    ['list', invocation('/{?x*}', [['x', Array.from({ length: 1_000_000 }, () => 'a')]])],
    ['list of nothing', invocation('/{x}', [['x', Array.from({ length: 1_000_000 }, () => '')]])],
    ['map', invocation('/{?x*}', [['x', { pairs: [[megabyte, megabyte]] }]])],
    ['base URL', invocation('/x', [], { baseUrl: '/'.repeat(100_000) + 'x' })],
    ['literal', invocation(`/${megabyte}`)],
    ['default', invocation(`/{x=${megabyte}}`)],
    ['row of expressions', invocation('{x}'.repeat(10_000), [['x', 'y'.repeat(16_000)]])],
    ['query', invocation('/x', [], { body: { kind: 'query', text: '#'.repeat(1_000_000) } })],
  ])('of a huge %s is refused at once, in few words', (_what, huge) => {
    let located: unknown = null;
    expect(cpuTimeOf(() => (located = locate(huge)))).toBeLessThan(2_000);
    expect(located).toHaveProperty('failure.code', 'url-too-long');
    expect(JSON.stringify(located).length).toBeLessThan(500);
  });

  it('is not made by a huge value that the template does not take, or takes little of', () => {
    const params = [
      ['unused', megabyte],
      ['x', megabyte],
    ] as const;
    expect(locate(invocation('/{x:3}', params))).toEqual({
      kind: 'located',
      url: 'https://page.example/xxx',
    });
  });

  it.each(['.//', '%2e%2e/', '/', ';', '%', '.', '%5c'])(
    'of many %s stays cheap within the limit',
    (text) => {
      const params = [['x', text.repeat(Math.floor(16_000 / text.length))]] as const;
      const literal = text.startsWith('%') && text !== '%' ? params[0][1] : '';
      const time = cpuTimeOf(() => {
        locate(invocation('/{+x}', params));
        locate(invocation(`/${literal}{x}{+x}`, params));
      });
      expect(time).toBeLessThan(2_000);
    },
  );
});

describe('a surprise', () => {
  it.each<[string, object]>([
    ['a malformed template', { template: '/{x' }],
    ['params that are no list', { params: 5 }],
    ['a value that is no text', { params: [['x', 1]] }],
    ['a value that is nothing', { params: [['x', null]] }],
    ['a map without pairs', { params: [['x', {}]] }],
    ['an empty document URL', { documentUrl: '' }],
  ])('like %s is a refusal that names the template', (_what, changes) => {
    const surprising = Object.assign(invocation('/{x}'), changes);
    const located = locate(surprising);
    expect(located).toHaveProperty('failure.code', 'blocked-url');
    expect(located).toHaveProperty('failure.message', expect.stringContaining(`'${surprising.template}'`));
  });
});

describe('whatever the values', () => {
  /** Text as an attacker would build it, and any other. */
  const hostile = fc
    .array(
      fc.oneof(
        fc.constantFrom('.', '..', '/', '//', '\\', '%2e', '%2F', '%5c', '%', '%00', ';', '?', '#', '@', ':'),
        fc.constantFrom(
          'https:',
          'javascript:',
          'evil.example',
          'photo',
          'x',
          'é',
          '😀',
          '\uD83D',
          '\n',
          '\u0000',
        ),
        fc.string({ unit: 'binary', maxLength: 4 }),
      ),
      { maxLength: 8 },
    )
    .map((parts) => parts.join(''));
  const value: fc.Arbitrary<ParamValue> = fc.oneof(
    { weight: 4, arbitrary: hostile },
    fc.array(hostile, { maxLength: 3 }),
    fc.array(fc.tuple(hostile, hostile), { maxLength: 3 }).map((pairs) => ({ pairs })),
  );
  const templates = [
    '/photo/{id}/{+rest}',
    '/photo{/id*,rest}',
    '/photo/{+id,rest}{?id*}',
    '/photo/{.id*}{;rest*}',
  ];

  it('nothing is thrown, and nothing leaves the base', () => {
    fc.assert(
      fc.property(fc.constantFrom(...templates), value, value, (template, id, rest) => {
        const params = [
          ['id', id],
          ['rest', rest],
        ] as const;
        expect(escapes(locate(invocation(template, params)))).toEqual([]);
      }),
      { numRuns: 3_000 },
    );
  });

  it('nothing is thrown for any template either, and values do not choose the origin', () => {
    const piece = fc.oneof(
      hostile,
      fc.constantFrom('{a}', '{+a}', '{/a*}', '{?a:3}', '{#a}', '{;a=x}', '{', '}', '{a', '{a:0}'),
    );
    const text = fc.array(piece, { maxLength: 5 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, value, hostile, (template, baseUrl, a, data) => {
        const body = { kind: 'query', text: data } as const;
        const located = locate(invocation(template, [['a', a]], { baseUrl, body }));
        const written = locate(invocation(template, [['a', 'b']], { baseUrl, body }));
        expect(originsOf(located, written).size).toBeLessThanOrEqual(1);
      }),
      { numRuns: 3_000 },
    );
  });

  it('a text comes back from the segment it was sent in, unless it is one that is refused', () => {
    const dots = /(?:^|\/)\.{1,2}(?:$|[/;])/;
    fc.assert(
      fc.property(fc.oneof(hostile, fc.string({ unit: 'binary' })), (id) => {
        const located = locate(invocation('/photo/{id}/end', [['id', id]]));
        const refused = dots.test(id) || /[\\\p{Cc}\p{Cs}]/u.test(id);
        expect(segmentOf(located)).toBe(refused ? 'blocked-url' : id);
      }),
      { numRuns: 3_000 },
    );
  });
});

/** How a URL left `https://page.example/photo`, in words; none where it did not, or was refused. */
function escapes(located: Located): readonly string[] {
  if (located.kind === 'refused') return [];
  const { origin, pathname, username, password } = new URL(located.url);
  const segments = pathname.split('/').map((segment) => segment.replace(/%2e/gi, '.').split(';')[0]);
  return [
    origin === 'https://page.example' ? '' : 'origin',
    /^\/photo(?:[/;.]|$)/.test(pathname) ? '' : 'directory',
    username + password === '' ? '' : 'user name',
    /[\\\p{Cc}]|%5c|%0|%1|%7f/iu.test(pathname) ? 'character' : '',
    segments.includes('.') || segments.includes('..') ? 'dot segment' : '',
    located.url.includes('#') ? 'fragment' : '',
  ].filter((escape) => escape !== '');
}

function originsOf(...all: readonly Located[]): Set<string> {
  return new Set(all.flatMap((each) => (each.kind === 'located' ? [new URL(each.url).origin] : [])));
}

/** What a server reads between `/photo/` and `/end`, or the failure's code. */
function segmentOf(located: Located): string {
  if (located.kind === 'refused') return located.failure.code;
  const segment = /^https:\/\/page\.example\/photo\/([^/]*)\/end$/.exec(located.url)?.[1];
  return segment === undefined ? `no segment: ${located.url}` : decodeURIComponent(segment);
}
