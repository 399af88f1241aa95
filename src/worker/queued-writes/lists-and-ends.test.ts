import { IDBIndex, IDBObjectStore } from 'fake-indexeddb';
import { describe, expect, test, vi } from 'vitest';
import type { Reply } from '../../shared/protocol.ts';
import { json } from '../platform/system.fixture.ts';
import { Deferred } from '../platform/waiting.ts';
import { OutboxStage, rounds } from './outbox-stage.fixture.ts';
import type { OutboxTab } from './outbox-stage.fixture.ts';

/** The names of all of these, as a page asks for them. */
async function listed(tab: OutboxTab, entries: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (let after: number | null = 0; after !== null;) {
    const reply: Reply = await tab.remote.control({ kind: 'list-outbox', after, entries });
    if (reply.kind !== 'outbox-page') throw new Error(`It answered ${reply.kind}`);
    found.push(...reply.page.entries.map(({ entry }) => entry));
    after = reply.page.next;
  }
  return found;
}

describe('the list of what waits, as a page asks for it', () => {
  test.each([
    ['all of them, without bodies', null, true],
    ['one, with its body', ['entry-1'], false],
  ])('is never older than what was told before it: %s', async (_case, entries, isBrief) => {
    const orders: string[][] = [];
    // The write is answered at some moment while the list is made.
    for (let delay = 0; delay < 14; delay += 1) {
      const stage = new OutboxStage();
      const tab = stage.open();
      const order: string[] = [];
      const answering = new Deferred();
      stage.answer = async () => {
        await answering.promise;
        return json({ id: 7 }, {}, 201);
      };
      await tab.queue(1, 'of anna', {}, { isShown: true });
      await tab.heard('entry-1 sending');
      tab.listener = (delivery) => {
        if (delivery.kind === 'write') order.push(`told ${delivery.write.state}`);
      };
      answering.resolve();
      await rounds(delay);
      const command = { kind: 'list-outbox', after: null, entries, ...(isBrief && { isBrief }) } as const;
      const reply: Reply = await tab.remote.control(command);
      const all = reply.kind === 'outbox-page' ? reply.page.entries : [];
      order.push(`listed ${all.map(({ state }) => state).join()}`);
      await rounds();
      orders.push(order);
    }
    const wrong = orders.filter((order) => {
      const done = order.indexOf('told done');
      return order.some((each, index) => index > done && done >= 0 && /listed (queued|sending)/.test(each));
    });
    expect(wrong).toEqual([]);
  });

  test('has all of those that are asked for by their names, in whatever order these are', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = () => json({}, {}, 422);
    const entries: string[] = [];
    for (let id = 120; id > 0; id -= 1) entries.push((await tab.queue(id, 'Dusk')).entry);
    const wanted = [...entries.slice(60), ...entries.slice(0, 60)];
    expect(await listed(tab, wanted)).toEqual(wanted);
  });

  test.each([false, true])(
    'looks up each of four hundred names once, ended or not; ended: %s',
    async (isEnded) => {
      const stage = new OutboxStage();
      const tab = stage.open();
      stage.answer = () => (isEnded ? null : json({}, {}, 503));
      const entries = Array.from({ length: 400 }, (_, n) => `entry-${n + 1}`);
      for (let n = 0; n < entries.length; n += 50) {
        const some = entries.slice(n, n + 50);
        await Promise.all(some.map((_, i) => tab.queue(n + i + 1, `text ${n + i + 1}`)));
        await stage.world.clock.advance(1_000);
      }
      await rounds();
      const gets = [
        vi.spyOn(IDBObjectStore.prototype, 'get'),
        vi.spyOn(IDBObjectStore.prototype, 'getAll'),
        vi.spyOn(IDBIndex.prototype, 'getAll'),
      ];
      expect(await listed(tab, entries)).toEqual(entries);
      const asked = gets.reduce((sum, { mock }) => sum + mock.calls.length, 0);
      vi.restoreAllMocks();
      expect(asked / entries.length).toBeLessThan(6);
    },
  );

  // Invariant 10. A list that was asked for as Anna, while another tab signs in Bert.
  test('does not come to a page that has been told of another user', async () => {
    const wrong: string[][] = [];
    for (let delay = 0; delay < 14; delay += 1) {
      const stage = new OutboxStage();
      const tab = stage.open();
      const other = stage.open();
      const order: string[] = [];
      await tab.sign('anna');
      stage.answer = () => json({}, {}, 401);
      await tab.queue(1, 'of anna', {}, { isShown: true });
      await tab.heard('entry-1 paused');
      tab.listener = (delivery) => {
        if (delivery.kind === 'identity') order.push(`identity ${delivery.identity.name}`);
      };
      other.meet();
      const signing = other.sign('bert');
      await rounds(delay);
      const listing = tab.list().then(
        (all) => order.push(`listed ${all.length}`),
        () => order.push('refused'),
      );
      await Promise.all([signing, listing]);
      await rounds();
      if (order.indexOf('identity bert') >= 0 && order.indexOf('listed 1') > order.indexOf('identity bert'))
        wrong.push(order);
    }
    expect(wrong).toEqual([]);
  });
});
