import { describe, expectTypeOf, test } from 'vitest';
import { templateNames } from '../../shared/template.ts';
import { REQUIRED } from './check.ts';
import type { Checks, RequiredCheck } from './check.ts';
import type { InputParams, InputScalar, InputValue, PresentValue } from './params.ts';
import type { ActionParams, TemplateNames } from './action.ts';

type Of<Url extends string> = ActionParams<{ readonly method: 'GET'; readonly url: Url }>;
type Checked<Url extends string, C extends Checks> = ActionParams<{
  readonly method: 'GET';
  readonly url: Url;
  readonly check: C;
}>;

/** The compiler finds the names that the grammar finds: the type of the list is the set of them. */
function named<const Url extends string>(url: Url, ...names: TemplateNames<Url>[]): [unknown, unknown] {
  return [templateNames(url).toSorted(), names.toSorted()];
}

describe('the names of a template', () => {
  test('are those that the grammar finds', ({ expect }) => {
    const rows = [
      named('/photos'),
      named('/photo/{id}', 'id'),
      named('/photo/{id}/{size=medium}{?page,tags*}', 'id', 'size', 'page', 'tags'),
      named(
        '{+path}{#part}{.ext}{/way*}{;matrix}{?query}{&more}',
        'path',
        'part',
        'ext',
        'way',
        'matrix',
        'query',
        'more',
      ),
      named('{a,b:3,c*,d=1,e:30=x,f*=y}', 'a', 'b', 'c', 'd', 'e', 'f'),
      named('{?user.name,%C3%A9t%C3%A9,_x9}', 'user.name', '%C3%A9t%C3%A9', '_x9'),
      named('{a=b=c:*+?#/}{empty=}', 'a', 'empty'),
      named('{id}/{id:1}?{id*}', 'id'),
    ];
    for (const [found, told] of rows) expect(told).toEqual(found);
    // @ts-expect-error there is no such name
    expect(() => named('/photo/{id}', 'size')).not.toThrow();
  });

  test('are all of them, and no others', () => {
    expectTypeOf<TemplateNames<'/photo/{id}/{size=medium}{?page,tags*}'>>().toEqualTypeOf<
      'id' | 'size' | 'page' | 'tags'
    >();
    expectTypeOf<TemplateNames<'{+a}{#b}{.c}{/d}{;e}{?f}{&g}'>>().toEqualTypeOf<
      'a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g'
    >();
    expectTypeOf<TemplateNames<'{a=b=c:*+?#/}{empty=}{x:3=*}'>>().toEqualTypeOf<'a' | 'empty' | 'x'>();
    expectTypeOf<TemplateNames<'{?user.name,%C3%A9t%C3%A9}'>>().toEqualTypeOf<
      'user.name' | '%C3%A9t%C3%A9'
    >();
    expectTypeOf<TemplateNames<'/photos'>>().toEqualTypeOf<never>();
  });
});

describe('parameters', () => {
  test('take what can be put into a URL, or nothing', () => {
    expectTypeOf<Of<'{id}{?tags*}'>>().toEqualTypeOf<{ id?: InputValue; tags?: InputValue }>();
    expectTypeOf<undefined>().toExtend<InputValue>();
    expectTypeOf<readonly (number | null)[]>().toExtend<InputValue>();
    expectTypeOf<{ lat: number; lon: bigint }>().toExtend<InputValue>();
    expectTypeOf<URL>().not.toExtend<InputValue>();
    expectTypeOf<{ a: { b: 1 } }>().not.toExtend<InputValue>();
    expectTypeOf<number[][]>().not.toExtend<InputValue>();
    expectTypeOf<() => string>().not.toExtend<InputValue>();
    expectTypeOf<symbol>().not.toExtend<InputValue>();
  });

  test('with a check are required, whatever their default', () => {
    const check = { id: REQUIRED, size: /^[ml]$/, page: (value: string) => value !== '' } as const;
    expectTypeOf<Checked<'/{id}/{size=m}{?page,tags*}', typeof check>>().toEqualTypeOf<{
      id: PresentValue;
      size: PresentValue;
      page: PresentValue;
      tags?: InputValue;
    }>();
    expectTypeOf<undefined>().not.toExtend<PresentValue>();
    expectTypeOf<null>().not.toExtend<PresentValue>();
  });

  test('that a check names and the template does not are required too', () => {
    expectTypeOf<Checked<'/photos', { readonly key: RequiredCheck }>>().toEqualTypeOf<{
      key: PresentValue;
    }>();
  });

  test('that are cut take no lists and maps', () => {
    expectTypeOf<Of<'{name:3}{?name,other}'>>().toEqualTypeOf<{
      name?: InputScalar | null | undefined;
      other?: InputValue;
    }>();
    expectTypeOf<Checked<'{a:3=x}', { readonly a: RegExp }>>().toEqualTypeOf<{ a: InputScalar }>();
  });

  test('of a template without variables are none', () => {
    expectTypeOf<Of<'/photos'>>().toEqualTypeOf<Readonly<Record<string, undefined>>>();
  });

  test('may be any where template or checks are not known to the letter', () => {
    expectTypeOf<Of<string>>().toEqualTypeOf<InputParams>();
    expectTypeOf<Of<`/photo/${string}`>>().toEqualTypeOf<InputParams>();
    expectTypeOf<Checked<'/{id}', Checks>>().toEqualTypeOf<InputParams>();
  });
});
