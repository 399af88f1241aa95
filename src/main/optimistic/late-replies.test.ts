import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { WriteReport } from '../../shared/outbox.ts';
import type { Reply } from '../../shared/protocol.ts';
import type { Query } from '../queries/query.ts';
import { flush } from '../session/host.fixture.ts';
import { WRITE } from '../outbox/write.fixture.ts';
import { done, OptimisticPage, titles } from './optimistic-page.fixture.ts';

const ROWS = [
  { id: 1, title: 'Dawn' },
  { id: 2, title: 'Noon' },
];

let page: OptimisticPage;
let query: Query;
/** Lists that the worker was asked for, which it answers when a test says. */
let asked: { entries: readonly string[] | null; reply: (writes: readonly WriteReport[]) => void }[];

beforeEach(() => {
  page = new OptimisticPage();
  asked = [];
  page.host.life.replyTo = (command): Reply | Promise<Reply> => {
    if (command.kind !== 'list-outbox') return { kind: 'done' };
    return new Promise((resolve) => {
      asked.push({
        entries: command.entries ?? null,
        reply: (entries) => resolve({ kind: 'outbox-page', page: { entries, next: null } }),
      });
    });
  };
  query = page.resource.query('list', {});
  query.subscribe(() => {});
});

afterEach(() => page.leave());

const CREATE: WriteReport = {
  ...WRITE,
  entry: 'of-another-tab',
  isShown: true,
  temporaryId: 'temporary-1',
  place: 5,
};

describe('a list of what waits that is older than what was told', () => {
  test('does not bring back a write that is done', async () => {
    await page.list(ROWS, 0);
    expect(asked.length).toBe(1);
    await page.tell(done(CREATE, page.at(10), 7));
    asked[0]?.reply([CREATE]);
    await flush();
    void query.refresh();
    await page.list([...ROWS, { id: 7, title: 'Dusk' }], 20);
    expect(titles(query)).toEqual(['Dawn', 'Noon', 'Dusk']);
  });

  test('does not hold answers for ever', async () => {
    await page.list(ROWS, 0);
    const sending = { ...CREATE, state: 'sending', attempts: 1, body: null } as const;
    await page.tell(done(CREATE, page.at(10), 7));
    asked[0]?.reply([sending]);
    await flush();
    for (const each of asked.slice(1)) each.reply([{ ...sending, body: CREATE.body }]);
    await flush();
    for (let second = 20; second < 30; second += 1) {
      void query.refresh();
      await page.list([...ROWS, { id: 9, title: 'Night' }], second);
    }
    expect(titles(query)).toContain('Night');
  });

  // What a write of another tab sends is more than 64 KiB, so this page asks for it while it is being sent.
  test('does not bring back a long write of another tab', async () => {
    await page.list(ROWS, 0);
    asked[0]?.reply([]);
    await flush();
    await page.tell({ ...CREATE, body: null });
    expect(asked.length).toBe(2);
    await page.tell({ ...CREATE, body: null, state: 'sending', attempts: 1 });
    await page.tell(done(CREATE, page.at(10), 7));
    for (const each of asked.slice(1)) each.reply([CREATE]);
    await flush();
    await flush();
    void query.refresh();
    await page.list([...ROWS, { id: 7, title: 'Dusk' }], 20);
    expect(titles(query)).toEqual(['Dawn', 'Noon', 'Dusk']);
  });

  // An attempt is known to be under way; the older list says that the write is queued: an answer that contains it shows it twice.
  test('does not say that nothing is under way', async () => {
    await page.list(ROWS, 0);
    await page.tell({ ...CREATE, state: 'sending', attempts: 1 });
    asked[0]?.reply([CREATE]);
    await flush();
    void query.refresh();
    await page.list([...ROWS, { id: 7, title: 'Dusk' }], 5);
    expect(titles(query)).toEqual(['Dawn', 'Noon', 'Dusk']);
  });
});

describe('users', () => {
  // "Writes belong to the user for whom they were queued ... and are sent when their user is back": from then on every list shows them.
  test('what waits for a user is shown when that user is back', async () => {
    await page.list(ROWS, 0);
    asked[0]?.reply([]);
    await flush();
    // Something of Anna's waits as well.
    await page.host.life.deliver({ kind: 'outbox', counts: { waiting: 1, due: 1 } });
    await flush();
    for (const each of asked.slice(1)) each.reply([]);
    await flush();
    const before = asked.length;
    // Anna signs out and in again.
    await page.host.life.deliver({ kind: 'identity', identity: { name: null, isSignedIn: false, epoch: 3 } });
    await flush();
    await page.host.life.deliver({
      kind: 'identity',
      identity: { name: 'anna', isSignedIn: true, epoch: 4 },
    });
    await flush();
    await page.list(ROWS, 1);
    await page.host.life.deliver({ kind: 'outbox', counts: { waiting: 1, due: 1 } });
    await flush();
    for (const each of asked.slice(before)) each.reply([CREATE]);
    await flush();
    expect(titles(query)).toEqual(['Dawn', 'Noon', 'Dusk']);
  });
});

describe('a list that fails', () => {
  test('is asked for again', async () => {
    await page.list(ROWS, 0);
    page.host.life.replyTo = (command) => {
      if (command.kind !== 'list-outbox') return { kind: 'done' };
      return { kind: 'outbox-page', page: { entries: [CREATE], next: null } };
    };
    await page.host.life.deliver({ kind: 'outbox', counts: { waiting: 1, due: 1 } });
    // It never answers the first one.
    await vi.advanceTimersByTimeAsync(60_000);
    await flush();
    await vi.advanceTimersByTimeAsync(60_000);
    await flush();
    expect(titles(query)).toEqual(['Dawn', 'Noon', 'Dusk']);
  });
});
