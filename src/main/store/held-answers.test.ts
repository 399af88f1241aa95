import type { OptimisticWrite } from '../optimistic/write.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { done, OptimisticPage } from '../optimistic/optimistic-page.fixture.ts';
import { changeRow } from '../optimistic/rows.ts';
import { Resource } from '../resource/resource.ts';
import { flush } from '../session/host.fixture.ts';
import { answered } from '../session/invocation.fixture.ts';
import { RestStore } from './rest-store.ts';

let page: OptimisticPage;

const DESCRIPTION = {
  get: { method: 'GET', url: '/photos/{id}' },
  rename: {
    method: 'PATCH',
    url: '/photos/{id}',
    offline: 'queue',
    optimistic: {
      get: (photo: unknown, { data, params }: OptimisticWrite): unknown =>
        String(Object(photo).id) === params['id'] ? { ...Object(photo), ...Object(data) } : photo,
    },
  },
} as const;

function open() {
  return new Resource(DESCRIPTION, { connection: page.connection, name: 'photos' });
}

beforeEach(() => {
  page = new OptimisticPage();
});

afterEach(() => page.leave());

describe('a store that follows all of an action, as its user goes to another photo', () => {
  test('shows that photo while an attempt for the first one is under way', async () => {
    const photos = open();
    const store = new RestStore(photos, 'get');
    await page.answer(photos.get({ id: 1 }), answered({ id: 1, title: 'Dawn' }, { asOf: page.at(0) }));
    photos.rename({ id: 1 }, { title: 'Morning' });
    const write = await page.last();
    await page.tell({ ...write, state: 'sending', body: null, attempts: 1 });
    await page.answer(photos.get({ id: 2 }), answered({ id: 2, title: 'Noon' }, { asOf: page.at(5) }));
    expect(store.model).toEqual({ id: 2, title: 'Noon' });
  });

  // The same for good: without a network, the stored answer is all there is. It is older than a write that is done.
  test('shows what is stored of it, though that is from before a write that is done', async () => {
    const photos = open();
    const store = new RestStore(photos, 'get');
    await page.answer(photos.get({ id: 1 }), answered({ id: 1, title: 'Dawn' }, { asOf: page.at(0) }));
    photos.rename({ id: 1 }, { title: 'Morning' });
    await page.tell(done(await page.last(), page.at(900)));
    await page.answer(photos.get({ id: 1 }), answered({ id: 1, title: 'Morning' }, { asOf: page.at(950) }));
    expect(store.model).toEqual({ id: 1, title: 'Morning' });
    await page.answer(
      photos.get({ id: 2 }),
      answered({ id: 2, title: 'Noon' }, { servedFrom: 'cache', stale: true, age: 500 }),
    );
    await flush();
    expect(store.model).toEqual({ id: 2, title: 'Noon' });
  });
});

describe('windows with an arrangement', () => {
  // A window's arrangement is for "rows that the page makes" not at all, but nothing says that an optimistic action forbids it; the
  // guide says that "windows of a store are cut in the page then, from the whole answer".
  test('can be opened where actions are optimistic, or the error says why not', () => {
    const store = new RestStore(page.resource, 'list');
    let message = '';
    try {
      store.window(0, 10, { filter: 'mine' });
    } catch (error) {
      message = String(error);
    }
    expect(message).not.toMatch(/manipulateData/);
  });
});

void changeRow;
