import { describe, expect, expectTypeOf, test } from 'vitest';
import type { ChangeModelEvent, RestStoreDelegate } from '../store/model-store.ts';
import { RestStore } from '../store/rest-store.ts';
import type { RestStoreStatus } from '../store/status.ts';
import type { StoreWindow } from '../store/windows.ts';
import type { StoreWindowStatus } from '../store/window-source.ts';
import type { InvocationId } from './declared-actions.ts';
import { Resource } from './resource.ts';
import { TITLED } from './schema.fixture.ts';
import type { Titled } from './schema.fixture.ts';
import type { SchemaOutput, StandardSchemaV1 } from '../../shared/standard-schema.ts';

/** The compiler reads these; nothing in them is to run. */
function compiled(...uses: (() => unknown)[]): void {
  for (const use of uses) expect(use).toBeTypeOf('function');
}

const photo = new Resource({
  get: { method: 'GET', url: '/photo/{id}', response: TITLED },
  list: { method: 'GET', url: '/photos', response: Resource.type<readonly Titled[] | null>() },
  put: { method: 'PUT', url: '/photo/{id}' },
});

describe('the response of an action', () => {
  test('is what its schema makes, or what is said of it', () => {
    expectTypeOf(photo.get).returns.toEqualTypeOf<InvocationId<Titled>>();
    expectTypeOf(photo.list).returns.toEqualTypeOf<InvocationId<readonly Titled[] | null>>();
    expectTypeOf(photo.put).returns.toEqualTypeOf<InvocationId>();
    compiled(
      () => expectTypeOf(photo.result(photo.get({ id: 1 }))).toEqualTypeOf<Promise<Titled>>(),
      () => expectTypeOf(photo.result(photo.invoke('get'))).toEqualTypeOf<Promise<Titled>>(),
      () => expectTypeOf(photo.result(photo.list())).toEqualTypeOf<Promise<readonly Titled[] | null>>(),
      () => expectTypeOf(photo.result(photo.put())).toEqualTypeOf<Promise<unknown>>(),
      () => expectTypeOf(photo.refresh('get')).toEqualTypeOf<InvocationId<Titled> | null>(),
    );
  });

  test('is what a call of `result` says, where its id does not tell', () => {
    compiled(
      () => expectTypeOf(photo.result(1)).toEqualTypeOf<Promise<unknown>>(),
      () => expectTypeOf(photo.result<Titled>(1)).toEqualTypeOf<Promise<Titled>>(),
      () => expectTypeOf(new Resource().result<Titled>(1)).toEqualTypeOf<Promise<Titled>>(),
      // @ts-expect-error the id tells otherwise
      () => photo.result<string>(photo.get({ id: 1 })),
    );
  });

  test('leaves its id a number', () => {
    compiled(
      (): number => photo.get({ id: 1 }),
      () => new Map<number, string>().get(photo.get({ id: 1 })),
      () => photo.abort(photo.get({ id: 1 })),
    );
    expectTypeOf<InvocationId<Titled>>().not.toExtend<InvocationId<string>>();
    expectTypeOf<InvocationId<Titled>>().toExtend<InvocationId>();
  });
});

test('the response of an action that says text is a text', () => {
  const page = new Resource({ get: { method: 'GET', url: '/page', response: Resource.text } });
  compiled(() => expectTypeOf(page.result(page.get())).toEqualTypeOf<Promise<string>>());
});

describe('a schema', () => {
  test('is any that fits the standard', () => {
    interface Zod<Output, Input> {
      readonly '~standard': {
        readonly version: 1;
        readonly vendor: string;
        readonly validate: (
          value: unknown,
          options?: { readonly libraryOptions?: Record<string, unknown> },
        ) => { value: Output } | { issues: { message: string }[] } | Promise<{ value: Output }>;
        readonly types?: { readonly input: Input; readonly output: Output } | undefined;
      };
      parse(value: unknown): Output;
    }
    expectTypeOf<Zod<Date, string>>().toExtend<StandardSchemaV1>();
    expectTypeOf<SchemaOutput<Zod<Date, string>>>().toEqualTypeOf<Date>();
    compiled(
      // @ts-expect-error a function is no schema
      () => new Resource({ get: { method: 'GET', url: '/', response: (value: unknown) => value } }),
      // @ts-expect-error nor is another version
      () => new Resource({ get: { method: 'GET', url: '/', response: { '~standard': { version: 2 } } } }),
    );
  });
});

describe('the model of a store', () => {
  test('is the response of its action; null is none', () => {
    compiled(
      () => expectTypeOf(new RestStore(photo, 'get')).toEqualTypeOf<RestStore<Titled>>(),
      () => expectTypeOf(new RestStore(photo, 'get').model).toEqualTypeOf<Titled | null>(),
      () => expectTypeOf(new RestStore(photo, 'list').getModel()).toEqualTypeOf<readonly Titled[] | null>(),
      () => expectTypeOf(new RestStore(photo, 'put').getSnapshot()).toEqualTypeOf<unknown>(),
      () => new RestStore(photo, 'get').subscribe((model) => model?.title),
      () => new RestStore(photo, 'get').subscribe({ next: (model) => model?.title }),
      () =>
        new RestStore(photo, 'get').addEventListener('changeModel', ({ value, old }) => [
          value?.title,
          old?.title,
        ]),
      () =>
        new RestStore(photo, 'list').addEventListener('changeModel', (event) =>
          expectTypeOf(event).toEqualTypeOf<ChangeModelEvent<readonly Titled[]>>(),
        ),
      () => expectTypeOf(new RestStore(photo, 'get').status).toEqualTypeOf<RestStoreStatus>(),
      () => new RestStore(photo, 'get').bind('model.title', {}, 'title'),
      () => new RestStore(photo, 'get').bind('status.error.code', {}, (code) => code),
      // @ts-expect-error a store has no such thing
      () => new RestStore(photo, 'get').bind('stats', {}, 'title'),
      // @ts-expect-error it is read only
      () => (new RestStore(photo, 'get').status.stale = true),
      // @ts-expect-error it may be null
      () => new RestStore(photo, 'get').model.title,
      // @ts-expect-error there is no such action
      () => new RestStore(photo, 'gett'),
      // @ts-expect-error nor is a member one
      () => new RestStore(photo, 'invoke'),
    );
  });

  test('is what the delegate makes of it', () => {
    const title = { manipulateData: (response: Titled) => response.title };
    compiled(
      () => expectTypeOf(new RestStore(photo, 'get', title).model).toEqualTypeOf<string | null>(),
      () =>
        new RestStore(photo, 'get', { manipulateData: ({ title: text }) => text.length }).model?.toFixed(),
      () => expectTypeOf(new RestStore(photo, 'get', {}).model).toEqualTypeOf<Titled | null>(),
      () => new RestStore(photo, 'list', { manipulateData: (rows) => rows.length }).model?.toFixed(),
      // @ts-expect-error a list has no title
      () => new RestStore(photo, 'list', { manipulateData: ({ title: text }) => text }),
    );
    const delegate: RestStoreDelegate = {};
    compiled(() => expectTypeOf(new RestStore(photo, 'get', delegate).model).toEqualTypeOf<unknown>());
  });

  test('is unknown where the resource has no description', () => {
    compiled(
      () => expectTypeOf(new RestStore(new Resource(), 'anything')).toEqualTypeOf<RestStore>(),
      () => expectTypeOf(new RestStore<Resource>(photo, 'anything').model).toEqualTypeOf<unknown>(),
    );
  });
});

const feed = new Resource({
  pages: {
    method: 'GET',
    url: '/pages',
    response: Resource.type<{ readonly items: readonly Titled[]; readonly by?: { readonly n: number } }>(),
  },
});

const open = () => new RestStore(photo, 'list').window(0, 50);
const select = () => new RestStore(feed, 'pages', { select: '/items' });

describe('a window of a store', () => {
  test('has the rows of its list', () => {
    expectTypeOf(open).returns.toEqualTypeOf<StoreWindow<Titled>>();
    expectTypeOf<ReturnType<typeof open>['model']>().toEqualTypeOf<readonly Titled[] | null>();
    expectTypeOf<ReturnType<typeof open>['total']>().toEqualTypeOf<number | null>();
    expectTypeOf<ReturnType<typeof open>['status']>().toEqualTypeOf<StoreWindowStatus>();
    compiled(
      () => expectTypeOf(new RestStore(photo, 'get').window(0, 1)).toEqualTypeOf<StoreWindow>(),
      () =>
        open().addEventListener('changeModel', (event) => {
          expectTypeOf(event).toEqualTypeOf<ChangeModelEvent<readonly Titled[]>>();
        }),
      // @ts-expect-error a window has a number of rows
      () => new RestStore(photo, 'list').window(0),
    );
  });

  test('or of what the store selects', () => {
    expectTypeOf(select).returns.toEqualTypeOf<RestStore<readonly Titled[]>>();
    compiled(
      () => expectTypeOf(select().window(0, 1)).toEqualTypeOf<StoreWindow<Titled>>(),
      () =>
        expectTypeOf(new RestStore(feed, 'pages', { select: '/items/0/title' }).model).toEqualTypeOf<
          string | null
        >(),
      () =>
        expectTypeOf(new RestStore(feed, 'pages', { select: '/by/n' }).model).toEqualTypeOf<number | null>(),
      () => expectTypeOf(new RestStore(feed, 'pages', { select: '/none' }).model).toEqualTypeOf<unknown>(),
      () =>
        new RestStore(feed, 'pages', {
          select: '/items',
          manipulateData: (rows) => expectTypeOf(rows).toEqualTypeOf<readonly Titled[]>(),
        }),
    );
  });
});
