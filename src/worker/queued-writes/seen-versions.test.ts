import { expect, test } from 'vitest';
import type { Wish } from '../cache/invocation.fixture.ts';
import { houseOf } from '../house.fixture.ts';
import { Deferred } from '../platform/waiting.ts';
import { FakeSystem, json, unreachable, until } from '../platform/system.fixture.ts';
import { submission } from '../tab.fixture.ts';
import { decide } from './named-writes.fixture.ts';
import { goOn, OutboxStage, OutboxTab, rounds, waitFor } from './outbox-stage.fixture.ts';

const PUT = { method: 'PUT', template: '/photo/7' };

/** What the server has got as `If-Match`, and had another version. */
type Refuse = (etag: string | null) => boolean;

/** A page reads something with that ETag. Then the server refuses writes as that says. */
async function read(stage: OutboxStage, tab: OutboxTab, wish: Wish = {}, etag = '"a"'): Promise<void> {
  const { answer } = stage;
  stage.answer = () => json({ etag }, { ETag: etag, 'Cache-Control': 'no-cache' });
  tab.meet();
  const id = 50 + tab.settled.length;
  await tab.call(id, { template: '/photo/7', ...wish });
  stage.answer = answer;
}

/** From here on the server has another version than others have said. */
function refuse(stage: OutboxStage, isRefused: Refuse): void {
  stage.answer = ({ init, headers }) =>
    init.method !== 'GET' && isRefused(headers.get('If-Match')) ? json({}, { ETag: '"theirs"' }, 412) : null;
}

test.each<[string, Wish, Wish]>([
  ['a read whose policy is that of the write', {}, {}],
  [
    'a read that stores its answer, though the write says network-only',
    {},
    { policy: { cache: 'network-only' } },
  ],
  ['a read without credentials', {}, { policy: { credentials: 'include' } }],
  ['a read with credentials', { policy: { credentials: 'include' } }, {}],
])('a write changes the version that was seen last: %s', async (_name, reading, writing) => {
  const stage = new OutboxStage();
  const tab = stage.open();
  await read(stage, tab, reading);
  refuse(stage, (etag) => etag === '"a"');
  await tab.queue(1, 'mine', { ...PUT, ...writing });
  await until(() => tab.told.length > 0);
  expect(tab.told).toEqual(['entry-1 conflict']);
});

test.each([
  ['If-Match', '"form"'],
  ['If-None-Match', '*'],
  ['If-Unmodified-Since', 'Wed, 01 Jan 2025 00:00:00 GMT'],
])('a write changes the version that its page says: %s', async (name, value) => {
  const stage = new OutboxStage();
  const tab = stage.open();
  await read(stage, tab);
  await tab.queue(1, 'mine', { ...PUT, headers: [[name, value]] });
  await tab.heard('entry-1 done');
  const { headers } = stage.world.requests.at(-1) ?? {};
  expect(headers?.get(name)).toBe(value);
  expect(headers?.get('If-Match') ?? value).toBe(value);
});

test('a write changes the version that was seen last, though another read has an older one', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  await read(stage, tab);
  await stage.world.clock.advance(1_000);
  await read(stage, tab, { policy: { credentials: 'include' } }, '"b"');
  refuse(stage, (etag) => etag !== '"b"');
  await tab.queue(1, 'mine', PUT);
  await until(() => tab.told.length > 0);
  expect(tab.told).toEqual(['entry-1 done']);
});

test('a write changes the version that was seen last, though a read of what may be redirected has failed since', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  const wish = { template: '/photo/7', policy: { origins: ['https://cdn.example'] } };
  await read(stage, tab, wish);
  stage.answer = unreachable;
  await tab.call(60, wish);
  refuse(stage, (etag) => etag === '"a"');
  await tab.queue(1, 'mine', PUT);
  await until(() => tab.told.length > 0);
  expect(tab.told).toEqual(['entry-1 conflict']);
});

test('a write changes the version that was seen last, through a function of the worker', async () => {
  const world = new FakeSystem();
  world.grant();
  const house = houseOf(world, { functions: () => ({ small: (value: unknown) => value }) });
  const tab = new OutboxTab((source, envelope) => house.receive(source, envelope), 'client own');
  world.serve = async () => json({ id: 7 }, { ETag: '"a"', 'Cache-Control': 'no-cache' });
  tab.meet();
  await tab.call(50, { template: '/photo/7', policy: { transform: ['small'] } });
  world.serve = async ({ headers }) => json({}, {}, headers.get('If-Match') === '"a"' ? 412 : 200);
  await tab.queue(1, 'mine', PUT);
  await until(() => tab.told.length > 0);
  expect(tab.told).toEqual(['entry-1 conflict']);
});

test('a write changes the version that was seen last, though a write to something else has invalidated it', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  await read(stage, tab);
  const other = { method: 'PUT', template: '/photo/8', policy: { invalidates: ['/photo/{id}'] } };
  await tab.queue(1, 'other', other);
  await tab.heard('entry-1 done');
  await waitFor(stage, 5_000);
  refuse(stage, (etag) => etag === '"a"');
  await tab.queue(2, 'mine', PUT);
  await until(() => tab.told.length > 1);
  expect(tab.told.at(-1)).toBe('entry-2 conflict');
});

test('a write changes the version that was seen last, though nobody knows whether a lost write has changed it', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  await read(stage, tab);
  stage.answer = ({ init }) => (init.method === 'PUT' ? unreachable() : null);
  await tab.call(60, { ...PUT, body: { kind: 'text', text: 'plain' } });
  refuse(stage, (etag) => etag === '"a"');
  await tab.queue(1, 'mine', PUT);
  await until(() => tab.told.length > 0);
  expect(tab.told).toEqual(['entry-1 conflict']);
});

test('a write changes the version that was seen last, though that is not stored', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  await read(stage, tab);
  await read(stage, tab, { policy: { cache: 'network-only' } }, '"b"');
  refuse(stage, (etag) => etag !== '"b"');
  await tab.queue(1, 'mine', PUT);
  await until(() => tab.told.length > 0);
  expect(tab.told).toEqual(['entry-1 done']);
});

test.each([
  ['by a queued write', true, false],
  ['by a plain write', false, false],
  ['in the life before', true, true],
])('a write changes the version that our own has made %s', async (_name, isQueued, isRestarted) => {
  const stage = new OutboxStage();
  let tab = stage.open();
  await read(stage, tab);
  stage.answer = () => json({ id: 7 }, { ETag: '"b"' });
  if (isQueued) await tab.queue(1, 'one', PUT);
  else await tab.submitAll([submission(60, { ...PUT, body: { kind: 'text', text: 'plain' } })]);
  await until(() => tab.told.includes('entry-1 done') || tab.settled.includes(60));
  await goOn(stage, 5);
  if (isRestarted) {
    stage.restart();
    tab = stage.open();
  }
  refuse(stage, (etag) => etag === '"b"');
  await tab.queue(2, 'two', PUT);
  await until(() => tab.told.at(-1)?.startsWith('entry-2') === true);
  expect(tab.told.at(-1)).toBe('entry-2 conflict');
});

test('a write changes the version that our own has made of what was never read', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = () => json({ id: 7 }, { ETag: '"b"' });
  await tab.queue(1, 'one', PUT);
  await tab.heard('entry-1 done');
  refuse(stage, (etag) => etag === '"b"');
  await tab.queue(2, 'two', PUT);
  await until(() => tab.told.length > 1);
  expect(tab.told.at(-1)).toBe('entry-2 conflict');
});

test('a write changes the version that our own has made, though its answer is too long to be read', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = () => json({ text: 'x'.repeat(500) }, { ETag: '"b"' });
  await tab.queue(1, 'one', { ...PUT, policy: { answerSize: 100 } });
  await tab.heard('entry-1 done');
  refuse(stage, (etag) => etag === '"b"');
  await tab.queue(2, 'two', PUT);
  await until(() => tab.told.length > 1);
  expect(tab.told.at(-1)).toBe('entry-2 conflict');
});

test.each([false, true])(
  'a write changes no version that our own has replaced, though its server has not named the new one; restarted: %s',
  async (isRestarted) => {
    const stage = new OutboxStage();
    let tab = stage.open();
    await read(stage, tab);
    await tab.queue(1, 'one', PUT);
    await tab.heard('entry-1 done');
    await goOn(stage, 5);
    if (isRestarted) {
      stage.restart();
      tab = stage.open();
    }
    await tab.queue(2, 'two', PUT);
    await tab.heard('entry-2 done');
    expect(stage.world.requests.at(-1)?.headers.get('If-Match')).toBeNull();
  },
);

test('a write changes the version that was read after our own', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  await read(stage, tab);
  stage.answer = () => json({ id: 7 }, { ETag: '"b"' });
  await tab.queue(1, 'one', PUT);
  await tab.heard('entry-1 done');
  await read(stage, tab, {}, '"c"');
  refuse(stage, (etag) => etag !== '"c"');
  await tab.queue(2, 'two', PUT);
  await until(() => tab.told.length > 1);
  expect(tab.told.at(-1)).toBe('entry-2 done');
});

test('a write to what our own has deleted changes no version', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  await read(stage, tab);
  await tab.queue(1, '', { method: 'DELETE', template: '/photo/7' });
  await tab.heard('entry-1 done');
  await tab.queue(2, 'again', PUT);
  await tab.heard('entry-2 done');
  expect(stage.world.requests.at(-1)?.headers.get('If-Match')).toBeNull();
});

test.each([412, 409])(
  'what a conflict has shown to be outdated is not served as fresh, and is still the version that was seen: %i',
  async (status) => {
    const stage = new OutboxStage();
    const tab = stage.open();
    let etag = '"a"';
    stage.answer = ({ init, headers }) => {
      if (init.method === 'GET') return json({ etag }, { ETag: etag, 'Cache-Control': 'max-age=3600' });
      return headers.get('If-Match') === etag ? null : json({ etag }, { ETag: etag }, status);
    };
    const isAsked = async (id: number): Promise<boolean> => {
      const before = stage.world.requests.length;
      await tab.call(id, { template: '/photo/7', policy: { revalidate: false } });
      return stage.world.requests.length > before;
    };
    const discard = (id: number): Promise<unknown> => decide(tab, `entry-${id}`, { kind: 'discard' });
    tab.meet();
    expect([await isAsked(50), await isAsked(51)]).toEqual([true, false]);
    etag = '"b"';
    await tab.queue(1, 'mine', PUT);
    await tab.heard('entry-1 conflict');
    // Its user keeps the version of the server, but has not seen it.
    await discard(1);
    await tab.queue(2, 'blindly', PUT);
    await tab.heard('entry-2 conflict');
    await discard(2);
    expect(await isAsked(52)).toBe(true);
    await tab.queue(3, 'mine again', PUT);
    await tab.heard('entry-3 done');
  },
);

test.each([401, 403])(
  'a write changes the version that was seen last, though it may not be read any more: %i',
  async (status) => {
    const stage = new OutboxStage();
    const tab = stage.open();
    await read(stage, tab);
    await refusedRead(stage, tab, status);
    refuse(stage, (etag) => etag === '"a"');
    await tab.queue(1, 'mine', PUT);
    await until(() => tab.told.length > 0);
    expect(tab.told).toEqual(['entry-1 conflict']);
  },
);

test.each([404, 410])('a write to what is gone changes no version: %i', async (status) => {
  const stage = new OutboxStage();
  const tab = stage.open();
  await read(stage, tab);
  await refusedRead(stage, tab, status);
  await tab.queue(1, 'mine', PUT);
  await tab.heard('entry-1 done');
  expect(stage.world.requests.at(-1)?.headers.get('If-Match')).toBeNull();
});

test('a write changes the version that our own has made, though a read from before that has found nothing', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  const late = new Deferred<Response>();
  stage.answer = ({ init }) => (init.method === 'GET' ? late.promise : json({ id: 7 }, { ETag: '"b"' }, 201));
  tab.meet();
  await tab.submitAll([submission(50, { template: '/photo/7' })]);
  await rounds();
  await tab.queue(1, 'one', PUT);
  await tab.heard('entry-1 done');
  late.resolve(json({}, {}, 404));
  await until(() => tab.settled.includes(50));
  refuse(stage, (etag) => etag === '"b"');
  await tab.queue(2, 'two', PUT);
  await until(() => tab.told.length > 1);
  expect(tab.told.at(-1)).toBe('entry-2 conflict');
});

/** A page may not read the same any more, or finds nothing. */
async function refusedRead(stage: OutboxStage, tab: OutboxTab, status: number): Promise<void> {
  stage.answer = () => json({}, {}, status);
  await tab.call(70);
  stage.answer = () => null;
}
