import { expect, test } from 'vitest';
import { json, unreachable, until } from '../platform/system.fixture.ts';
import { Deferred } from '../platform/waiting.ts';
import { CREATES, decide, FORM, made, TEMPORARY, USER } from './named-writes.fixture.ts';
import { bodyOf, EDIT, OutboxStage, rounds, waitFor } from './outbox-stage.fixture.ts';
import type { OutboxTab } from './outbox-stage.fixture.ts';

/** A read by the temporary id has brought an ETag. */
async function read(tab: OutboxTab): Promise<void> {
  await tab.call(50, { template: '/photo/{id}', params: [['id', TEMPORARY]] });
}

/** The URL and the version of the last request. */
function lastOf(stage: OutboxStage): unknown[] {
  const last = stage.world.requests.at(-1);
  return [last?.url, last?.headers.get('If-Match')];
}

test('a write by the temporary id says which version it changes', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = ({ init }) =>
    init.method === 'POST' ? made(7) : json({ id: 7 }, { ETag: '"v1"', 'Cache-Control': 'no-cache' });
  await tab.queue(1, 'Dusk', {}, CREATES);
  await tab.heard('entry-1 done');
  await read(tab);
  await tab.queue(2, 'Dawn', USER);
  await tab.heard('entry-2 done');
  expect(lastOf(stage)).toEqual(['https://page.example/photo/7', '"v1"']);
});

test('so does one that was queued before there was an id, of what is known as it is sent', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = ({ init }) => (init.method === 'POST' ? made(7) : unreachable());
  await tab.queue(9, 'holds', { method: 'PUT' }, { lane: 'b' });
  await tab.queue(1, 'Dusk', {}, CREATES);
  await tab.queue(2, 'Dawn', USER, { lane: 'b' });
  await tab.heard('entry-1 done');
  stage.answer = () => json({ id: 7 }, { ETag: '"v1"', 'Cache-Control': 'no-cache' });
  await read(tab);
  await waitFor(stage, 60_000);
  await tab.heard('entry-2 done');
  expect(lastOf(stage)).toEqual(['https://page.example/photo/7', '"v1"']);
});

test('what replaces a version that the server does not name goes without the one that it has refused', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = ({ init }) =>
    init.method === 'POST' ? made(7) : json({ id: 7 }, { ETag: '"v1"', 'Cache-Control': 'no-cache' });
  await tab.queue(1, 'Dusk', {}, CREATES);
  await tab.heard('entry-1 done');
  await read(tab);
  stage.answer = ({ headers }) => (headers.get('If-Match') === '"v1"' ? json({ id: 7 }, {}, 412) : null);
  await tab.queue(2, 'Dawn', USER);
  await tab.heard('entry-2 conflict');
  await decide(tab, 'entry-2', { ...EDIT, body: { kind: 'text', text: 'Dusk and dawn' } });
  await tab.heard('entry-2 done');
  expect(lastOf(stage)).toEqual(['https://page.example/photo/7', null]);
});

test('a write that is named as its predecessor ends is to change what that has made', async () => {
  const wrong: unknown[] = [];
  for (const turns of [0, 2, 4, 6, 8, 10, 12, 14, 16, 20, 24, 30]) {
    const stage = new OutboxStage();
    const tab = stage.open();
    tab.meet();
    let etag = '"v1"';
    stage.answer = () => json({}, { ETag: etag, 'Cache-Control': 'no-cache' });
    await tab.call(50, { template: '/photos/9' });
    // No attempt has ended before all are queued: what a write may have changed is no version to go by.
    const all = new Deferred();
    stage.answer = () => all.promise.then(unreachable);
    await tab.queue(1, 'album', { template: '/albums' }, { ...CREATES, lane: '/albums' });
    const photo = { method: 'PUT', template: '/photos/9', ...FORM };
    await tab.queue(2, '', { ...photo, body: { kind: 'text', text: 'title=Dusk' } }, { lane: '/photos' });
    const text = `album=${TEMPORARY}`;
    await tab.queue(3, '', { ...photo, body: { kind: 'text', text } }, { lane: '/photos' });
    all.resolve();
    await rounds(5);
    const [album, title] = [new Deferred(), new Deferred()];
    let asked = 0;
    stage.answer = async (seen) => {
      asked += 1;
      if (seen.url.endsWith('/albums')) {
        await album.promise;
        return made(7);
      }
      if (bodyOf(seen).startsWith('title')) await title.promise;
      if (seen.headers.get('If-Match') !== etag) return json({}, { ETag: etag }, 412);
      etag = etag === '"v1"' ? '"v2"' : '"v3"';
      return json({}, { ETag: etag });
    };
    void tab.remote.control({ kind: 'online' });
    await until(() => asked === 2);
    album.resolve();
    for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    title.resolve();
    await waitFor(stage, 60_000);
    const left = await tab.list();
    if (left.length > 0) wrong.push([turns, left.map(({ entry, state }) => `${entry} ${state}`)]);
  }
  expect(wrong).toEqual([]);
});
