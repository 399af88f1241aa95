import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { done, OptimisticPage } from '../optimistic/optimistic-page.fixture.ts';
import type { OptimisticWrite } from '../optimistic/write.ts';
import { Resource } from '../resource/resource.ts';
import type { ResourceOf } from '../resource/resource.ts';
import { flush } from '../session/host.fixture.ts';
import { answered, refused } from '../session/invocation.fixture.ts';
import { RestStore } from './rest-store.ts';

const prepend = (rows: unknown, { data }: OptimisticWrite): unknown => [data, ...[rows].flat()];

const CHAT = {
  send: { method: 'POST', url: '/messages', optimistic: { send: prepend } },
  like: { method: 'PUT', url: '/messages/{id}/like', optimistic: { send: prepend } },
} as const;

let page: OptimisticPage;

beforeEach(() => {
  page = new OptimisticPage();
});

afterEach(() => page.leave());

function posts(): number {
  return page.host.life.submitted.filter(({ invocation }) => invocation.method === 'POST').length;
}

/** Answers all that has been sent, and what is sent because of that, for a while. */
async function answerAll(): Promise<void> {
  for (let id = 1; id < 20; id += 1) {
    await flush();
    if (!page.host.life.submitted.some((each) => each.id === id)) continue;
    await page.answer(id, { ...answered([{ id }], { asOf: page.at(id) }), endedAt: page.at(id + 0.5) });
  }
}

describe('what a POST answers is not asked for again', () => {
  let chat: ResourceOf<typeof CHAT>;

  beforeEach(() => {
    chat = new Resource(CHAT, { connection: page.connection, name: 'chat' });
  });

  test.each([
    ['a store', {}],
    ['a store of one query', { params: {} }],
  ])('by %s', async (_case, delegate) => {
    const store = new RestStore(chat, 'send', delegate);
    chat.send();
    await answerAll();
    chat.like({ id: 1 }, { title: 'x' });
    await answerAll();
    expect(store.model).not.toBeNull();
    expect(posts()).toBe(1);
  });

  test('by a query', async () => {
    chat.query('send', {}).subscribe(() => {});
    await answerAll();
    expect(posts()).toBe(1);
  });
});

/** The parameters of all that has been asked for. */
function asked(): unknown[] {
  return page.host.life.submitted.flatMap(({ invocation }) =>
    invocation.method === 'GET' ? [invocation.params] : [],
  );
}

async function rename(second: number): Promise<void> {
  page.resource.rename({ id: 1 }, { title: 'Dusk' });
  await page.tell(done(await page.last(), page.at(second)));
  await flush();
}

describe('a store of all of an action asks for what it shows', () => {
  test('though a query has brought that, and not the last call', async () => {
    const store = new RestStore(page.resource, 'list');
    await page.answer(page.resource.list({ page: 1 }), answered([{ id: 1 }], { asOf: page.at(0) }));
    void page.resource.query('list', { page: 2 }, { enabled: false }).refresh();
    await page.list([{ id: 2 }], 1);
    expect(store.model).toEqual([{ id: 2 }]);
    await rename(10);
    expect(asked().slice(2)).toEqual([[['page', '2']]]);
  });

  test('though the last call has failed, with the options of the call that has not, and once', async () => {
    const store = new RestStore(page.resource, 'list');
    const headers = { 'Accept-Language': 'de' };
    const first = page.resource.list({ page: 1 }, null, { headers });
    await page.answer(first, answered([{ id: 1 }], { asOf: page.at(0) }));
    await page.answer(page.resource.list({ page: 2 }), refused(500));
    for (const second of [10, 20, 30]) await rename(second);
    expect(asked().slice(2)).toEqual([[['page', '1']]]);
    expect(
      page.host.life.submitted.findLast(({ invocation }) => invocation.method === 'GET')?.invocation.headers,
    ).toContainEqual(['Accept-Language', 'de']);
    await page.list([{ id: 1, title: 'Dusk' }], 40);
    expect(store.model).toEqual([{ id: 1, title: 'Dusk' }]);
    page.resource.refresh('list');
    await flush();
    expect(asked().at(-1)).toEqual([['page', '2']]);
  });
});
