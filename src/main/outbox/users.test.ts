import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RestError } from '../error.ts';
import { flush } from '../session/host.fixture.ts';
import { QueueingPage, REFUSED } from './queueing-page.fixture.ts';
import { WRITE } from './write.fixture.ts';

let page: QueueingPage;

beforeEach(() => {
  page = new QueueingPage();
});

afterEach(() => {
  page.leave();
});

/** What the page tells of a refused write that its worker tells it of. */
async function toldOfRefusal(): Promise<{ reviews: number; count: number; calls: number }> {
  const { outbox } = page.connection;
  let reviews = 0;
  outbox.addEventListener('review', () => (reviews += 1));
  page.photos().add({ album: 7 });
  await flush();
  await page.host.life.deliver({ kind: 'outbox', counts: { waiting: 1, due: 0 } });
  await page.tell({ ...WRITE, ...REFUSED });
  return { reviews, count: outbox.count, calls: page.host.life.submitted.length };
}

test('a page tells of the writes of its user', async () => {
  page.host.life.identity = { name: null, epoch: 2, isSignedIn: false };
  expect(await toldOfRefusal()).toEqual({ reviews: 1, count: 1, calls: 1 });
});

test('a page that has not said for whom it is tells nothing of the writes of the user before', async () => {
  page.host.life.identity = { name: null, epoch: 2, isSignedIn: true };
  expect(await toldOfRefusal()).toEqual({ reviews: 0, count: 0, calls: 0 });
});

test('what a user has queued is told to nobody once another one has come', async () => {
  page.host.life.identity = { name: null, epoch: 2, isSignedIn: false };
  const photos = page.photos();
  const { write } = await page.queue(photos);
  let ends = 0;
  photos.addListener('addError', () => (ends += 1));
  const identity = { name: 'bert', isSignedIn: true, epoch: 3 };
  await page.host.life.deliver({ kind: 'identity', identity });
  await page.tell({ ...write, ...REFUSED });
  expect(ends).toBe(0);
});

test('a page that has greeted as the user before greets again, so that it hears what waits for this one', async () => {
  const [anna, bert] = ['anna', 'bert'].map((name, nth) => ({ name, isSignedIn: true, epoch: 2 + nth }));
  if (!anna || !bert) throw new Error('Two users are needed');
  page.host.life.reply = { kind: 'identity', identity: anna };
  await page.connection.signIn('anna');
  page.host.revive();
  page.host.life.identity = bert;
  await page.findNextWorker(page.photos());
  expect(page.connection.identity).toBe('bert');
  expect(page.host.life.greeted.map(({ identity }) => identity)).toEqual([
    { name: 'anna', epoch: 2 },
    { name: 'bert', epoch: 3 },
  ]);
});

test('so does one that hears of the next user while its greeting is under way', async () => {
  const anna = { name: 'anna', isSignedIn: true, epoch: 2 };
  const bert = { name: 'bert', isSignedIn: true, epoch: 3 };
  page.host.life.reply = { kind: 'identity', identity: anna };
  await page.connection.signIn('anna');
  page.host.revive();
  page.host.life.identity = bert;
  page.host.life.hears = () => void page.host.life.deliver({ kind: 'identity', identity: bert });
  await page.findNextWorker(page.photos());
  expect(page.host.life.greeted.map(({ identity }) => identity?.name)).toEqual(['anna', 'bert']);
});

describe('where another user comes', () => {
  const [anna, bert] = [2, 3].map((epoch) => ({ name: `user ${epoch}`, isSignedIn: true, epoch }));

  beforeEach(async () => {
    if (!anna) throw new Error('Two users are needed');
    page.host.life.reply = { kind: 'identity', identity: anna };
    await page.connection.signIn(anna.name);
  });

  /** Bert is signed in, in another tab, while the first user's list is read: one write on each page. */
  async function listed(pages: number, read: () => Promise<unknown>): Promise<unknown> {
    const asked: unknown[] = [];
    page.host.life.replyTo = (command) => {
      if (command.kind !== 'list-outbox') return { kind: 'done' };
      asked.push(command.epoch);
      const { length: place } = asked;
      const entries = [{ ...WRITE, entry: `of ${command.epoch}`, place }];
      return { kind: 'outbox-page', page: { entries, next: place < pages ? place : null } };
    };
    const end = read().catch((error: unknown) => (error instanceof RestError ? error.code : error));
    if (bert) void page.host.life.deliver({ kind: 'identity', identity: bert });
    return end;
  }

  test.each([1, 2, 3])('a list of %i pages has writes of nobody', async (pages) => {
    const { outbox } = page.connection;
    expect(await listed(pages, () => outbox.list())).toBe('identity-changed');
    expect(await listed(1, () => outbox.list())).toMatchObject([{ id: 'of 3' }]);
  });

  test('neither has an export', async () => {
    expect(await listed(2, () => page.connection.outbox.export())).toBe('identity-changed');
  });
});
