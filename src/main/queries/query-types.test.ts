import { describe, expectTypeOf, test } from 'vitest';
import { Resource } from '../resource/resource.ts';
import type { Query } from './query.ts';

interface Photo {
  readonly id: number;
  readonly title: string;
}

const photo = new Resource({
  get: {
    method: 'GET',
    url: '/photo/{id}',
    check: { id: Resource.REQUIRED },
    response: Resource.type<Photo>(),
  },
  list: {
    method: 'GET',
    url: '/photos{?page}',
    response: Resource.type<{ readonly items: readonly Photo[] }>(),
  },
  other: { method: 'GET', url: '/other' },
});

/** For the compiler alone. */
function compiled(..._calls: readonly (() => unknown)[]): void {}

describe('the data of a query', () => {
  test('are the answer of its action', () => {
    compiled(() => {
      expectTypeOf(photo.query('get', { id: 1 })).toEqualTypeOf<Query<Photo>>();
      expectTypeOf(photo.query('get', { id: 1 }).snapshot.data).toEqualTypeOf<Photo | null>();
      expectTypeOf(photo.query('get', { id: 1 }, { staleTime: 1 }).refresh()).toEqualTypeOf<Promise<Photo>>();
      expectTypeOf(photo.query('other').loaded).toEqualTypeOf<Promise<unknown>>();
      expectTypeOf(photo.prefetch('get', { id: 1 })).toEqualTypeOf<Promise<Photo>>();
    });
  });

  test('are what select makes of it', () => {
    compiled(() => {
      expectTypeOf(photo.query('get', { id: 1 }, { select: '/title' })).toEqualTypeOf<Query<string>>();
      expectTypeOf(photo.query('list', null, { select: '/items/0/id' })).toEqualTypeOf<Query<number>>();
      expectTypeOf(photo.query('list', {}, { select: ({ items }) => items.length })).toEqualTypeOf<
        Query<number>
      >();
    });
  });

  test('are of an unknown type without a description', () => {
    compiled(() => expectTypeOf(new Resource().query('get', { id: 1 })).toEqualTypeOf<Query>());
  });
});

test('what is wrong does not compile', () => {
  expectTypeOf<(typeof photo)['query']>().toBeFunction();
  compiled(
    // @ts-expect-error there is no such action
    () => photo.query('gett', { id: 1 }),
    // @ts-expect-error a parameter is missing
    () => photo.query('get', {}),
    // @ts-expect-error a stale time is a number
    () => photo.query('get', { id: 1 }, { staleTime: '1' }),
    // @ts-expect-error there is no such option
    () => photo.query('get', { id: 1 }, { stale: 1 }),
    // @ts-expect-error there is no such member
    () => photo.query('get', { id: 1 }, { select: (one) => one.name }),
    // @ts-expect-error there is no such occasion
    () => photo.query('get', { id: 1 }, { refreshOn: { load: true } }),
    // @ts-expect-error a prefetch is no loop
    () => photo.prefetch('get', { id: 1 }, { interval: 1_000 }),
    // @ts-expect-error a snapshot never changes
    () => (photo.query('other').snapshot.data = 1),
  );
});
