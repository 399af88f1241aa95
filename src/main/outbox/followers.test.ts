import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { WriteReport } from '../../shared/outbox.ts';
import { flush } from '../session/host.fixture.ts';
import { Followers } from './followers.ts';
import { DONE, heardOf, QueueingPage, REFUSED } from './queueing-page.fixture.ts';
import { WRITE } from './write.fixture.ts';

let page: QueueingPage;

beforeEach(() => {
  page = new QueueingPage();
});

afterEach(() => {
  page.leave();
});

describe('the end of a call that was queued', () => {
  test.each<[string, (write: WriteReport) => WriteReport]>([
    ['was queued', (write) => write],
    ['was queued, which is done by then', (write) => ({ ...write, ...DONE })],
  ])('is told though every tab was told before the call heard that it %s', async (_name, queued) => {
    const photos = page.photos();
    const heard = heardOf(photos);
    const { id, write } = await page.call(photos);
    // A worker had stored it and died. The next one has sent it before it gets the call once more.
    page.host.revive();
    await page.findNextWorker(photos);
    await page.tell({ ...write, ...DONE });
    await page.tellQueued(id, queued(write));
    expect(heard.map((each) => Object(each)[0])).toEqual(['addQueued', 'queued', 'addSuccess']);
  });

  test('is told once of more writes than are asked for at a time, whenever a worker answers', async () => {
    const photos = page.photos();
    let refusals = 0;
    photos.addListener('addError', () => (refusals += 1));
    let reviews = 0;
    page.connection.outbox.addEventListener('review', () => (reviews += 1));
    const ids = Array.from({ length: 5_001 }, () => photos.add({ album: 7 }));
    await flush();
    const { submitted } = page.host.life;
    const writes = submitted.map(({ id, ticket }) => ({ id, write: { ...WRITE, ...ticket } }));
    await page.host.life.deliver(...writes.map((each) => ({ kind: 'queued' as const, ...each })));
    const refused = writes.map(({ write }) => ({ ...write, ...REFUSED }));
    await page.host.life.deliver(...refused.map((write) => ({ kind: 'write' as const, write })));
    await flush();
    expect([refusals, reviews]).toEqual([ids.length, ids.length]);
    page.host.revive();
    page.keep(refused);
    await page.findNextWorker(photos);
    expect(page.host.life.told('list-outbox').map(({ entries }) => entries?.length)).toEqual([5_000, 1]);
    expect([refusals, reviews]).toEqual([ids.length, ids.length]);
  });

  test('is told again where it was sent again, and refused again', async () => {
    const photos = page.photos();
    const { write } = await page.queue(photos);
    const heard = heardOf(photos);
    await page.tell({ ...write, ...REFUSED });
    await page.tell({ ...write, ...REFUSED, attempts: 2 });
    await page.tell({ ...write, ...REFUSED, key: 'key-2' });
    expect(heard).toHaveLength(3);
  });

  test('is told again where it was tried again, and came to nothing without an attempt', async () => {
    const photos = page.photos();
    const { write } = await page.queue(photos);
    const heard = heardOf(photos);
    let reviews = 0;
    page.connection.outbox.addEventListener('review', () => (reviews += 1));
    for (const version of [0, 0, 1]) await page.tell({ ...write, ...REFUSED, version });
    expect([heard.length, reviews]).toEqual([2, 2]);
  });

  test('is not told after its resource was disposed', async () => {
    const photos = page.photos();
    const { write } = await page.queue(photos);
    const heard = heardOf(photos);
    photos.dispose();
    await page.tell({ ...write, ...REFUSED });
    expect(heard).toEqual([]);
    page.host.revive();
    await page.findNextWorker(page.photos());
    expect(page.host.life.told('list-outbox')).toEqual([]);
  });

  test.each<[string, (write: WriteReport) => Promise<void>]>([
    ['in this tab', ({ entry }) => page.connection.outbox.discard(entry)],
    ['in another one', (write) => page.tell({ ...write, state: 'discarded' })],
  ])('is not waited for once somebody has discarded it %s', async (_where, discard) => {
    const photos = page.photos();
    page.keep([]);
    const { write } = await page.queue(photos);
    const heard = heardOf(photos);
    await discard(write);
    page.host.revive();
    await page.findNextWorker(photos);
    expect(page.host.life.told('list-outbox')).toEqual([]);
    expect(heard).toEqual([]);
  });
});

test('ends are kept for calls that are to be queued, and for no other', () => {
  const followers = new Followers();
  const { signal } = new AbortController();
  const heard: string[] = [];
  for (const entry of ['own', 'given up']) followers.expect(entry);
  for (let n = 0; n < 1_000; n += 1) followers.hear({ ...WRITE, ...DONE, entry: `of another tab ${n}` });
  followers.hear({ ...WRITE, ...DONE, entry: 'own' });
  followers.hear({ ...WRITE, ...DONE, entry: 'given up' });
  followers.forget('given up');
  const late = ['own', 'given up', 'of another tab 999'].map((entry) =>
    followers.follow(entry, (write) => heard.push(write.entry), signal),
  );
  expect([heard, late]).toEqual([['own'], [false, true, true]]);
});

test('nobody hears of an end once its signal has aborted', () => {
  const followers = new Followers();
  const end = new AbortController();
  const heard: WriteReport[] = [];
  followers.follow('entry-1', (write) => heard.push(write), end.signal);
  end.abort();
  followers.hear({ ...WRITE, ...DONE });
  expect(heard).toEqual([]);
});
