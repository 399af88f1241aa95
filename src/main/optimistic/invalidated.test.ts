import { afterEach, beforeEach, expect, test } from 'vitest';
import { unanswered } from '../../shared/outcome.ts';
import { Resource } from '../resource/resource.ts';
import type { ResourceOf } from '../resource/resource.ts';
import { WRITE } from '../outbox/write.fixture.ts';
import type { Query } from '../queries/query.ts';
import { flush } from '../session/host.fixture.ts';
import { answered } from '../session/invocation.fixture.ts';
import { RestStore } from '../store/rest-store.ts';
import { done, OptimisticPage } from './optimistic-page.fixture.ts';

const DESCRIPTION = {
  list: { method: 'GET', url: '/plain' },
  other: { method: 'GET', url: '/other' },
  add: { method: 'POST', url: '/plain/new', offline: 'queue', invalidates: ['list'] },
  send: { method: 'POST', url: '/plain/sent', invalidates: ['list'] },
} as const;

let page: OptimisticPage;
let plain: ResourceOf<typeof DESCRIPTION>;

beforeEach(() => {
  page = new OptimisticPage();
  plain = open();
});

afterEach(() => page.leave());

function open(): typeof plain {
  return new Resource(DESCRIPTION, { connection: page.connection, name: 'plain' });
}

async function watched(query: Query): Promise<void> {
  query.subscribe(() => {});
  await page.list([{ id: 1 }], 0);
}

/** A write that is only sent, and shown nowhere, is done. */
async function add(): Promise<void> {
  plain.add(null, { title: 'Dusk' });
  const write = await page.last({ isShown: false });
  await page.tell(done(write, page.at(10), 7));
  await page.tell(done(write, page.at(10), 7));
}

test('a query that somebody watches asks again, once, when a queued write has made it stale', async () => {
  await watched(plain.query('list', {}));
  await add();
  expect(await page.asked()).toBe(2);
  await page.list([{ id: 1 }, { id: 7 }], 11);
  expect(await page.asked()).toBe(2);
});

test('so does one of another resource of that name, as in another tab', async () => {
  await watched(open().query('list', {}));
  await add();
  expect(await page.asked()).toBe(2);
});

test('so does one of a call that is not queued', async () => {
  await watched(plain.query('list', {}));
  await page.answer(plain.send(null, {}), { ...answered({}), endedAt: page.at(10) });
  expect(await page.asked()).toBe(2);
});

// Its server may have performed it as it was discarded, and until the attempt has ended.
test('so does one of a write that was discarded on its way, and once more when that attempt has ended', async () => {
  await watched(plain.query('list', {}));
  plain.add(null, { title: 'Dusk' });
  const write = { ...(await page.last({ isShown: false })), state: 'discarded', version: 1 } as const;
  await page.tell({ ...write, attempts: 1, endedAt: page.at(10) });
  expect(await page.asked()).toBe(2);
  await page.list([{ id: 1 }], 11);
  await page.tell({ ...write, attempts: 1, endedAt: page.at(20) });
  expect(await page.asked()).toBe(3);
});

test('but not one of a write that was discarded before it was sent', async () => {
  await watched(plain.query('list', {}));
  plain.add(null, { title: 'Dusk' });
  const write = await page.last({ isShown: false });
  await page.tell({ ...write, state: 'discarded', version: 1, endedAt: page.at(10) });
  expect(await page.asked()).toBe(1);
});

test('where that fails, it asks when the page is shown, however young its answer is', async () => {
  await watched(plain.query('list', {}, { staleTime: Infinity }));
  await add();
  const asked = page.host.life.submitted.findLast(({ invocation }) => invocation.method === 'GET');
  await page.answer(asked?.id ?? 0, unanswered({ code: 'network', message: 'gone' }));
  document.dispatchEvent(new Event('visibilitychange'));
  expect(await page.asked()).toBe(3);
  await page.list([{ id: 1 }, { id: 7 }], 11);
  document.dispatchEvent(new Event('visibilitychange'));
  expect(await page.asked()).toBe(3);
});

test.each([
  ['of another action', 'other', {}],
  ['that is disabled', 'list', { enabled: false }],
] as const)('but not one %s', async (_case, action, options) => {
  plain.invoke(action);
  await watched(plain.query(action, {}, options));
  const asked = await page.asked();
  await add();
  expect(await page.asked()).toBe(asked);
});

test('a page that shows no writes before they are done does not read what waits', async () => {
  const asked: string[] = [];
  page.host.life.replyTo = ({ kind }) => {
    asked.push(kind);
    return { kind: 'done' };
  };
  await watched(plain.query('list', {}));
  await add();
  expect(asked).not.toContain('list-outbox');
  plain.map('like', 'POST', '/plain/{id}', undefined, { optimistic: { list: (rows) => rows } });
  await flush();
  expect(asked).toContain('list-outbox');
});

test.each<[string, () => unknown]>([
  ['query', () => page.resource.query('list', {}).subscribe(() => {})],
  ['store', () => new RestStore(page.resource, 'list')],
  ['store of one query', () => new RestStore(page.resource, 'list', { params: {} })],
])(
  'a %s asks again, once, for an optimistic write of which its page hears the end alone',
  async (kind, show) => {
    show();
    if (kind !== 'query') page.resource.list();
    await page.list([{ id: 1 }], 0);
    const write = done({ ...WRITE, resource: 'photos', action: 'create', isShown: true }, page.at(10), 7);
    await page.tell(write);
    expect(await page.asked()).toBe(2);
    await page.list([{ id: 1 }, { id: 7 }], 11);
    await page.tell(write);
    expect(await page.asked()).toBe(2);
  },
);
