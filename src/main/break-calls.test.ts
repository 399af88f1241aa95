import { afterEach, beforeEach, expect, test } from 'vitest';
import type { WriteReport } from '../shared/outbox.ts';
import { WRITE } from './outbox/write.fixture.ts';
import { FakePage } from './page.fixture.ts';
import type { RestEvent } from './resource/event.ts';
import { Resource } from './resource/resource.ts';
import { flush } from './session/host.fixture.ts';

const DESCRIPTION = {
  add: { method: 'POST', url: '/albums/{album}/photos', offline: 'queue' },
} as const;

const DONE: Partial<WriteReport> = {
  state: 'done',
  attempts: 1,
  answer: { status: 201, headers: [], body: { kind: 'value', value: { id: 9 } } },
};

let page: FakePage;

beforeEach(() => {
  page = new FakePage();
});

afterEach(() => {
  page.leave();
});

function make() {
  const photos = new Resource(DESCRIPTION, { connection: page.connection, name: 'photos' });
  const heard: unknown[] = [];
  const note = ({ type, id }: RestEvent): unknown => heard.push([type, id]);
  for (const type of ['addQueued', 'addSuccess', 'addError'] as const) photos.addListener(type, note);
  return { photos, heard };
}

test('a call that hears it was queued after its end was told in every tab is told that end', async () => {
  const { photos, heard } = make();
  const id = photos.add({ album: 7 }, 'title=Dusk');
  await flush();
  const ticket = page.host.life.submitted.at(-1)?.ticket;
  const write = { ...WRITE, ...ticket, ...DONE };
  // A worker had stored it and died. The next one has sent it before it gets the call once more.
  page.host.revive();
  await flush();
  await page.host.life.deliver({ kind: 'write', write });
  await flush();
  await page.host.life.deliver({ kind: 'queued', id, write });
  await flush();
  expect(heard).toEqual([
    ['addQueued', id],
    ['addSuccess', id],
  ]);
});

test('an edit of one write does not have the whole outbox sent to the page', async () => {
  let asked = 0;
  page.host.life.replyTo = (command) => {
    if (command.kind === 'decide') return { kind: 'decided', as: 'decided' };
    if (command.kind !== 'list-outbox') return { kind: 'done' };
    asked += 1;
    const first = command.after ?? 0;
    const entries = Array.from({ length: 100 }, (_, k) => ({ ...WRITE, entry: `entry-${first + k + 1}` }));
    return { kind: 'outbox-page', page: { entries, next: first + 100 < 10_000 ? first + 100 : null } };
  };
  await page.connection.ready;
  await page.connection.outbox.edit('entry-1', { data: { title: 'Dawn' } });
  expect(asked).toBeLessThan(10);
});

test('a refusal is told once, also of more writes than a tab remembers, whenever a worker answers', async () => {
  const { photos, heard } = make();
  const writes: WriteReport[] = [];
  const failure = { code: 'http', message: 'no', status: 422, body: null } as const;
  for (let n = 0; n < 1_100; n += 1) {
    const id = photos.add({ album: n }, 'title=Dusk');
    await flush();
    const write = { ...WRITE, ...page.host.life.submitted.at(-1)?.ticket };
    await page.host.life.deliver({ kind: 'queued', id, write });
    writes.push({ ...write, state: 'review', attempts: 1, failure });
  }
  for (const write of writes) await page.host.life.deliver({ kind: 'write', write });
  await flush();
  const errors = (): number => heard.filter((each) => Array.isArray(each) && each[0] === 'addError').length;
  expect(errors()).toBe(1_100);
  page.host.revive();
  page.host.life.replyTo = (command) =>
    command.kind === 'list-outbox'
      ? {
          kind: 'outbox-page',
          page: { entries: writes.filter(({ entry }) => command.entries?.includes(entry)), next: null },
        }
      : { kind: 'done' };
  photos.add({ album: 8 });
  for (let n = 0; n < 10; n += 1) await flush();
  expect(errors()).toBe(1_100);
});

test('a POST that its dead worker may have sent, since it could store nothing, is not sent again', async () => {
  const { photos, heard } = make();
  const id = photos.add({ album: 7 }, 'title=Dusk');
  await flush();
  const before = page.host.life.submitted.length;
  expect(before).toBe(1);
  // What such a worker tells of an ordinary call that has come to its server.
  page.host.revive();
  photos.add({ album: 9 });
  await flush();
  await flush();
  expect(page.host.life.submitted.filter((each) => each.id === id)).toEqual([]);
  expect(heard).toContainEqual(['addError', id]);
});

test('a resource that is disposed tells nothing more of what it has queued', async () => {
  const { photos, heard } = make();
  const id = photos.add({ album: 7 }, 'title=Dusk');
  await flush();
  const write = { ...WRITE, ...page.host.life.submitted.at(-1)?.ticket };
  await page.host.life.deliver({ kind: 'queued', id, write });
  await flush();
  photos.dispose();
  heard.length = 0;
  await page.host.life.deliver({ kind: 'write', write: { ...write, ...DONE } });
  await flush();
  expect(heard).toEqual([]);
});

test('a discard whose worker dies before it says so is told as what it was', async () => {
  await page.connection.ready;
  let isGone = false;
  page.host.life.replyTo = (command) => {
    if (command.kind !== 'decide') return { kind: 'done' };
    isGone = true;
    return new Promise<never>(() => {});
  };
  const discarding = page.connection.outbox.discard('entry-1').then(
    () => 'discarded',
    (error: unknown) => Object(error).code,
  );
  await flush();
  expect(isGone).toBe(true);
  page.host.revive();
  page.host.life.replyTo = ({ kind }) => (kind === 'decide' ? { kind: 'decided', as: 'absent' } : { kind: 'done' });
  make().photos.add({ album: 1 });
  for (let n = 0; n < 5; n += 1) await flush();
  expect(await Promise.race([discarding, flush().then(() => 'pending')])).toBe('discarded');
});

test('followed writes that somebody has discarded are followed no longer', async () => {
  const { photos } = make();
  const asked: number[] = [];
  for (let n = 0; n < 50; n += 1) {
    const id = photos.add({ album: n }, 'x');
    await flush();
    const write = { ...WRITE, ...page.host.life.submitted.at(-1)?.ticket };
    await page.host.life.deliver({ kind: 'queued', id, write });
    page.host.life.replyTo = () => ({ kind: 'decided', as: 'decided' });
    await page.connection.outbox.discard(write.entry);
  }
  page.host.revive();
  page.host.life.replyTo = (command) => {
    if (command.kind === 'list-outbox') asked.push(command.entries?.length ?? -1);
    return { kind: 'outbox-page', page: { entries: [], next: null } };
  };
  photos.add({ album: 99 }, 'x');
  for (let n = 0; n < 5; n += 1) await flush();
  expect(asked).toEqual([]);
});
