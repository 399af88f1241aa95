import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PROTOCOL } from '../../shared/protocol.ts';
import { flush } from '../session/host.fixture.ts';
import { pass } from '../session/stage.fixture.ts';
import { PendingWrites } from '../optimistic/pending-writes.ts';
import { Outbox } from './outbox.ts';
import { heardOf, QueueingPage } from './queueing-page.fixture.ts';
import { WRITE } from './write.fixture.ts';

let page: QueueingPage;

beforeEach(() => {
  page = new QueueingPage();
});

afterEach(() => {
  page.leave();
});

describe('a call whose worker dies before it has told that it was queued', () => {
  test('is handed to the next one, under the same name and key', async () => {
    const photos = page.photos();
    const { id } = await page.call(photos);
    const { ticket } = page.submitted;
    page.host.revive();
    await page.findNextWorker(photos);
    expect(page.host.life.submitted.find((each) => each.id === id)?.ticket).toEqual(ticket);
  });

  test('is handed on in its place, before later calls of its lane', async () => {
    const photos = page.photos();
    const [first, second] = [await page.call(photos), await page.call(photos)];
    page.host.revive();
    await page.findNextWorker(photos);
    const ids = page.host.life.submitted.map(({ id }) => id);
    expect(ids).toHaveLength(3);
    expect(ids.slice(0, 2)).toEqual([first.id, second.id]);
  });

  test.each(['refuses the page', 'cannot be had'])(
    'is not told as failed where the next one %s, and is handed to the one after it',
    async (why) => {
      const photos = page.photos();
      const heard = heardOf(photos);
      const { id, write } = await page.call(photos);
      page.host.revive();
      if (why === 'refuses the page') page.host.life.protocol = PROTOCOL + 1;
      else page.host.available = false;
      await page.findNextWorker(photos);
      expect(heard).not.toContainEqual(['addError', id, expect.anything()]);
      page.host.available = true;
      page.host.revive();
      await pass(5_000);
      expect(page.host.life.submitted.map((each) => each.id)).toEqual([id]);
      await page.tellQueued(id, write);
      expect(heard).toContainEqual(['addQueued', id, expect.anything()]);
    },
  );

  test('is discarded by the next worker there is where it is aborted while there is none', async () => {
    const photos = page.photos();
    const { id } = await page.call(photos);
    const { ticket } = page.submitted;
    page.host.available = false;
    page.host.revive();
    await page.findNextWorker(photos);
    photos.abort(id);
    await pass(1_000);
    page.host.available = true;
    await page.findNextWorker(photos);
    const discard = { kind: 'decide', entry: ticket?.entry, decision: { kind: 'discard', isGivenUp: true } };
    expect(page.host.life.told('decide')).toEqual([discard]);
    expect(page.host.life.submitted.map((each) => each.id)).not.toContain(id);
    page.host.revive();
    await page.findNextWorker(photos);
    expect(page.host.life.told('decide')).toEqual([]);
  });

  test('fails once its connection is closed', async () => {
    const photos = page.photos();
    const heard = heardOf(photos);
    const { id } = await page.call(photos);
    page.host.available = false;
    page.host.revive();
    page.connection.close();
    await flush();
    expect(heard).toEqual([['addError', id, 'not-connected']]);
  });

  test('is not sent again where it could not be stored, since its server may have performed it', async () => {
    const photos = page.photos();
    const heard = heardOf(photos);
    const { id } = await page.call(photos);
    await page.host.life.deliver({ kind: 'unqueued', id });
    page.host.revive();
    await page.findNextWorker(photos);
    expect(page.host.life.submitted.filter((each) => each.id === id)).toEqual([]);
    expect(heard).toEqual([['addError', id, 'worker-lost']]);
  });
});

test('a discard whose worker dies before it says so is said again, and told as made', async () => {
  await page.connection.ready;
  page.host.life.replyTo = () => new Promise<never>(() => {});
  const discarding = page.connection.outbox.discard('entry-1');
  await flush();
  expect(page.host.life.told('decide')).toHaveLength(1);
  page.host.revive();
  // It knows for a while what was discarded.
  page.keep([]);
  await page.findNextWorker(page.photos());
  expect(page.host.life.told('decide')).toMatchObject([{ entry: 'entry-1', decision: { kind: 'discard' } }]);
  await expect(discarding).resolves.toBeUndefined();
});

test('a page that has queued a write goes on with the next worker until one has said how many wait', () => {
  const outbox = new Outbox({
    request: () => new Promise<never>(() => {}),
    pending: new PendingWrites(() => Date.now()),
  });
  const wires = Outbox.wiresOf(outbox);
  const { signal } = new AbortController();
  wires.expect('entry-0');
  wires.write({ ...WRITE, entry: 'entry-0', state: 'done', endedAt: 1_000 });
  wires.follow('entry-0', () => {}, signal);
  expect(wires.isDue()).toBe(false);
  wires.follow('entry-1', () => {}, signal);
  expect(wires.isDue()).toBe(true);
  wires.counts({ waiting: 1, due: 0 });
  expect(wires.isDue()).toBe(false);
});
