import { expect, expectTypeOf, test } from 'vitest';
import type { Loop } from './loop.ts';
import { Resource } from './resource.ts';
import type { ActionMethod, RestListener } from './resource.ts';

/** The compiler reads these; nothing in them is to run. */
function compiled(use: () => unknown): void {
  expect(use).toBeTypeOf('function');
}

test('the described actions are methods, and no others', () => {
  const photo = new Resource({
    get: { method: 'GET', url: '/photo/{id}', check: { id: Resource.REQUIRED } },
    put: { method: 'PUT', url: '/photo/{id}', timeout: 1_000 },
  });
  expectTypeOf(photo.get).toEqualTypeOf<ActionMethod>();
  compiled((): number => photo.put({ id: 1 }, { title: 'A' }, { timeout: 5 }));
  // @ts-expect-error there is no such action
  compiled(() => photo.gett({ id: 1 }));
  // @ts-expect-error a URL is no parameter
  compiled(() => photo.get({ id: new URL('https://page.example/') }));
  // @ts-expect-error a call has no method
  compiled(() => photo.get({ id: 1 }, null, { method: 'GET' }));
  expect(photo.get).toBeTypeOf('function');
});

test('the names of a description are inferred from it as it is written', () => {
  const description = { get: { method: 'GET', url: '/' } } as const;
  expectTypeOf(new Resource(description).get).toEqualTypeOf<ActionMethod>();
  expectTypeOf(
    new Resource({ a: description.get, 'b c': description.get })['b c'],
  ).toEqualTypeOf<ActionMethod>();
  // @ts-expect-error a description is not complete without its URL
  compiled(() => new Resource({ get: { method: 'GET' } }));
  // @ts-expect-error a check is a function, a RegExp or REQUIRED
  compiled(() => new Resource({ get: { method: 'GET', url: '/', check: { id: 1 } } }));
  // @ts-expect-error a timeout is a number
  compiled(() => new Resource({ get: { method: 'GET', url: '/', timeout: '1' } }));
  expect(new Resource(description).get).toBeTypeOf('function');
});

test('a resource without a description has actions that are callable untyped', () => {
  const photo = new Resource();
  expect(photo.map('get', 'GET', '/photo/{id}')).toBeUndefined();
  compiled(() => photo.get({ id: 1 }));
  compiled(() => photo['put']({ id: 1 }, 'a=1'));
  expect(photo['get']).toBeTypeOf('function');
});

test('the members of a resource keep their own types', () => {
  const photo = new Resource();
  type Untyped = typeof photo;
  expectTypeOf<ReturnType<Untyped['invoke']>>().toEqualTypeOf<number>();
  expectTypeOf<ReturnType<Untyped['result']>>().toEqualTypeOf<Promise<unknown>>();
  expectTypeOf<ReturnType<Untyped['poll']>>().toEqualTypeOf<Loop>();
  expectTypeOf<Untyped['addListener']>().parameter(1).toEqualTypeOf<RestListener>();
  expectTypeOf<Untyped['anything']>().toEqualTypeOf<ActionMethod>();
  // @ts-expect-error a method is text
  compiled(() => photo.map('get', 1, '/'));
  // @ts-expect-error an interval is a number
  compiled(() => photo.poll('get', {}, { interval: '700' }));
  // @ts-expect-error `map` needs a URL
  compiled(() => photo.map('get', 'GET'));
  expect(photo).toBeInstanceOf(EventTarget);
});
