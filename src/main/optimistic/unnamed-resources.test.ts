import { afterEach, beforeEach, expect, test } from 'vitest';
import { Resource } from '../resource/resource.ts';
import { RestStore } from '../store/rest-store.ts';
import { flush } from '../session/host.fixture.ts';
import { answered } from '../session/invocation.fixture.ts';
import { OptimisticPage, titles } from './optimistic-page.fixture.ts';
import { appendRow } from './rows.ts';

let page: OptimisticPage;

beforeEach(() => {
  page = new OptimisticPage();
});

afterEach(() => page.leave());

test('what one resource without a name writes does not show in the list of another one', async () => {
  const { connection } = page;
  const photos = new Resource(
    {
      list: { method: 'GET', url: '/photos' },
      create: {
        method: 'POST',
        url: '/photos',
        offline: 'queue',
        creates: '/id',
        optimistic: { list: appendRow },
      },
    },
    { connection },
  );
  const albums = new Resource(
    {
      list: { method: 'GET', url: '/albums' },
      create: {
        method: 'POST',
        url: '/albums',
        offline: 'queue',
        creates: '/id',
        optimistic: { list: appendRow },
      },
    },
    { connection },
  );
  const ofAlbums = albums.query('list', {});
  ofAlbums.subscribe(() => {});
  await page.list([{ id: 1, title: 'Holidays' }], 0);
  photos.create(null, { title: 'Dusk' });
  await flush();
  expect(titles(ofAlbums)).toEqual(['Holidays']);
});

test('the same for stores and plain calls', async () => {
  const { connection } = page;
  const of = (url: string) =>
    new Resource(
      { list: { method: 'GET', url }, create: { method: 'POST', url, optimistic: { list: appendRow } } },
      { connection },
    );
  const [photos, albums] = [of('/photos'), of('/albums')];
  const store = new RestStore(albums, 'list');
  await page.answer(albums.list(), answered([{ id: 1, title: 'Holidays' }], { asOf: page.at(1) }));
  photos.create(null, { title: 'Dusk' });
  await flush();
  expect(store.model).toEqual([{ id: 1, title: 'Holidays' }]);
});
