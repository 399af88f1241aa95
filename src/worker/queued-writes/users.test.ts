import { describe, expect, test } from 'vitest';
import { FakeSystem, json, unreachable, until } from '../platform/system.fixture.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { submission } from '../tab.fixture.ts';
import { OutboxStage, waitFor } from './outbox-stage.fixture.ts';

/** All that lies in the databases of outboxes, as text. */
async function disk(indexedDB: FakeSystem['indexedDB']): Promise<string> {
  const all: unknown[] = [];
  for (const { name } of (await indexedDB?.databases()) ?? []) {
    if (!name?.includes('outbox')) continue;
    const opened = indexedDB!.open(name);
    const database: IDBDatabase = await new Promise((resolve) => {
      opened.onsuccess = () => resolve(opened.result);
    });
    for (const store of database.objectStoreNames) {
      const request = database.transaction(store).objectStore(store).getAll();
      all.push(await new Promise((resolve) => (request.onsuccess = () => resolve(request.result))));
    }
    database.close();
  }
  return JSON.stringify(all);
}

describe('the writes of a user', () => {
  test('that are paused are not sent as the next one signs in, with the session of that one', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    await tab.sign('anna');
    stage.answer = () => json({}, {}, 401);
    await tab.queue(1, 'of anna');
    await tab.heard('entry-1 paused');
    await waitFor(stage, 60_000);
    // "The server's session begins before `signIn`": it is Bert's from here on.
    stage.answer = () => null;
    await tab.sign('bert');
    await waitFor(stage, 60_000);
    expect(stage.performed).toEqual([]);
  });

  test('control: those that are queued are not sent as the next one signs in', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    await tab.sign('anna');
    stage.answer = () => json({}, { 'Retry-After': '600' }, 503);
    await tab.queue(1, 'of anna');
    await stage.failed(tab, 1);
    await waitFor(stage, 60_000);
    stage.answer = () => null;
    await tab.sign('bert');
    await waitFor(stage, 60_000);
    expect(stage.performed).toEqual([]);
  });

  test('are not sent as nobody once they have signed out by another page', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    await tab.sign('anna');
    stage.answer = () => json({}, {}, 401);
    await tab.queue(1, 'of anna');
    await tab.heard('entry-1 paused');
    await waitFor(stage, 60_000);
    stage.answer = () => null;
    await tab.sign(null);
    await waitFor(stage, 60_000);
    expect(stage.performed).toEqual([]);
  });
});

describe('a page that has loaded after the server has begun the session of another user, and has not called signIn yet', () => {
  test.each([401, 503])(
    'does not have the waiting writes of the user before sent with that session (%i)',
    async (status) => {
      const stage = new OutboxStage();
      const tab = stage.open();
      await tab.sign('anna');
      // Anna's session has run out, or her server is away; she closes the browser.
      stage.answer = () => json({}, {}, status);
      await tab.queue(1, 'of anna');
      await until(() => stage.world.requests.length === 1);
      await settle();
      // Bert signs in at the server: every cookie is his from here on. His page loads, which starts the worker, and will
      // call signIn('bert').
      stage.restart();
      stage.world.clock.set(3_600_000);
      stage.answer = () => null;
      const next = stage.open();
      await next.greet();
      await waitFor(stage, 5_000);
      await next.sign('bert');
      await waitFor(stage, 60_000);
      expect(stage.performed).toEqual([]);
    },
  );
});

describe('users', () => {
  test('a page of the user before discards nothing of the present one', async () => {
    const stage = new OutboxStage();
    const [one, other] = [stage.open(), stage.open()];
    await one.sign('anna');
    await other.sign('bert');
    stage.answer = unreachable;
    await other.queue(1, 'of bert');
    // Its app signs Anna out, whom it takes for the present user.
    const { epoch = 0 } = one;
    const reply = await one.remote.control({ kind: 'sign-out', pendingWrites: 'discard', epoch });
    expect(reply).toMatchObject({ kind: 'failed', failure: { code: 'identity-changed' } });
    stage.answer = () => null;
    await other.sign('bert');
    await waitFor(stage, 60_000);
    expect(stage.performed).toEqual(['of bert']);
  });

  test('what was done is not told a day later to a page that has not said for whom it is', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    await tab.sign('anna');
    stage.answer = () => json({ diagnosis: 'private' }, {}, 201);
    await tab.queue(1, 'Dusk');
    await tab.heard('entry-1 done');
    await waitFor(stage, 100);
    stage.world.clock.set(86_400_000);
    stage.restart();
    stage.answer = () => null;
    const next = stage.open();
    await next.greet();
    await waitFor(stage, 10_000);
    expect(next.writes).toEqual([]);
  });

  test('writes of one name are two for two users', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = unreachable;
    await tab.sign('anna');
    await tab.queue(1, 'of anna');
    await tab.sign('bert');
    tab.deliveries.length = 0;
    await tab.queue(1, 'of bert');
    stage.answer = () => null;
    await waitFor(stage, 60_000);
    expect(stage.performed).toEqual(['of bert']);
  });
});

test('paused writes are not sent with the session of the next user while the root database is slow', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  await tab.sign('anna');
  stage.answer = () => json({}, {}, 401);
  await tab.queue(1, 'of anna');
  await tab.heard('entry-1 paused');
  await stage.world.clock.advance(60_000);
  const opening = stage.indexedDB!.open('offstage:/');
  const database: IDBDatabase = await new Promise(
    (resolve) => (opening.onsuccess = () => resolve(opening.result)),
  );
  // Another engine of the origin holds it for a moment.
  let isHeld = true;
  const store = database.objectStoreNames[0] ?? '';
  const transaction = database.transaction([...database.objectStoreNames], 'readwrite');
  const hold = (): void => {
    if (!isHeld) return;
    transaction.objectStore(store).count().onsuccess = hold;
  };
  hold();
  // Bert's session has begun at the server; his page says so.
  stage.answer = () => null;
  const signing = tab.sign('bert');
  for (let turn = 0; turn < 20; turn += 1) await settle();
  isHeld = false;
  await signing;
  await stage.world.clock.advance(10_000);
  database.close();
  expect(stage.performed).toEqual([]);
});

describe('identities', () => {
  test('a page that has not said for whom it is hears of no write of the present user', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    await tab.sign('anna');
    const stranger = stage.open();
    await stranger.greet();
    stage.answer = () => json({ why: 'no' }, {}, 422);
    await tab.queue(1, 'private');
    await tab.heard('entry-1 review');
    await waitFor(stage, 1_000);
    expect([stranger.writes, stranger.waiting]).toEqual([[], null]);
  });

  test('a page of nobody hears nothing either, after a restart', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    await tab.sign('anna');
    stage.answer = () => json({ why: 'no' }, {}, 422);
    await tab.queue(1, 'private');
    await tab.heard('entry-1 review');
    stage.restart();
    const next = stage.open();
    await next.greet();
    await waitFor(stage, 10_000);
    expect([next.writes, next.waiting]).toEqual([[], null]);
  });

  test('a write on its way to the disk while its user signs out with discard is discarded', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    await tab.sign('anna');
    await tab.queue(1, 'first');
    await tab.heard('entry-1 done');
    stage.answer = unreachable;
    const body = { kind: 'text', text: 'late' } as const;
    const ticket = { entry: 'entry-2', key: 'key-2', resource: 'photos', action: 'add', lane: 'a' };
    const call = { ...submission(2, { method: 'PUT', template: '/photo/7', body }), ticket };
    void tab.submitAll([tab.epoch === undefined ? call : { ...call, epoch: tab.epoch }]);
    await tab.discard();
    await waitFor(stage, 10_000);
    stage.answer = () => null;
    await tab.sign('anna');
    await waitFor(stage, 60_000);
    expect([stage.performed, (await disk(stage.indexedDB)).includes('entry-2')]).toEqual([['first'], false]);
  });

  test('a write on its way to the disk while another user signs in is not sent as that user', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    await tab.sign('anna');
    const body = { kind: 'text', text: 'of anna' } as const;
    const ticket = { entry: 'entry-2', key: 'key-2', resource: 'photos', action: 'add', lane: 'a' };
    const call = { ...submission(2, { method: 'PUT', template: '/photo/7', body }), ticket };
    void tab.submitAll([tab.epoch === undefined ? call : { ...call, epoch: tab.epoch }]);
    await tab.sign('bert');
    await waitFor(stage, 60_000);
    expect([stage.performed, await tab.list()]).toEqual([[], []]);
  });
});
