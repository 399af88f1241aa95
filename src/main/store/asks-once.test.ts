import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { done, OptimisticPage } from '../optimistic/optimistic-page.fixture.ts';
import { refused } from '../session/invocation.fixture.ts';
import { RestStore } from './rest-store.ts';

let page: OptimisticPage;

beforeEach(() => {
  page = new OptimisticPage();
});

afterEach(() => page.leave());

const EMPTY = { answer: { status: 204, headers: [], body: { kind: 'value', value: null } } } as const;

describe.each([
  ['a store of all of an action', {}],
  ['a store of one query', { params: {} }],
])('%s asks once after a write', (_case, delegate) => {
  let store: RestStore;

  beforeEach(async () => {
    store = new RestStore(page.resource, 'list', delegate);
    page.resource.list();
    await page.list([{ id: 1 }], 0);
    page.resource.remove({ id: 1 });
    await page.tell(done(await page.last(), page.at(10)));
    if ((await page.asked()) !== 2) throw new Error('It has not asked');
  });

  test('though the answer to that is empty', async () => {
    for (let second = 20; second < 25; second += 1) await page.list([], second, EMPTY);
    expect(await page.asked()).toBe(2);
    expect(store.model).toEqual([]);
  });

  test('though that fails', async () => {
    for (let count = 0; count < 5; count += 1) {
      const { id = 0 } = page.host.life.submitted.at(-1) ?? {};
      await page.answer(id, refused(500));
    }
    expect(await page.asked()).toBe(2);
  });

  test('though that is aborted', async () => {
    page.resource.abort('list');
    expect(await page.asked()).toBe(2);
  });

  test('though the clock is set back before it is answered', async () => {
    vi.setSystemTime(page.at(5));
    for (let second = 6; second < 9; second += 1) await page.list([], second, EMPTY);
    expect(await page.asked()).toBe(2);
  });
});
