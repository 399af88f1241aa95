import { expect, test } from 'vitest';
import type { Wish } from '../cache/invocation.fixture.ts';
import { json, unreachable, until } from '../platform/system.fixture.ts';
import { Deferred } from '../platform/waiting.ts';
import { bodyOf, goOn, OutboxStage, rounds } from './outbox-stage.fixture.ts';
import type { OutboxTab } from './outbox-stage.fixture.ts';
import { TroubledDisk } from './troubled-disk.fixture.ts';

const WISH = { method: 'PUT', template: '/photo/7' };

test.each([201, 503])(
  'what is queued behind a call that did not fit on the disk is sent once that is answered (%s)',
  async (status) => {
    const disk = new TroubledDisk();
    const stage = new OutboxStage(disk);
    const tab = stage.open();
    await tab.queue(9, 'before', WISH);
    await tab.heard('entry-9 done');
    const answered = new Deferred();
    stage.answer = async (seen) => {
      if (bodyOf(seen) !== 'large') return stage.perform(seen);
      await answered.promise;
      return status === 201 ? stage.perform(seen) : json({}, {}, status);
    };
    disk.isFull = true;
    void tab.queue(1, 'large', WISH);
    await rounds(5);
    disk.isFull = false;
    await tab.queue(2, 'small', WISH);
    await tab.queue(3, 'elsewhere', WISH, { lane: 'b' });
    await tab.heard('entry-3 done');
    expect(stage.performed).toEqual(['before', 'elsewhere']);
    answered.resolve();
    await tab.heard('entry-2 done');
    expect(stage.performed).toEqual(['before', 'elsewhere', ...(status === 201 ? ['large'] : []), 'small']);
  },
);

test('a call that could not be stored at all holds up nothing of its lane', async () => {
  const disk = new TroubledDisk();
  const stage = new OutboxStage(disk);
  const tab = stage.open();
  stage.answer = unreachable;
  await tab.queue(1, 'first', WISH);
  await stage.failed(tab, 1);
  // An attempt of another lane takes long.
  stage.answer = (seen) => (bodyOf(seen) === 'slow' ? new Promise<Response>(() => {}) : null);
  await tab.queue(8, 'slow', WISH, { lane: 'b' });
  disk.isFull = true;
  await tab.queue(2, 'second', WISH);
  disk.isFull = false;
  await tab.remote.control({ kind: 'decide', entry: 'entry-1', decision: { kind: 'retry' } });
  await rounds();
  expect(stage.performed).toEqual(['first']);
});

/** A server that has versions, and says what each write has made. */
async function versioned(stage: OutboxStage, tab: OutboxTab): Promise<void> {
  let version = 1;
  stage.answer = ({ init, headers }) => {
    if (init.method === 'GET') return json({}, { ETag: `"${version}"`, 'Cache-Control': 'no-cache' });
    if (headers.get('If-Match') !== `"${version}"`) return json({}, { ETag: `"${version}"` }, 412);
    version += 1;
    return json({}, { ETag: `"${version}"` });
  };
  tab.meet();
  await tab.call(50);
  await goOn(stage, 5);
}

test.each([
  ['do not fit on the disk', new TroubledDisk(), ['a', 'a', 'a']],
  ['nothing can keep, as in a private window', null, ['a', 'a', 'a']],
  ['are of other lanes each', null, ['a', 'b', 'c']],
])('of calls in a row that %s, each changes what the one before it has made', async (_case, disk, lanes) => {
  const stage = new OutboxStage(disk);
  const tab = stage.open();
  await versioned(stage, tab);
  if (disk) disk.isFull = true;
  await Promise.all(lanes.map((lane, index) => tab.queue(index + 1, 'mine', WISH, { lane })));
  await until(() => [1, 2, 3].every((id) => tab.settled.includes(id)));
  expect(stage.world.requests.slice(-3).map(({ headers }) => headers.get('If-Match'))).toEqual([
    '"1"',
    '"2"',
    '"3"',
  ]);
});

test.each([
  ['POST', { ...WISH, method: 'POST' }],
  ['write whose page names what it has read', { ...WISH, headers: [['If-Match', '"theirs"']] }],
] satisfies [string, Wish][])(
  'a call that waits for the one before it keeps its version, though a newer %s is done meanwhile',
  async (_case, newer) => {
    const stage = new OutboxStage(null);
    const tab = stage.open();
    await versioned(stage, tab);
    const slow = new Deferred();
    let etag = '"theirs"';
    stage.answer = async (seen) => {
      if (bodyOf(seen) === 'first') await slow.promise;
      if (![null, etag].includes(seen.headers.get('If-Match'))) return json({}, { ETag: etag }, 412);
      stage.perform(seen);
      etag = `"${bodyOf(seen)}"`;
      return json({}, { ETag: etag });
    };
    void tab.queue(1, 'first', WISH);
    void tab.queue(2, 'second', WISH);
    await until(() => stage.world.requests.some((seen) => bodyOf(seen) === 'first'));
    await rounds();
    await tab.queue(3, 'newer', newer);
    slow.resolve();
    await until(() => tab.settled.includes(2));
    const second = stage.world.requests.find((seen) => bodyOf(seen) === 'second');
    expect([second?.headers.get('If-Match'), stage.performed]).toEqual(['"1"', ['newer']]);
  },
);

test('a call that waits for the one before it, and is aborted, is not sent', async () => {
  const stage = new OutboxStage(null);
  const tab = stage.open();
  await versioned(stage, tab);
  const { answer } = stage;
  const answered = new Deferred();
  stage.answer = (seen) => answered.promise.then(() => answer(seen) ?? json({}));
  void tab.queue(1, 'first', WISH);
  void tab.queue(2, 'second', WISH);
  void tab.queue(3, 'third', WISH);
  await until(() => stage.world.requests.some((seen) => bodyOf(seen) === 'first'));
  await tab.remote.control({ kind: 'abort', ids: [2] });
  await until(() => tab.settled.includes(2));
  answered.resolve();
  await until(() => tab.settled.includes(3));
  const sent = stage.world.requests.filter(({ init }) => init.method === 'PUT');
  expect(sent.map((seen) => [bodyOf(seen), seen.headers.get('If-Match')])).toEqual([
    ['first', '"1"'],
    ['third', '"2"'],
  ]);
});

test('calls to one URL that could not be queued end in their time, though their server hangs', async () => {
  const stage = new OutboxStage(null);
  const tab = stage.open();
  stage.answer = () => new Promise(() => {});
  for (const id of [1, 2, 3]) void tab.queue(id, 'mine', WISH);
  // The time of a call is half a minute.
  await goOn(stage, 20);
  for (const id of [4, 5]) void tab.queue(id, 'later', WISH);
  await goOn(stage, 11);
  expect(new Set(tab.settled)).toEqual(new Set([1, 2, 3]));
  await goOn(stage, 20);
  expect(new Set(tab.settled)).toEqual(new Set([1, 2, 3, 4, 5]));
  expect(stage.world.requests.map(bodyOf)).toEqual(['mine', 'later']);
  const settled = tab.deliveries.filter((each) => each.kind === 'settled');
  expect(settled).toHaveLength(5);
  for (const { outcome } of settled)
    expect(outcome).toMatchObject({ kind: 'failed', failure: { code: 'timeout', timeout: 30_000 } });
});

test('what is queued behind a call that did not fit on the disk changes what this has made', async () => {
  const disk = new TroubledDisk();
  const stage = new OutboxStage(disk);
  const tab = stage.open();
  await versioned(stage, tab);
  const { answer } = stage;
  const answered = new Deferred();
  stage.answer = async (seen) => {
    if (bodyOf(seen) === 'first') await answered.promise;
    return answer(seen) ?? json({});
  };
  disk.isFull = true;
  const first = tab.queue(1, 'first', WISH);
  await until(() => stage.world.requests.some((seen) => bodyOf(seen) === 'first'));
  disk.isFull = false;
  await tab.queue(2, 'second', WISH);
  await rounds();
  answered.resolve();
  await first;
  await until(() => tab.told.length > 0);
  expect([tab.settled.includes(1), tab.told]).toEqual([true, ['entry-2 done']]);
});

test('a call that did not fit on the disk says which version it changes', async () => {
  const disk = new TroubledDisk();
  const stage = new OutboxStage(disk);
  const tab = stage.open();
  stage.answer = () => json({}, { ETag: '"a"', 'Cache-Control': 'no-cache' });
  tab.meet();
  await tab.call(50);
  stage.answer = ({ headers }) => (headers.get('If-Match') === '"a"' ? json({}, { ETag: '"b"' }, 412) : null);
  disk.isFull = true;
  await tab.queue(1, 'mine', WISH);
  await until(() => tab.settled.includes(1));
  expect([stage.world.requests.at(-1)?.headers.get('Idempotency-Key'), stage.performed]).toEqual([
    '"key-1"',
    [],
  ]);
});

test('a call that could not be queued changes the version that an own write has made meanwhile', async () => {
  const disk = new TroubledDisk();
  const stage = new OutboxStage(disk);
  const tab = stage.open();
  stage.answer = () => json({}, { ETag: '"a"', 'Cache-Control': 'no-cache' });
  tab.meet();
  await tab.call(50);
  const answered = new Deferred();
  stage.answer = async (seen) => {
    if (bodyOf(seen) !== 'first') return json({}, {}, seen.headers.get('If-Match') === '"b"' ? 200 : 412);
    await answered.promise;
    return json({}, { ETag: '"b"' });
  };
  await tab.queue(1, 'first', WISH);
  await until(() => stage.world.requests.length === 2);
  disk.isLate = true;
  void tab.queue(2, 'second', WISH);
  await rounds();
  answered.resolve();
  await rounds();
  await goOn(stage, 10);
  const second = stage.world.requests.find(({ init }) => init.body === 'second');
  expect(second?.headers.get('If-Match')).toBe('"b"');
});
