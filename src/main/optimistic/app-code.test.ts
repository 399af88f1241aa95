import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Query } from '../queries/query.ts';
import { Resource } from '../resource/resource.ts';
import type { RestResource } from '../resource/rest-resource.ts';
import { flush } from '../session/host.fixture.ts';
import { answered } from '../session/invocation.fixture.ts';
import { RestStore } from '../store/rest-store.ts';
import { WRITE } from '../outbox/write.fixture.ts';
import { done, OptimisticPage, titles } from './optimistic-page.fixture.ts';
import { appendRow } from './rows.ts';

const ROWS = [
  { id: 1, title: 'Dawn', author: { name: 'Ann' } },
  { id: 2, title: 'Noon', author: { name: 'Bo' } },
];

let page: OptimisticPage;
let query: Query;
let uncaught: unknown[];
const note = (error: unknown): void => void uncaught.push(error);

beforeEach(async () => {
  page = new OptimisticPage();
  uncaught = [];
  process.on('uncaughtException', note);
  process.on('unhandledRejection', note);
  query = page.resource.query('list', {});
  query.subscribe(() => {});
  await page.list(ROWS, 0);
});

afterEach(async () => {
  await flush();
  process.off('uncaughtException', note);
  process.off('unhandledRejection', note);
  page.leave();
});

/** An app that counts on members that the server makes, and the user does not send. */
const DELEGATE = {
  manipulateData: (rows: unknown): unknown =>
    Array.isArray(rows) ? rows.map((row: (typeof ROWS)[number]) => row.author.name) : rows,
};

describe('a delegate that throws at a row without what only the server knows', () => {
  test('does not keep a write from being queued', async () => {
    const store = new RestStore(page.resource, 'list', DELEGATE);
    await page.answer(page.resource.list(), answered(ROWS, { asOf: page.at(1) }));
    expect(store.model).toEqual(['Ann', 'Bo']);
    let thrown: unknown = null;
    try {
      page.resource.create(null, { title: 'Dusk' });
    } catch (error) {
      thrown = error;
    }
    await flush();
    const sent = page.host.life.submitted.map(({ invocation }) => invocation.method);
    expect({ thrown, sent }).toEqual({ thrown: null, sent: ['GET', 'GET', 'POST'] });
  });

  test('does not keep one from being queued whose body has to be read first', async () => {
    const store = new RestStore(page.resource, 'list', DELEGATE);
    await page.answer(page.resource.list(), answered(ROWS, { asOf: page.at(1) }));
    expect(store.model).toEqual(['Ann', 'Bo']);
    page.resource.create(null, new Blob(['{"title":"Dusk"}'], { type: 'application/json' }));
    for (let turn = 0; turn < 20; turn += 1) await flush();
    const sent = page.host.life.submitted.map(({ invocation }) => invocation.method);
    expect(sent).toEqual(['GET', 'GET', 'POST']);
  });

  test('does not hold the answers of other lists for ever, where the call is a plain one', async () => {
    const store = new RestStore(page.resource, 'list', {
      manipulateData: (rows: unknown): unknown => {
        if (JSON.stringify(rows).includes('bad')) throw new TypeError('mine');
        return rows;
      },
    });
    await page.answer(page.resource.list(), answered(ROWS, { asOf: page.at(1) }));
    expect(store.model).toEqual(ROWS);
    try {
      page.resource.like({ id: 1 }, { title: 'bad' });
    } catch {
      // The app's own error.
    }
    await vi.advanceTimersByTimeAsync(600_000);
    for (let second = 700; second < 705; second += 1) {
      void query.refresh();
      await page.list([...ROWS, { id: 3, title: 'Night' }], second);
    }
    expect(titles(query)).toContain('Night');
  });

  test('does not keep events and other lists from hearing of a write of another tab', async () => {
    const store = new RestStore(page.resource, 'list', DELEGATE);
    await page.answer(page.resource.list(), answered(ROWS, { asOf: page.at(1) }));
    expect(store.model).toEqual(['Ann', 'Bo']);
    const later = page.open().query('list', { page: 2 });
    later.subscribe(() => {});
    await page.list(ROWS, 1);
    const heard: string[] = [];
    for (const type of ['conflict', 'done'] as const)
      page.connection.outbox.addEventListener(type, () => heard.push(type));
    // Another tab's, which has no such store.
    const other = { ...WRITE, isShown: true, entry: 'of-another-tab', place: 9 };
    await page.tell(other).catch(note);
    await page.tell({ ...other, state: 'conflict', attempts: 1 }).catch(note);
    expect(heard).toEqual(['conflict']);
  });
});

describe('a resource that was disposed, whose query is still shown', () => {
  test('does not keep the outbox from telling what is done, nor other lists from showing it', async () => {
    const other = page.open();
    const later = other.query('list', { page: 2 });
    later.subscribe(() => {});
    await page.list(ROWS, 1);
    const heard: string[] = [];
    page.connection.outbox.addEventListener('done', () => heard.push('done'));
    other.rename({ id: 1 }, { title: 'Morning' });
    const write = await page.last();
    await page.tell(write);
    // Whoever shows that query leaves it a moment later.
    page.resource.dispose();
    const asked = await page.asked();
    await page.tell(done(write, page.at(10))).catch(note);
    expect({ heard, asked: (await page.asked()) - asked }).toEqual({ heard: ['done'], asked: 1 });
  });

  test('does not cost other calls their answers, which come in the same message', async () => {
    const other = page.open();
    other.rename({ id: 1 }, { title: 'Morning' });
    const write = await page.last();
    await page.tell(write);
    const id = other.like({ id: 2 }, { title: 'Noon!' });
    await flush();
    page.resource.dispose();
    await page.host.life
      .deliver(
        { kind: 'write', write: done(write, page.at(10)) },
        { kind: 'settled', id, outcome: answered({ ok: true }, { asOf: page.at(20) }) },
      )
      .catch(note);
    await flush();
    const result = await Promise.race([other.result(id), flush().then(() => 'pending')]);
    expect(result).toEqual({ ok: true });
  });

  test('a callback of configureRequest that throws does not, either', async () => {
    const heard: string[] = [];
    page.connection.outbox.addEventListener('done', () => heard.push('done'));
    page.resource.rename({ id: 1 }, { title: 'Morning' });
    const write = await page.last();
    await page.tell(write);
    page.resource.configureRequest(() => {
      throw new Error('no token yet');
    }, 'list');
    await page.tell(done(write, page.at(10))).catch(note);
    expect(heard).toEqual(['done']);
  });
});

describe('actions that are mapped later', () => {
  test('where the first optimistic one comes after a query', async () => {
    const late: RestResource = new Resource(
      { list: { method: 'GET', url: '/photos' } },
      { connection: page.connection, name: 'late' },
    );
    const shown = late.query('list', {});
    shown.subscribe(() => {});
    await page.list(ROWS, 0);
    late.map('create', 'POST', '/photos', undefined, { offline: 'queue', optimistic: { list: appendRow } });
    late.invoke('create', null, { title: 'Dusk' });
    expect(titles(shown)).toEqual(['Dawn', 'Noon', 'Dusk']);
  });

  test('where a store of that action is there before', async () => {
    const late: RestResource = new Resource(
      { list: { method: 'GET', url: '/photos' } },
      { connection: page.connection, name: 'late' },
    );
    const store = new RestStore(late, 'list');
    await page.answer(late.invoke('list'), answered(ROWS, { asOf: page.at(0) }));
    late.map('create', 'POST', '/photos', undefined, { offline: 'queue', optimistic: { list: appendRow } });
    late.invoke('create', null, { title: 'Dusk' });
    expect(store.model).toHaveLength(3);
  });

  // A resource without a name is named by its actions: what was called before has another name from then on.
  test('do not take away what an unnamed resource shows', async () => {
    const unnamed = new Resource(
      {
        list: { method: 'GET', url: '/photos' },
        create: { method: 'POST', url: '/photos', offline: 'queue', optimistic: { list: appendRow } },
      },
      { connection: page.connection },
    );
    const shown = unnamed.query('list', {});
    shown.subscribe(() => {});
    await page.list(ROWS, 0);
    unnamed.create(null, { title: 'Dusk' });
    const write = await page.last();
    await page.tell(write);
    unnamed.map('like', 'POST', '/photos/{id}/likes');
    void shown.refresh();
    await page.list(ROWS, 5);
    // An attempt fails.
    await page.tell({ ...write, state: 'sending', body: null, attempts: 1 });
    await page.tell({ ...write, state: 'queued', body: null, attempts: 1 });
    void shown.refresh();
    await page.list(ROWS, 6);
    expect(titles(shown)).toEqual(['Dawn', 'Noon', 'Dusk']);
  });

  // "Every tab ... applies its own declaration of it to each waiting write, on every new base": the declaration of today.
  test('again change what waits, on the next answer', async () => {
    page.resource.rename({ id: 1 }, { title: 'Morning' });
    await page.tell(await page.last());
    page.resource.map('rename', 'PATCH', '/photos/{id}', undefined, {
      offline: 'queue',
      optimistic: {
        list: (rows) =>
          Array.isArray(rows) ? rows.map((row: object) => ({ ...row, title: 'Again' })) : rows,
      },
    });
    void query.refresh();
    await page.list([...ROWS], 5);
    expect(titles(query)).toEqual(['Again', 'Again']);
  });
});

describe('order', () => {
  test('a queued write that was called after a plain one stays over it once it is stored', async () => {
    page.resource.like({ id: 1 }, { title: 'A' });
    page.resource.rename({ id: 1 }, { title: 'B' });
    expect(titles(query)).toEqual(['B', 'Noon']);
    await page.tell(await page.last());
    expect(titles(query)).toEqual(['B', 'Noon']);
  });
});

describe('functions of the app', () => {
  // "From the call on, each query and store of `list` shows it": a server that answers 204 has an empty list.
  test('are shown over an answer without a body', async () => {
    const resource = new Resource(
      {
        list: { method: 'GET', url: '/empty' },
        create: {
          method: 'POST',
          url: '/empty',
          offline: 'queue',
          optimistic: {
            list: (rows: unknown, { data }) => [...(Array.isArray(rows) ? (rows as unknown[]) : []), data],
          },
        },
      },
      { connection: page.connection, name: 'empty' },
    );
    const shown = resource.query('list', {});
    shown.subscribe(() => {});
    await page.list([], 0, { answer: { status: 204, headers: [], body: { kind: 'value', value: null } } });
    resource.create(null, { title: 'Dusk' });
    expect(shown.snapshot.data).toMatchObject([{}]);
  });

  // "What it throws is reported as uncaught, and its write changes nothing"; control: what follows it is applied.
  test('one that throws leaves the others', async () => {
    page.resource.map('mark', 'PUT', '/photos/{id}', undefined, {
      offline: 'queue',
      optimistic: {
        list: () => {
          throw new Error('mine');
        },
      },
    });
    page.resource.invoke('mark', { id: 1 });
    page.resource.rename({ id: 1 }, { title: 'Morning' });
    await flush();
    expect(titles(query)).toEqual(['Morning', 'Noon']);
  });
});

describe("a query's `select` that throws at a row without what only the server knows", () => {
  test('is an error only as long as that row is shown', async () => {
    const names = page.resource.query('list', {}, { select: DELEGATE.manipulateData });
    names.subscribe(() => {});
    await page.list(ROWS, 1);
    page.resource.create(null, { title: 'Dusk' });
    expect([names.snapshot.data, names.snapshot.error?.code]).toEqual([['Ann', 'Bo'], 'schema']);
    await page.tell(await page.last({ state: 'review' }));
    expect([names.snapshot.data, names.snapshot.error]).toEqual([['Ann', 'Bo'], null]);
  });

  test('keeps the first answer back only as long as that row is shown', async () => {
    page.resource.create(null, { title: 'Dusk' });
    const write = await page.last();
    const names = page.resource.query('list', { page: 2 }, { select: DELEGATE.manipulateData });
    names.subscribe(() => {});
    await page.list(ROWS, 1);
    expect([names.snapshot.data, names.snapshot.error?.code]).toEqual([null, 'schema']);
    await page.tell({ ...write, state: 'review' });
    expect([names.snapshot.data, names.snapshot.error]).toEqual([['Ann', 'Bo'], null]);
  });
});

describe('a call that could not be queued', () => {
  // "Where nothing can be stored, ... the call is sent like any other", and what "comes while it is being sent waits until that is
  // known. ... nothing flickers".
  test('is not shown twice by an answer that comes while it is being sent', async () => {
    const id = page.resource.create(null, { title: 'Dusk' });
    await flush();
    await page.host.life.deliver({ kind: 'unqueued', id });
    await flush();
    void query.refresh();
    await page.list([...ROWS, { id: 7, title: 'Dusk' }], 5);
    expect(titles(query)).toEqual(['Dawn', 'Noon', 'Dusk']);
    await page.answer(id, answered({ id: 7 }, { asOf: page.at(6) }));
  });

  // "whose `id` is the temporary id, and the server's as soon as it is known": by its answer, of a plain call.
  test('has the id of its answer afterwards', async () => {
    const id = page.resource.create(null, { title: 'Dusk' });
    await flush();
    await page.host.life.deliver({ kind: 'unqueued', id });
    await page.answer(id, answered({ id: 7 }, { asOf: page.at(6) }));
    expect(query.snapshot.data).toContainEqual({ id: 7, title: 'Dusk' });
  });
});

describe('an abort', () => {
  // "It is shown until an answer contains it": what was aborted is discarded, and not shown again meanwhile.
  test('of a call that is just being queued does not bring its row back', async () => {
    const id = page.resource.create(null, { title: 'Dusk' });
    const write = await page.last();
    page.resource.abort(id);
    expect(titles(query)).toEqual(['Dawn', 'Noon']);
    // It was on the disk already, and is discarded a moment later.
    await page.tell(write);
    expect(titles(query)).toEqual(['Dawn', 'Noon']);
    await page.tell({ ...write, state: 'discarded' });
    expect(titles(query)).toEqual(['Dawn', 'Noon']);
  });
});
