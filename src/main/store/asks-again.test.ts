import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { OptimisticPage } from '../optimistic/optimistic-page.fixture.ts';
import type { OptimisticWrite } from '../optimistic/write.ts';
import { Resource } from '../resource/resource.ts';
import type { ResourceOf } from '../resource/resource.ts';
import { flush } from '../session/host.fixture.ts';
import { answered } from '../session/invocation.fixture.ts';
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

describe('what a POST answers is not asked for again', () => {
  let chat: ResourceOf<typeof CHAT>;

  beforeEach(() => {
    chat = new Resource(CHAT, { connection: page.connection, name: 'chat' });
  });

  const posts = (): number =>
    page.host.life.submitted.filter(({ invocation }) => invocation.method === 'POST').length;

  /** Answers all that has been sent, and what is sent because of that, for a while. */
  async function answerAll(): Promise<void> {
    for (let id = 1; id < 20; id += 1) {
      await flush();
      if (!page.host.life.submitted.some((each) => each.id === id)) continue;
      await page.answer(id, { ...answered([{ id }], { asOf: page.at(id) }), endedAt: page.at(id + 0.5) });
    }
  }

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
