import { describe, expect, expectTypeOf, test } from 'vitest';
import type { ActionMethod, InvocationId } from './declared-actions.ts';
import type { Description } from './action.ts';
import type { Loop } from './loop.ts';
import type { InputParams, InputValue, PresentValue } from './params.ts';
import { Resource } from './resource.ts';
import type { RestListener, RestResource } from './rest-resource.ts';

/** The compiler reads these; nothing in them is to run. */
function compiled(...uses: (() => unknown)[]): void {
  for (const use of uses) expect(use).toBeTypeOf('function');
}

const photo = new Resource({
  get: {
    method: 'GET',
    url: '/photo/{id}/{size=medium}{?page,tags*}',
    check: { id: Resource.REQUIRED },
  },
  list: { method: 'GET', url: '/photos{?page=1,name:3}', timeout: 1_000 },
  clear: { method: 'DELETE', url: '/photos' },
});

const CURSOR = { from: 'etag', to: 'if-none-match' } as const;

describe('the methods of described actions', () => {
  test('take the parameters that their template names, then data and options', () => {
    expectTypeOf(photo.get).toEqualTypeOf<
      ActionMethod<{ id: PresentValue; size?: InputValue; page?: InputValue; tags?: InputValue }>
    >();
    expectTypeOf(photo.get).returns.toEqualTypeOf<InvocationId>();
    compiled(
      (): number => photo.get({ id: 1 }),
      () =>
        photo.get(
          { id: 'a', size: undefined, page: null, tags: ['a', 1, null] },
          { title: 'A' },
          { timeout: 5 },
        ),
      () => photo.get({ id: new Date(0), tags: { a: true, b: 1n } }),
      () => photo.list(),
      () => photo.list(null),
      () => photo.list({}, 'a=1', { signal: new AbortController().signal }),
      () => photo.clear(),
      () => photo.clear({}, null),
    );
  });

  test('refuse everything else', () => {
    expectTypeOf(photo.get).parameter(0).not.toBeNullable();
    compiled(
      // @ts-expect-error there is no such action
      () => photo.gett({ id: 1 }),
      // @ts-expect-error `id` is required, and so are the parameters
      () => photo.get(),
      // @ts-expect-error
      () => photo.get(null),
      // @ts-expect-error
      () => photo.get({ size: 'large' }),
      // @ts-expect-error null is absent
      () => photo.get({ id: null }),
      // @ts-expect-error there is no such parameter
      () => photo.get({ id: 1, sice: 'large' }),
      // @ts-expect-error a URL is no value
      () => photo.get({ id: new URL('https://page.example/') }),
      // @ts-expect-error nor is a list of lists
      () => photo.get({ id: 1, tags: [['a']] }),
      // @ts-expect-error a list cannot be cut
      () => photo.list({ name: ['a'] }),
      // @ts-expect-error there are none
      () => photo.clear({ id: 1 }),
      // @ts-expect-error a call has no method
      () => photo.get({ id: 1 }, null, { method: 'GET' }),
      // @ts-expect-error nor a response
      () => photo.get({ id: 1 }, null, { response: Resource.type() }),
    );
  });
});

describe('the members that take the name of an action', () => {
  test('know the actions and their parameters', () => {
    expectTypeOf<Parameters<typeof photo.abort>>().toEqualTypeOf<
      [target: 'get' | 'list' | 'clear' | number]
    >();
    compiled(
      (): InvocationId => photo.invoke('get', { id: 1 }, null, { timeout: 5 }),
      () => photo.invoke('list'),
      (): InvocationId | null => photo.refresh('list'),
      (): Loop => photo.poll('get', { id: 1 }, { interval: 5_000 }),
      () => photo.poll('get'),
      () => photo.poll('get', null, { interval: 5_000 }),
      () => photo.poll('get', 5_000, { id: 1 }, true),
      () => photo.poll('get', 5_000),
      () => photo.poll('get', 5_000, null),
      () => photo.longPoll('get', { id: 1 }, { data: 'a' }),
      () => photo.longPoll('get', null),
      () => photo.longPoll('get', { id: 1 }, { cursor: { ...CURSOR, catchUp: 'list' } }),
      () => photo.poll('get', { id: 1 }, { cursor: { ...CURSOR, kind: 'state', initial: 0, plus: 1 } }),
      () => photo.longPoll('get', { id: 1 }, { wait: { prefer: 25 }, spread: 0 }),
      () => photo.longPoll('get', { id: 1 }, { wait: { query: 'wait', value: '25s' } }),
      () => photo.abort('get'),
      () => photo.abort(7),
      () => photo.configureRequest(() => {}, 'get'),
    );
  });

  test('refuse everything else', () => {
    expectTypeOf<Parameters<typeof photo.refresh>>().toEqualTypeOf<[action: 'get' | 'list' | 'clear']>();
    compiled(
      // @ts-expect-error there is no such action
      () => photo.invoke('gett', { id: 1 }),
      // @ts-expect-error
      () => photo.refresh('gett'),
      // @ts-expect-error
      () => photo.poll('gett', { id: 1 }),
      // @ts-expect-error
      () => photo.poll('gett', 5_000),
      // @ts-expect-error
      () => photo.longPoll('gett'),
      // @ts-expect-error
      () => photo.abort('gett'),
      // @ts-expect-error
      () => photo.configureRequest(() => {}, 'gett'),
      // @ts-expect-error `id` is required
      () => photo.invoke('get'),
      // @ts-expect-error
      () => photo.poll('get', {}),
      // @ts-expect-error
      () => photo.poll('get', 5_000, {}),
      // @ts-expect-error
      () => photo.longPoll('get', { size: 'large' }),
      // @ts-expect-error there is no such parameter
      () => photo.poll('get', { id: 1, sice: 'large' }, { interval: 5_000 }),
      // @ts-expect-error it is one of another action
      () => photo.invoke('list', { id: 1 }),
      // @ts-expect-error an interval is a number
      () => photo.poll('get', { id: 1 }, { interval: '700' }),
      // @ts-expect-error there is no such action to catch up by
      () => photo.longPoll('get', { id: 1 }, { cursor: { ...CURSOR, catchUp: 'lists' } }),
      // @ts-expect-error
      () => photo.poll('get', { id: 1 }, { cursor: { ...CURSOR, catchUp: 'lists' } }),
      // @ts-expect-error a cursor comes from somewhere
      () => photo.longPoll('get', { id: 1 }, { cursor: { to: 'if-none-match' } }),
      // @ts-expect-error but not from the query
      () => photo.longPoll('get', { id: 1 }, { cursor: { ...CURSOR, from: { query: 'since' } } }),
      // @ts-expect-error a wait has a value
      () => photo.longPoll('get', { id: 1 }, { wait: { query: 'wait' } }),
      // @ts-expect-error a poll does not wait
      () => photo.poll('get', { id: 1 }, { wait: { prefer: 25 } }),
    );
  });
});

describe('a description', () => {
  test('is inferred as it is written', () => {
    const get = { method: 'GET', url: '/{id}' } as const;
    expectTypeOf(new Resource({ 'b c': get })['b c']).toEqualTypeOf<ActionMethod<{ id?: InputValue }>>();
    compiled(
      // @ts-expect-error a description is not complete without its URL
      () => new Resource({ get: { method: 'GET' } }),
      // @ts-expect-error a check is a function, a RegExp or REQUIRED
      () => new Resource({ get: { method: 'GET', url: '/', check: { id: 1 } } }),
      // @ts-expect-error a timeout is a number
      () => new Resource({ get: { method: 'GET', url: '/', timeout: '1' } }),
      // @ts-expect-error a check takes text
      () => new Resource({ get: { method: 'GET', url: '/', check: { id: (value: number) => value > 1 } } }),
      () => new Resource({ get: { method: 'GET', url: '/', check: { id: (value) => value.length > 1 } } }),
    );
  });

  test('that is not known to the letter takes any parameters, and any names', () => {
    const url: string = '/photo/{id}';
    const loose = new Resource({ get: { method: 'GET', url } });
    expectTypeOf(loose.get).toEqualTypeOf<ActionMethod>();
    expectTypeOf(loose.get).parameter(0).toEqualTypeOf<InputParams | null | undefined>();
    const description: Description = { get: { method: 'GET', url } };
    const looser = new Resource(description);
    compiled(
      () => looser.invoke('anything', { id: 1 }),
      () => looser.addListener('anything', () => {}),
    );
  });
});

describe('a resource without a description', () => {
  test('has actions that are callable untyped', () => {
    const untyped = new Resource();
    expect(
      untyped.map('get', 'GET', '/photo/{id}', { id: /1/ }, { response: Resource.type() }),
    ).toBeUndefined();
    compiled(
      () => untyped.get({ id: 1 }),
      () => untyped['put']({ id: 1 }, 'a=1'),
      () => untyped.invoke('anything', { id: 1 }),
      () => untyped.poll('anything', { id: 1 }),
      () => untyped.addListener('anythingSuccess', () => {}),
      // @ts-expect-error a method is text
      () => untyped.map('get', 1, '/'),
      // @ts-expect-error `map` needs a URL
      () => untyped.map('get', 'GET'),
      // @ts-expect-error an interval is a number
      () => untyped.poll('get', {}, { interval: '700' }),
      // @ts-expect-error a URL is no value
      () => untyped.get({ id: new URL('https://page.example/') }),
    );
    expectTypeOf(untyped['anything']).toEqualTypeOf<ActionMethod | undefined>();
    expectTypeOf<(typeof untyped)['addListener']>().parameter(1).toEqualTypeOf<RestListener>();
    expect(untyped).toBeInstanceOf(EventTarget);
  });

  test('stands for any resource', () => {
    expectTypeOf(photo).toExtend<RestResource>();
    expectTypeOf(photo).toExtend<EventTarget>();
    expectTypeOf(new Resource()).toExtend<RestResource>();
  });
});
