import { beforeEach, expect, test } from 'vitest';
import { Deferred } from '../../worker/platform/waiting.ts';
import type { WriteReport } from '../../shared/outbox.ts';
import { WRITE } from '../outbox/write.fixture.ts';
import { flush } from '../session/host.fixture.ts';
import { PendingLoader } from './pending-loader.ts';
import { PendingWrites } from './pending-writes.ts';

const WAITING: WriteReport = { ...WRITE, isShown: true };

/** True while somebody shows what waits. */
let isShowing: boolean;

const WATCHER = { changed: () => {}, done: () => {}, isShowing: () => isShowing, oldest: () => Infinity };

let pending: PendingWrites;
interface Page {
  readonly writes: WriteReport[];
  readonly isLast: boolean;
}

/** What the outbox answers to each request, in order. */
let readings: Deferred<Page>[];
let loader: PendingLoader;

beforeEach(() => {
  isShowing = true;
  pending = new PendingWrites(() => 2_000);
  readings = [];
  loader = new PendingLoader(pending, async function* () {
    for (;;) {
      const reading = new Deferred<Page>();
      readings.push(reading);
      const { writes, isLast } = await reading.promise;
      yield writes;
      if (isLast) return;
    }
  });
  pending.watch(WATCHER);
});

async function answer(nth: number, writes: WriteReport[], isLast = true): Promise<void> {
  readings[nth]?.resolve({ writes, isLast });
  await flush();
}

function shown(): string[] {
  return pending.all.map(({ id }) => id);
}

test('what is told while the outbox is read is newer than what was read', async () => {
  loader.hear({ ...WAITING, state: 'sending', attempts: 1, body: null });
  loader.hear({ ...WAITING, state: 'review', attempts: 1 });
  await answer(0, [{ ...WAITING, state: 'sending', attempts: 1 }]);
  expect(shown()).toEqual([]);
});

test('what is told then lacks what it sends, which was read', async () => {
  loader.hear({ ...WAITING, state: 'queued', body: null });
  loader.hear({ ...WAITING, state: 'sending', attempts: 1, body: null });
  await answer(0, [{ ...WAITING, state: 'queued' }]);
  expect(pending.all).toMatchObject([{ isUnderWay: true, write: { data: { title: 'Dusk' } } }]);
});

test('where it is edited, what it sends is read while it is being sent already', async () => {
  loader.hear(WAITING);
  const edited: WriteReport = { ...WAITING, key: 'another', version: 1 };
  loader.hear({ ...edited, body: null });
  loader.hear({ ...edited, state: 'sending', attempts: 1, body: null });
  await answer(1, []);
  expect(pending.all).toMatchObject([{ isUnderWay: true, write: { data: { title: 'Dusk' } } }]);
  await answer(0, [{ ...edited, body: { kind: 'text', text: '{"title":"Late"}' } }]);
  expect(pending.all).toMatchObject([{ isUnderWay: true, write: { data: { title: 'Late' } } }]);
});

test('it is read again for each user, and what was read for the one before is dropped', async () => {
  loader.load();
  loader.empty();
  loader.load();
  await answer(0, [WAITING]);
  expect(shown()).toEqual([]);
  await answer(1, [{ ...WAITING, entry: 'of-the-next' }]);
  expect(shown()).toEqual(['of-the-next']);
});

test('it is read again after nothing was found: the page may not have said before for whom it is', async () => {
  loader.load();
  await answer(0, []);
  loader.load();
  await answer(1, [WAITING]);
  expect(shown()).toEqual(['entry-1']);
  loader.load();
  expect(readings).toHaveLength(2);
});

test('one that ends while it is read is not shown without what it sends', async () => {
  loader.load();
  await answer(0, [{ ...WAITING, body: null }]);
  // It was discarded before its data were read.
  await answer(1, [{ ...WAITING, body: null }]);
  expect(shown()).toEqual([]);
});

test('what is asked for before a worker has answered is read by that worker, once', async () => {
  loader.load();
  loader.renew();
  await answer(0, [WAITING]);
  expect([shown(), readings.length]).toEqual([['entry-1'], 1]);
});

test('what one worker has begun to list, the next one lists anew', async () => {
  loader.load();
  await answer(0, [WAITING], false);
  loader.renew();
  await answer(1, []);
  expect([shown(), readings.length]).toEqual([[], 3]);
  await answer(2, [{ ...WAITING, entry: 'entry-2' }]);
  expect([shown(), readings.length]).toEqual([['entry-2'], 3]);
});

test('no more pages are asked for than somebody waits for', async () => {
  loader.load();
  loader.empty();
  await answer(0, [WAITING], false);
  expect(readings).toHaveLength(1);
});

test('of what was told before anybody showed it, what it sends is read once somebody does', async () => {
  await answer(0, []);
  isShowing = false;
  loader.hear({ ...WAITING, body: null });
  await flush();
  expect(readings).toHaveLength(1);
  isShowing = true;
  pending.watch(WATCHER);
  await answer(1, [{ ...WAITING, body: null }]);
  await answer(2, [WAITING]);
  expect(pending.all).toMatchObject([{ write: { data: { title: 'Dusk' } } }]);
});

test('the same of what is told after all who showed it have ended, and before others begin', async () => {
  loader.load();
  await answer(0, [{ ...WAITING, entry: 'entry-2' }]);
  isShowing = false;
  loader.hear({ ...WAITING, body: null });
  await flush();
  isShowing = true;
  pending.watch(WATCHER);
  await answer(1, [{ ...WAITING, entry: 'entry-2' }, WAITING]);
  expect(pending.get('entry-1')).toMatchObject({ write: { data: { title: 'Dusk' } } });
});
