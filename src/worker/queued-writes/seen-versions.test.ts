import { expect, test } from 'vitest';
import type { Wish } from '../cache/invocation.fixture.ts';
import { houseOf } from '../house.fixture.ts';
import { FakeSystem, json, unreachable, until } from '../platform/system.fixture.ts';
import { submission } from '../tab.fixture.ts';
import { OutboxStage, OutboxTab } from './outbox-stage.fixture.ts';

const PUT = { method: 'PUT', template: '/photo/7' };

/** What the server has got as `If-Match`, and had another version. */
type Refuse = (etag: string | null) => boolean;

/** A page reads something with that ETag. Then the server refuses writes as that says. */
async function read(stage: OutboxStage, tab: OutboxTab, wish: Wish = {}, etag = '"a"'): Promise<void> {
  const { answer } = stage;
  stage.answer = () => json({ etag }, { ETag: etag, 'Cache-Control': 'no-cache' });
  tab.meet();
  const id = 50 + tab.settled.length;
  await tab.submitAll([submission(id, { template: '/photo/7', ...wish })]);
  await until(() => tab.settled.includes(id));
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
  await tab.submitAll([submission(60, wish)]);
  await until(() => tab.settled.includes(60));
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
  await tab.submitAll([submission(50, { template: '/photo/7', policy: { transform: ['small'] } })]);
  await until(() => tab.settled.includes(50));
  world.serve = async ({ headers }) => json({}, {}, headers.get('If-Match') === '"a"' ? 412 : 200);
  await tab.queue(1, 'mine', PUT);
  await until(() => tab.told.length > 0);
  expect(tab.told).toEqual(['entry-1 conflict']);
});
