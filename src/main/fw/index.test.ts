import { expect, expectTypeOf, test } from 'vitest';
import { PlainResource, RequestDraft, Resource, RestEvent, RestStore } from '../index.ts';
import type { RequestData, RestResource } from '../index.ts';
import { List, ListController } from '../list/index.ts';
import { fw } from './index.ts';

test('each classic name is the one class of its kind', () => {
  const named = [
    [fw.io.rest.Resource, Resource],
    [fw.bom.rest.Resource, PlainResource],
    [fw.data.store.Rest, RestStore],
    [fw.data.controller.List, ListController],
    [fw.ui.form.List, List],
    [fw.event.type.Rest, RestEvent],
    [fw.io.request.AbstractRequest, RequestDraft],
  ];
  for (const [classic, own] of named) expect(classic).toBe(own);
});

test('each classic name is a type too', () => {
  expectTypeOf<fw.io.rest.Resource>().toEqualTypeOf<RestResource>();
  expectTypeOf<fw.bom.rest.Resource>().toEqualTypeOf<PlainResource>();
  expectTypeOf<fw.data.store.Rest<number>['model']>().toEqualTypeOf<number | null>();
  expectTypeOf<fw.data.controller.List>().toEqualTypeOf<ListController>();
  expectTypeOf<fw.ui.form.List>().toEqualTypeOf<List>();
  expectTypeOf<fw.event.type.Rest<number>['response']>().toEqualTypeOf<number>();
  expectTypeOf<fw.io.request.AbstractRequest['requestData']>().toEqualTypeOf<RequestData>();
});

test('the description given to a classic name is known as to any', () => {
  const photos = new fw.io.rest.Resource({ get: { method: 'GET', url: '/photo/{id}' } });
  const uses = [
    (): number => photos.get({ id: 1 }),
    // @ts-expect-error there is no such parameter
    (): number => photos.get({ ID: 1 }),
  ];
  expect(uses).toHaveLength(2);
});
