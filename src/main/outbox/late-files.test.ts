import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Resource } from '../resource/resource.ts';
import { flush } from '../session/host.fixture.ts';
import { DONE, Later, QueueingPage, readLate } from './queueing-page.fixture.ts';
import { WRITE } from './write.fixture.ts';

let page: QueueingPage;

beforeEach(() => {
  page = new QueueingPage();
});

afterEach(() => page.leave());

test('a call that was told as not sent is not sent: its lane mates and later calls may repeat it', async () => {
  const judge = new Later<{ value: unknown }>();
  const response = {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: () => judge.promise,
    },
  } as const;
  const photos = new Resource(
    { add: { method: 'POST', url: '/albums/{album}/photos', offline: 'queue', response } } as const,
    { connection: page.connection, name: 'photos' },
  );
  // The end of an earlier call of this action, whose schema takes a while.
  const first = photos.add({ album: 7 }, 'title=Dusk');
  await flush();
  const write = { ...WRITE, ...page.submitted.ticket };
  await page.tellQueued(first, write);
  await page.tell({ ...write, ...DONE });
  const read = readLate();
  const result = photos.result(photos.invoke('add', { album: 7 }, new Blob(['Dawn']), { timeout: 2_000 }));
  let why: unknown = null;
  result.catch((error: unknown) => (why = error));
  await flush();
  await vi.advanceTimersByTimeAsync(2_000);
  read.resolve(new ArrayBuffer(4));
  for (let n = 0; n < 5; n += 1) await flush();
  judge.resolve({ value: null });
  for (let n = 0; n < 5; n += 1) await flush();
  expect(why).toMatchObject({ message: "'add' was not sent within 2000 ms" });
  const withdrawn = page.host.life.commands.some(({ kind }) => kind === 'decide' || kind === 'abort');
  expect([page.host.life.submitted.length - 1, withdrawn]).toEqual([0, false]);
});

test('a plain call whose file takes long to be read settles by its deadline', async () => {
  const photos = new Resource({ add: { method: 'POST', url: '/photos' } } as const, {
    connection: page.connection,
    name: 'plain',
  });
  const read = readLate();
  const result = photos.result(photos.invoke('add', null, new Blob(['Dawn']), { timeout: 10_000 }));
  let why: unknown = null;
  result.catch((error: unknown) => (why = error));
  await flush();
  await vi.advanceTimersByTimeAsync(9_900);
  read.resolve(new ArrayBuffer(4));
  await flush();
  // A second of grace, and one more.
  await vi.advanceTimersByTimeAsync(2_100);
  await flush();
  expect(why).toMatchObject({ failure: { code: 'timeout' } });
});

test.each([2 ** 31, 30 * 86_400_000, Number.MAX_SAFE_INTEGER])(
  'a file with a timeout of %s is handed in once it is read',
  async (timeout) => {
    const photos = page.photos();
    const read = readLate();
    const failed = photos.result(photos.invoke('add', { album: 7 }, new Blob(['Dusk']), { timeout }));
    let why: unknown = null;
    failed.catch((error: unknown) => (why = error));
    await flush();
    await vi.advanceTimersByTimeAsync(100);
    read.resolve(new ArrayBuffer(4));
    for (let n = 0; n < 5; n += 1) await flush();
    expect([why, page.host.life.submitted.length]).toEqual([null, 1]);
  },
);
