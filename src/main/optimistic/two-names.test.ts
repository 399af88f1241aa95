import { afterEach, beforeEach, expect, test } from 'vitest';
import { Resource } from '../resource/resource.ts';
import { done, OptimisticPage, titles } from './optimistic-page.fixture.ts';
import { appendRow } from './rows.ts';

let page: OptimisticPage;

beforeEach(() => {
  page = new OptimisticPage();
});

afterEach(() => page.leave());

test.each<[string, string, readonly number[]]>([
  ['`_id`, though the rows have a number as `id`, too', '_id', [1, 2]],
  ['`key`, though the rows have a number as `id`, too', 'key', [1, 2]],
  ['another member that `creates` names, though the rows have a number as `id`, too', 'uuid', [1, 2]],
  ['another member that `creates` names', 'uuid', []],
  ['a member with a slash in its name', 'photo/id', []],
  ['a member with a tilde in its name', '~1', []],
])('a row that its server has named by %s shows once', async (_case, name, ids) => {
  const [first, second] = [0, 1].map((index) => (ids[index] === undefined ? {} : { id: ids[index] }));
  const plain = new Resource(
    {
      list: { method: 'GET', url: '/plain' },
      create: {
        method: 'POST',
        url: '/plain',
        offline: 'queue',
        // RFC 6901 section 3.
        creates: `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
        optimistic: { list: appendRow },
      },
    },
    { connection: page.connection, name: 'plain' },
  );
  const query = plain.query('list', {});
  query.subscribe(() => {});
  const rows = [{ ...first, [name]: '64f1', title: 'Dawn' }];
  await page.list(rows, 0);
  plain.create(null, { title: 'Dusk' });
  const write = await page.last();
  await page.tell({ ...write, state: 'sending', body: null, attempts: 1 });
  void query.refresh();
  // Asked for before the write is done, and performed already.
  await page.list([...rows, { ...second, [name]: '64f2', title: 'Dusk' }], 5);
  const report = done(write, page.at(10));
  const answer = {
    status: 201,
    headers: [],
    body: { kind: 'value', value: { ...second, [name]: '64f2' } },
  } as const;
  await page.tell({ ...report, givenId: '64f2', answer });
  expect(titles(query)).toEqual(['Dawn', 'Dusk']);
});

test('a new row stays shown though another row has its id as another member', async () => {
  const query = page.resource.query('list', {});
  query.subscribe(() => {});
  // `key` is the place of a photo here, not what names it.
  await page.list([{ id: 1, key: 7, title: 'Dawn' }], 0);
  page.resource.create(null, { title: 'Dusk' });
  const write = await page.last();
  await page.tell({ ...write, state: 'sending', attempts: 1 });
  await page.tell(done(write, page.at(10), 7));
  expect(titles(query)).toEqual(['Dawn', 'Dusk']);
});
