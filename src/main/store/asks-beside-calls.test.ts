import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { done, OptimisticPage } from '../optimistic/optimistic-page.fixture.ts';
import { flush } from '../session/host.fixture.ts';
import { answered, refused } from '../session/invocation.fixture.ts';
import { RestStore } from './rest-store.ts';

let page: OptimisticPage;
let store: RestStore;

beforeEach(() => {
  page = new OptimisticPage();
  store = new RestStore(page.resource, 'list');
});

afterEach(() => page.leave());

/** The id of what was asked last, for that page of the list. */
function last(number = '1'): number {
  const asked = page.host.life.submitted.findLast(
    ({ invocation: { method, params } }) => method === 'GET' && params.some(([, value]) => value === number),
  );
  return asked?.id ?? 0;
}

/** Answers a call of the list with this row. */
async function answer(call: number, id: number, second: number): Promise<void> {
  await page.answer(call, answered([{ id }], { asOf: page.at(second) }));
  await flush();
}

describe('as a store of all of an action asks again after a write, while the app asks for another page', () => {
  let second: number;
  let own: number;

  beforeEach(async () => {
    await answer(page.resource.list({ page: 1 }), 1, 0);
    page.resource.rename({ id: 1 }, { title: 'Dusk' });
    const write = await page.last();
    second = page.resource.list({ page: 2 });
    await flush();
    await page.tell(done(write, page.at(10)));
    await flush();
    own = last();
    if (own <= second) throw new Error('It has not asked');
  });

  test('it shows that page, though it is answered last', async () => {
    await answer(own, 1, 20);
    await answer(second, 2, 21);
    expect(store.model).toEqual([{ id: 2 }]);
  });

  test('it shows that page, though it is answered first', async () => {
    await answer(second, 2, 20);
    await answer(own, 1, 21);
    expect(store.model).toEqual([{ id: 2 }]);
  });

  test('it tells why that page cannot be had', async () => {
    await answer(own, 1, 20);
    await page.answer(second, refused(500));
    expect(store.status.error).toMatchObject({ code: 'http' });
  });

  test('it says nothing of its own failure once that page is shown', async () => {
    await answer(second, 2, 20);
    await page.answer(own, refused(500));
    expect(store.status.error).toBeNull();
  });
});

test('a query that asks again after a write does not take the place of another page', async () => {
  page.resource.query('list', { page: 1 }).subscribe(() => {});
  await flush();
  await answer(last(), 1, 0);
  page.resource.rename({ id: 1 }, { title: 'Dusk' });
  const write = await page.last();
  await answer(page.resource.list({ page: 2 }), 2, 1);
  await page.tell(done(write, page.at(10)));
  await flush();
  for (const number of ['2', '1']) await answer(last(number), Number(number) * 10, 20);
  expect(store.model).toEqual([{ id: 20 }]);
});

test('a store shows what it has asked for again under headers of their own', async () => {
  let count = 0;
  page.resource.configureRequest((request) => {
    count += 1;
    request.setRequestHeader('X-Count', String(count));
  });
  await answer(page.resource.list({ page: 1 }), 1, 0);
  page.resource.rename({ id: 1 }, { title: 'Dusk' });
  await page.tell(done(await page.last(), page.at(10)));
  await flush();
  await answer(last(), 3, 20);
  expect(store.model).toEqual([{ id: 3 }]);
});
