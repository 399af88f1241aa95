import { describe, expect, test } from 'vitest';
import { houseOf } from '../house.fixture.ts';
import { FakeSystem, json, unreachable, until } from '../platform/system.fixture.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { OutboxStage, OutboxTab, waitFor } from './outbox-stage.fixture.ts';

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

describe('secrets', () => {
  test('that an answer repeats in a secret header are not stored', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = () => json({ id: 7 }, { 'X-Token': 'hush-1', Authorization: 'hush-2' }, 201);
    await tab.queue(1, 'Dusk', { policy: { secretHeaders: ['X-Token'] } });
    await tab.heard('entry-1 done');
    await waitFor(stage, 1_000);
    const text = await disk(stage.indexedDB);
    expect([text.includes('entry-1'), text.includes('hush')]).toEqual([true, false]);
  });

  test('that a provider of credentials gives, and an answer repeats, are not stored', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    tab.meet();
    await tab.remote.control({ kind: 'provides', origins: ['https://page.example'] });
    tab.listener = (delivery) => {
      if (delivery.kind !== 'credentials-wanted') return;
      const reply = { kind: 'given', headers: [['X-Session', 'hush']], expiresAt: null } as const;
      void tab.remote.control({ kind: 'credentials', question: delivery.question, reply });
    };
    stage.answer = ({ headers }) => json({ id: 7 }, { 'X-Session': headers.get('X-Session') ?? '' }, 422);
    await tab.queue(1, 'Dusk');
    await tab.heard('entry-1 review');
    const text = await disk(stage.indexedDB);
    expect([text.includes('entry-1'), text.includes('hush')]).toEqual([true, false]);
  });

  test("in what the worker's hook throws are not stored", async () => {
    const world = new FakeSystem();
    world.grant();
    const house = houseOf(world, {
      configureRequest: () => {
        throw new Error('the token hush-hush has expired');
      },
    });
    const tab = new OutboxTab((source, envelope) => house.receive(source, envelope), 'client own');
    await tab.queue(1, 'Dusk', {}, { isShown: true });
    await until(() => tab.queued.length === 1);
    for (let n = 0; n < 50; n += 1) await settle();
    const listed = await tab.list();
    expect(listed[0]?.attempts).toBeGreaterThan(0);
    const text = await disk(world.indexedDB);
    expect([text.includes('entry-1'), text.includes('hush')]).toEqual([true, false]);
    // Nor are they listed, or exported, or told to every tab.
    expect(JSON.stringify([listed, tab.writes])).not.toContain('hush');
    expect(tab.writes.some(({ failure }) => failure !== null)).toBe(true);
  });

  test('in what a provider throws are not stored', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    tab.meet();
    await tab.remote.control({ kind: 'provides', origins: ['https://page.example'] });
    tab.listener = (delivery) => {
      if (delivery.kind !== 'credentials-wanted') return;
      const reply = { kind: 'failed', message: 'refresh token hush-hush was refused' } as const;
      void tab.remote.control({ kind: 'credentials', question: delivery.question, reply });
    };
    await tab.queue(1, 'Dusk');
    await stage.failed(tab, 1);
    const text = await disk(stage.indexedDB);
    expect([text.includes('entry-1'), text.includes('hush')]).toEqual([true, false]);
  });

  test('of a page that is not ours are refused, not stored', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = unreachable;
    await tab.queue(1, 'Dusk', { headers: [['Authorization', 'Bearer hush']] });
    await waitFor(stage, 100);
    expect([tab.refused, (await disk(stage.indexedDB)).includes('hush')]).toEqual([[1], false]);
  });
});

describe('what is done', () => {
  test('is gone from the disk an hour later', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = () => json({ diagnosis: 'private' }, {}, 201);
    await tab.queue(1, 'Dusk');
    await tab.heard('entry-1 done');
    stage.answer = () => null;
    await waitFor(stage, 3_600_000);
    await tab.queue(2, 'Dawn');
    await tab.heard('entry-2 done');
    await waitFor(stage, 1_000);
    expect((await disk(stage.indexedDB)).includes('private')).toBe(false);
  });

  test('is gone from the disk where its user signs out right after a start', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    await tab.sign('anna');
    stage.answer = () => json({ diagnosis: 'private' }, {}, 201);
    await tab.queue(1, 'Dusk');
    await tab.heard('entry-1 done');
    await waitFor(stage, 100);
    stage.restart();
    stage.answer = () => null;
    const next = stage.open();
    await next.sign(null);
    await waitFor(stage, 60_000);
    expect((await disk(stage.indexedDB)).includes('private')).toBe(false);
  });

  test('is gone from the disk where its user signs out', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    await tab.sign('anna');
    stage.answer = () => json({ diagnosis: 'private' }, {}, 201);
    await tab.queue(1, 'Dusk');
    await tab.heard('entry-1 done');
    await tab.sign(null);
    await waitFor(stage, 60_000);
    expect((await disk(stage.indexedDB)).includes('private')).toBe(false);
  });
});
