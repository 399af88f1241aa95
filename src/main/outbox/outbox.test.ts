import { leftOut } from '../../shared/outbox.ts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Resource } from '../resource/resource.ts';
import { flush } from '../session/host.fixture.ts';
import { DESCRIPTION, DONE, heardOf, QueueingPage, REFUSED } from './queueing-page.fixture.ts';
import { WRITE } from './write.fixture.ts';

let page: QueueingPage;

beforeEach(() => {
  page = new QueueingPage();
});

afterEach(() => {
  page.leave();
});

describe('a call of an action that queues', () => {
  test('says which write it is, of which resource and lane', async () => {
    page.photos().add({ album: 7 });
    await flush();
    expect(page.submitted.ticket).toEqual({
      entry: expect.stringMatching(/^[\da-f]{32}$/),
      key: expect.stringMatching(/^[\da-f]{32}$/),
      resource: 'photos',
      action: 'add',
      lane: '/albums',
    });
    const other = new Resource(
      { add: { ...DESCRIPTION.add, lane: ({ album }) => (album === 8 ? 'album 8' : 'others') } },
      { connection: page.connection, baseUrl: '/api' },
    );
    other.add({ album: 8 });
    await flush();
    expect(page.submitted.ticket).toMatchObject({
      resource: '/api add /albums/{album}/photos',
      lane: 'album 8',
    });
  });

  test('is handed in after those of its lane that were called before, though their files are still being read', async () => {
    const photos = page.photos();
    const form = new FormData();
    form.append('photo', new Blob(['Dusk']), 'dusk.jpg');
    photos.add({ album: 7 }, form);
    photos.add({ album: 7 }, 'title=Dawn');
    photos.add({ album: 8 }, new Blob(['Noon']));
    const aborted = photos.add({ album: 8 }, 'title=Night');
    photos.add({ album: 9 }, 'title=Rain');
    photos.abort(aborted);
    await vi.waitFor(() => expect(page.host.life.submitted).toHaveLength(4));
    photos.add({ album: 9 }, 'title=Snow');
    await flush();
    const bodies = page.host.life.submitted.map(({ invocation: { body } }) => body);
    const read = bodies.map((body) => ('text' in body ? body.text : body.kind));
    expect(read).toEqual(['bytes', 'title=Dawn', 'bytes', 'title=Rain', 'title=Snow']);
  });

  test('has its time, though the browser never reads its file: its lane goes on', async () => {
    const photos = page.photos();
    vi.spyOn(Response.prototype, 'arrayBuffer').mockReturnValueOnce(new Promise(() => {}));
    const result = photos.result(photos.invoke('add', { album: 7 }, new Blob(['Dusk']), { timeout: 2_000 }));
    const failed = result.catch((error: unknown) => error);
    photos.add({ album: 7 }, 'title=Dawn');
    await flush();
    expect(page.host.life.submitted).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await failed).toMatchObject({ failure: { code: 'timeout', timeout: 2_000 } });
    await flush();
    const sent = page.host.life.submitted.map(({ invocation: { body } }) => 'text' in body && body.text);
    expect(sent).toEqual(['title=Dawn']);
  });

  test('can be aborted while the browser reads its file: its lane goes on', async () => {
    const photos = page.photos();
    vi.spyOn(Response.prototype, 'arrayBuffer').mockReturnValueOnce(new Promise(() => {}));
    const aborted = photos.add({ album: 7 }, new Blob(['Dusk']));
    photos.add({ album: 7 }, 'title=Dawn');
    photos.abort(aborted);
    await flush();
    expect(page.host.life.submitted).toHaveLength(1);
  });

  test('is told as queued, which is its result, and later as done, with the same id', async () => {
    const photos = page.photos();
    const heard = heardOf(photos);
    const { id, write } = await page.queue(photos);
    const queued = { kind: 'queued', entry: expect.objectContaining({ id: write.entry, state: 'queued' }) };
    expect(await photos.result(id)).toEqual(queued);
    await page.tell({ ...write, ...DONE });
    await page.tell({ ...write, ...DONE });
    expect(heard).toEqual([
      ['addQueued', id, queued],
      ['queued', id, queued],
      ['addSuccess', id, { id: 9 }],
    ]);
    expect(await photos.result(id)).toEqual(queued);
  });

  test('is told as refused where somebody has to look at it, and as done once it is', async () => {
    const photos = page.photos();
    const { id, write } = await page.queue(photos);
    const heard = heardOf(photos);
    await page.tell({ ...write, state: 'sending' });
    await page.tell({ ...write, ...REFUSED });
    await page.tell({ ...write, ...DONE, attempts: 2 });
    expect(heard).toEqual([
      ['addError', id, 'http'],
      ['addSuccess', id, { id: 9 }],
    ]);
  });

  test('asks the next worker what has become of it where one has died', async () => {
    const photos = page.photos();
    const { id, write } = await page.queue(photos);
    const heard = heardOf(photos);
    page.host.revive();
    page.host.life.replyTo = ({ kind }) =>
      kind === 'list-outbox'
        ? { kind: 'outbox-page', page: { entries: [{ ...write, ...DONE }], next: null } }
        : { kind: 'done' };
    photos.add({ album: 8 });
    await flush();
    await flush();
    expect(page.host.life.told('list-outbox')).toMatchObject([{ entries: [write.entry] }]);
    expect(heard).toEqual([['addSuccess', id, { id: 9 }]]);
  });

  test('that is aborted before it is queued is discarded, by whichever worker has it', async () => {
    const photos = page.photos();
    const id = photos.add({ album: 7 });
    await flush();
    photos.abort(id);
    await flush();
    await expect(photos.result(id)).rejects.toMatchObject({ code: 'aborted' });
    expect(page.host.life.told('abort')).toMatchObject([{ ids: [id] }]);
    expect(page.host.life.told('decide')).toMatchObject([
      { entry: page.submitted.ticket?.entry, decision: { kind: 'discard' } },
    ]);
  });

  test('is not given up while its worker takes its time', async () => {
    const photos = page.photos();
    const id = photos.add({ album: 7 });
    await flush();
    let isOver = false;
    photos.result(id).then(
      () => (isOver = true),
      () => (isOver = true),
    );
    await vi.advanceTimersByTimeAsync(120_000);
    expect(isOver).toBe(false);
  });

  test.each<[string, () => unknown, string]>([
    [
      'secret headers',
      () => page.photos().add({ album: 7 }, null, { headers: { Authorization: 'x' } }),
      'connection.credentials',
    ],
    [
      'a lane that is no text',
      () => {
        const wrong: unknown = { ...DESCRIPTION.add, lane: () => 7 };
        new Resource({ add: Object(wrong) }, { connection: page.connection }).add?.();
      },
      "The lane of 'add' must be a text",
    ],
    [
      'a method that changes nothing',
      () => new Resource({ get: { method: 'GET', url: '/', offline: 'queue' } }),
      "'get' cannot be queued: GET changes nothing",
    ],
  ])('throws with %s', (_name, call, message) => {
    expect(call).toThrow(message);
  });
});

describe('the outbox of a connection', () => {
  test('tells each end once, and how many wait', async () => {
    const { outbox } = page.connection;
    await page.connection.ready;
    const heard: unknown[] = [];
    for (const type of ['done', 'review', 'conflict'] as const)
      outbox.addEventListener(type, ({ entry, response, status }) =>
        heard.push([type, entry.id, status, response]),
      );
    let changes = 0;
    outbox.addEventListener('change', () => (changes += 1));
    await page.host.life.deliver({ kind: 'outbox', counts: { waiting: 2, due: 1 } });
    await flush();
    expect([outbox.count, changes]).toEqual([2, 1]);
    for (let times = 0; times < 2; times += 1) await page.tell({ ...WRITE, ...DONE });
    const failure = { code: 'http', message: 'no', status: 409, body: null } as const;
    const answer = { status: 409, headers: [], body: { kind: 'value', value: { title: 'Dawn' } } } as const;
    for (let times = 0; times < 2; times += 1)
      await page.tell({ ...WRITE, entry: 'entry-2', state: 'conflict', failure, answer });
    expect(heard).toEqual([
      ['done', 'entry-1', 201, { id: 9 }],
      ['conflict', 'entry-2', 409, { title: 'Dawn' }],
    ]);
  });

  test('replaces no version that was not kept until it is told', async () => {
    const { outbox } = page.connection;
    await page.connection.ready;
    const refusals: unknown[] = [];
    outbox.addEventListener('conflict', (event) => {
      event.replace({ title: 'Dawn' }).catch((error: unknown) => refusals.push(error));
    });
    const answer = { status: 412, headers: [], body: leftOut(70_000) };
    await page.tell({ ...WRITE, state: 'conflict', answer });
    expect(refusals).toMatchObject([
      { failure: { code: 'outbox', message: expect.stringContaining('was not kept') } },
    ]);
    expect(page.host.life.told('decide')).toEqual([]);
  });

  test('replaces a version that is null, whatever white space it came with', async () => {
    const { outbox } = page.connection;
    await page.connection.ready;
    page.keep([]);
    const replaced: Promise<void>[] = [];
    outbox.addEventListener('conflict', (event) => replaced.push(event.replace({ title: 'Dawn' })));
    // What the worker makes of `null` and a line feed.
    const answer = { status: 409, headers: [], body: { kind: 'value', value: null, size: 5 } } as const;
    await page.tell({ ...WRITE, state: 'conflict', answer });
    await Promise.all(replaced);
    expect(page.host.life.told('decide')).toHaveLength(1);
  });

  test('replaces what was refused, though it is not known any more why', async () => {
    const { outbox } = page.connection;
    await page.connection.ready;
    page.keep([]);
    const replaced: Promise<void>[] = [];
    outbox.addEventListener('review', (event) => replaced.push(event.replace({ title: 'Dawn' })));
    await page.tell({ ...WRITE, ...REFUSED, answer: { status: 422, headers: [], body: leftOut(20) } });
    await Promise.all(replaced);
    expect(page.host.life.told('decide')).toHaveLength(1);
  });

  test('tells once what a server has named, before that it is done', async () => {
    const { outbox } = page.connection;
    await page.connection.ready;
    const heard: unknown[] = [];
    for (const type of ['done', 'renamed'] as const)
      outbox.addEventListener(type, ({ entry, temporaryId, id }) =>
        heard.push([type, entry.id, temporaryId, id]),
      );
    const named = { ...WRITE, ...DONE, temporaryId: 'temporary-1', givenId: 9 };
    for (let times = 0; times < 2; times += 1) await page.tell(named);
    expect(heard).toEqual([
      ['renamed', 'entry-1', 'temporary-1', 9],
      ['done', 'entry-1', 'temporary-1', 9],
    ]);
  });

  test('shows what waits as data, and as text without secrets', async () => {
    page.host.life.replyTo = () => ({ kind: 'outbox-page', page: { entries: [WRITE], next: null } });
    const [entry] = await page.connection.outbox.list();
    expect(entry).toEqual({
      id: 'entry-1',
      resource: 'photos',
      action: 'create',
      params: { album: '7' },
      data: { title: 'Dusk' },
      state: 'queued',
      attempts: 0,
      failure: null,
      queuedAt: 1_000,
      lane: '/photos',
      key: 'key-1',
      temporaryId: null,
    });
    expect(JSON.parse(await page.connection.outbox.export())).toEqual([entry]);
  });
});
