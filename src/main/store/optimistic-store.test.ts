import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { done, OptimisticPage } from '../optimistic/optimistic-page.fixture.ts';
import { answered } from '../session/invocation.fixture.ts';
import { RestStore } from './rest-store.ts';

const ROWS = [
  { id: 1, title: 'Dawn' },
  { id: 2, title: 'Noon' },
];

let page: OptimisticPage;

beforeEach(() => {
  page = new OptimisticPage();
  vi.setSystemTime(page.at(1_000));
});

afterEach(() => page.leave());

test.each([
  ['all of an action', {}],
  ['one query', { params: {} }],
])('a store of %s shows a write until an answer contains it', async (_case, delegate) => {
  const store = new RestStore(page.resource, 'list', delegate);
  const models: unknown[] = [];
  store.addEventListener('changeModel', ({ value }) => models.push(value));
  const ask = async (rows: unknown, second: number, number: number): Promise<void> => {
    const revision = { lineage: '1-a', number };
    await page.answer(page.resource.list(), answered(rows, { asOf: page.at(second), revision }));
  };
  await ask(ROWS, 0, 1);
  page.resource.rename({ id: 1 }, { title: 'Morning' });
  const shown = [{ id: 1, title: 'Morning' }, ROWS[1]];
  expect(store.model).toEqual(shown);
  const write = await page.last();
  await page.tell(done(write, page.at(10)));
  // The same state of the answer, from before.
  await ask(ROWS, 9, 1);
  expect(store.model).toEqual(shown);
  // The same state again, from after: the server has made nothing of it.
  await ask(ROWS, 10, 1);
  expect(models).toEqual([ROWS, shown, ROWS]);
});

test('what the delegate makes is made of the model with the write', async () => {
  const store = new RestStore(page.resource, 'list', {
    manipulateData: (rows) => (Array.isArray(rows) ? rows.length : null),
  });
  await page.answer(page.resource.list(), answered(ROWS, { asOf: page.at(0) }));
  page.resource.create(null, { title: 'Dusk' });
  expect(store.model).toBe(3);
});

test('a function knows what the newest answer was asked for with', async () => {
  page.resource.map('mark', 'PUT', '/photos/{id}', undefined, {
    optimistic: { list: (_rows, _write, asked) => asked },
  });
  const store = new RestStore(page.resource, 'list');
  await page.answer(page.resource.list({ page: 2 }), answered(ROWS, { asOf: page.at(0) }));
  page.resource.invoke('mark', { id: 1 });
  expect(store.model).toEqual({ page: '2' });
  await page.answer(page.resource.list({ page: 3 }), answered(ROWS, { asOf: page.at(1) }));
  expect(store.model).toEqual({ page: '3' });
});

test('its windows are cut from the model with the write', async () => {
  const store = new RestStore(page.resource, 'list');
  const window = store.window(1, 2);
  await page.answer(page.resource.list(), answered(ROWS, { asOf: page.at(0) }));
  page.resource.create(null, { title: 'Dusk' });
  expect(window.model).toMatchObject([{ title: 'Noon' }, { title: 'Dusk' }]);
  expect(window.total).toBe(3);
});

test('events and results show what the server says', async () => {
  const heard: unknown[] = [];
  page.resource.addListener('listSuccess', ({ response }) => heard.push(response));
  page.resource.create(null, { title: 'Dusk' });
  const id = page.resource.list();
  await page.answer(id, answered(ROWS, { asOf: page.at(0) }));
  expect(heard).toEqual([ROWS]);
  expect(await page.resource.result(id)).toEqual(ROWS);
});
