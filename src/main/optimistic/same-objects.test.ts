import { afterEach, beforeEach, expect, test } from 'vitest';
import { Resource } from '../resource/resource.ts';
import { OptimisticPage } from './optimistic-page.fixture.ts';
import { appendRow } from './rows.ts';

let page: OptimisticPage;

beforeEach(() => {
  page = new OptimisticPage();
});

afterEach(() => page.leave());

test.each([
  ['with a temporary id', { creates: '/id' }],
  ['without an id', {}],
])('a row that waits %s stays the same object as another one changes', async (_case, creates) => {
  const photos = new Resource(
    {
      list: { method: 'GET', url: '/plain' },
      create: {
        method: 'POST',
        url: '/plain',
        offline: 'queue',
        optimistic: { list: appendRow },
        ...creates,
      },
    },
    { connection: page.connection, name: 'plain' },
  );
  const query = photos.query('list', {});
  query.subscribe(() => {});
  const last = (): unknown => [query.snapshot.data].flat().at(-1);
  await page.list([{ id: 1, title: 'Dawn' }], 0);
  photos.create(null, { title: 'Dusk' });
  await page.tell(await page.last());
  const before = last();
  void query.refresh();
  await page.list([{ id: 1, title: 'Dawn!' }], 1);
  expect(before).toMatchObject({ title: 'Dusk' });
  expect(last()).toBe(before);
});
