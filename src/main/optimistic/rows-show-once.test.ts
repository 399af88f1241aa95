import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Query } from '../queries/query.ts';
import type { DeclareOptions, Description } from '../resource/action.ts';
import { Resource } from '../resource/resource.ts';
import type { ResourceOf } from '../resource/resource.ts';
import { flush } from '../session/host.fixture.ts';
import { answered } from '../session/invocation.fixture.ts';
import { done, OptimisticPage, titles } from './optimistic-page.fixture.ts';
import { appendRow } from './rows.ts';

interface Described extends Description {
  readonly list: { readonly method: 'GET'; readonly url: '/plain' };
  readonly create: { readonly method: 'POST'; readonly url: '/plain' } & DeclareOptions;
}

const ROWS = [
  { id: 1, title: 'Dawn' },
  { id: 2, title: 'Noon' },
];

let page: OptimisticPage;
let query: Query;
let plain: ResourceOf<Described>;

beforeEach(() => {
  page = new OptimisticPage();
});

afterEach(() => page.leave());

/** A page that shows a list to which `create` adds a row. */
async function open(options: DeclareOptions): Promise<void> {
  const described: Described = {
    list: { method: 'GET', url: '/plain' },
    create: { method: 'POST', url: '/plain', optimistic: { list: appendRow }, ...options },
  };
  plain = new Resource(described, { connection: page.connection, name: 'plain' });
  query = plain.query('list', {});
  query.subscribe(() => {});
  await page.list(ROWS, 0);
}

/** Asked for before the write is done, and performed already. */
async function hearContained(id: number | string = 7): Promise<void> {
  void query.refresh();
  await page.list([...ROWS, { id, title: 'Dusk' }], 5);
}

test('a plain create shows once over an answer from before its end that contains it', async () => {
  await open({});
  const id = plain.create(null, { title: 'Dusk' });
  await hearContained();
  expect(titles(query)).toEqual(['Dawn', 'Noon', 'Dusk']);
  const outcome = answered({ id: 7, title: 'Dusk' }, { endedAt: page.at(10), asOf: page.at(4) });
  await page.host.life.deliver({ kind: 'settled', id, outcome });
  await flush();
  expect(titles(query)).toEqual(['Dawn', 'Noon', 'Dusk']);
});

test.each<[string, DeclareOptions]>([
  ['a queued create without `creates`', { offline: 'queue' }],
  ['a create whose server names no id', { offline: 'queue', creates: '/id' }],
])('so does %s', async (_case, options) => {
  await open(options);
  plain.create(null, { title: 'Dusk' });
  const write = await page.last();
  await page.tell({ ...write, state: 'sending', body: null, attempts: 1 });
  await hearContained();
  await page.tell(done(write, page.at(10)));
  expect(titles(query)).toEqual(['Dawn', 'Noon', 'Dusk']);
});

test.each<[string, DeclareOptions, object, number | string]>([
  ['its server has named', { offline: 'queue', creates: '/id' }, { title: 'Dusk' }, 7],
  ['the app has made', { offline: 'queue' }, { id: 'u1', title: 'Dusk' }, 'u1'],
])('an answer is shown at once where the row is known by an id that %s', async (_case, options, data, id) => {
  await open(options);
  plain.create(null, data);
  const write = await page.last();
  await page.tell({ ...write, state: 'sending', attempts: 1 });
  void query.refresh();
  await page.list(
    [
      { id: 1, title: 'Dawn!' },
      { id, title: 'Dusk!' },
    ],
    5,
  );
  await page.tell(done(write, page.at(10), typeof id === 'number' ? id : null));
  expect(titles(query)).toEqual(['Dawn!', 'Dusk!']);
});
