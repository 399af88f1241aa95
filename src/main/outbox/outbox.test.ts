import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { WriteReport } from '../../shared/outbox.ts';
import type { Submission } from '../../shared/protocol.ts';
import { FakePage } from '../page.fixture.ts';
import type { RestEvent } from '../resource/event.ts';
import { Resource } from '../resource/resource.ts';
import type { ResourceOf } from '../resource/resource.ts';
import { flush } from '../session/host.fixture.ts';
import { WRITE } from './write.fixture.ts';

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

function make(): ResourceOf<typeof DESCRIPTION> {
  return new Resource(DESCRIPTION, { connection: page.connection, name: 'photos' });
}

/** The events of a resource, in order. */
function heardOf(photos: ResourceOf<typeof DESCRIPTION>): unknown[] {
  const heard: unknown[] = [];
  const note = ({ type, id, response, error }: RestEvent): unknown =>
    heard.push([type, id, error ? error.code : response]);
  for (const type of ['addQueued', 'queued', 'addSuccess', 'addError'] as const)
    photos.addListener(type, note);
  return heard;
}

/** Calls the action, and has it queued as the worker does. */
async function queue(photos: ResourceOf<typeof DESCRIPTION>): Promise<{ id: number; write: WriteReport }> {
  const id = photos.add({ album: 7 }, 'title=Dusk');
  await flush();
  const write = { ...WRITE, ...submitted().ticket };
  await page.host.life.deliver({ kind: 'queued', id, write });
  await flush();
  return { id, write };
}

function submitted(): Submission {
  const submission = page.host.life.submitted.at(-1);
  if (!submission) throw new Error('Nothing was submitted');
  return submission;
}

async function tell(write: WriteReport): Promise<void> {
  await page.host.life.deliver({ kind: 'write', write });
  await flush();
}

describe('a call of an action that queues', () => {
  test('says which write it is, of which resource and lane', async () => {
    make().add({ album: 7 });
    await flush();
    expect(submitted().ticket).toEqual({
      entry: expect.stringMatching(/^[\da-f]{32}$/),
      key: expect.stringMatching(/^[\da-f]{32}$/),
      resource: 'photos',
      action: 'add',
      lane: '/albums/',
    });
    const other = new Resource(
      { add: { ...DESCRIPTION.add, lane: ({ album }) => (album === 8 ? 'album 8' : 'others') } },
      { connection: page.connection, baseUrl: '/api' },
    );
    other.add({ album: 8 });
    await flush();
    expect(submitted().ticket).toMatchObject({ resource: '/api add', lane: 'album 8' });
  });

  test('is told as queued, which is its result, and later as done, with the same id', async () => {
    const photos = make();
    const heard = heardOf(photos);
    const { id, write } = await queue(photos);
    const queued = { kind: 'queued', entry: expect.objectContaining({ id: write.entry, state: 'queued' }) };
    expect(await photos.result(id)).toEqual(queued);
    await tell({ ...write, ...DONE });
    await tell({ ...write, ...DONE });
    expect(heard).toEqual([
      ['addQueued', id, queued],
      ['queued', id, queued],
      ['addSuccess', id, { id: 9 }],
    ]);
    expect(await photos.result(id)).toEqual(queued);
  });

  test('is told as refused where somebody has to look at it, and as done once it is', async () => {
    const photos = make();
    const { id, write } = await queue(photos);
    const heard = heardOf(photos);
    const failure = { code: 'http', message: 'no', status: 422, body: null } as const;
    await tell({ ...write, state: 'sending' });
    await tell({ ...write, state: 'review', attempts: 1, failure });
    await tell({ ...write, ...DONE, attempts: 2 });
    expect(heard).toEqual([
      ['addError', id, 'http'],
      ['addSuccess', id, { id: 9 }],
    ]);
  });

  test('asks the next worker what has become of it where one has died', async () => {
    const photos = make();
    const { id, write } = await queue(photos);
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
    const photos = make();
    const id = photos.add({ album: 7 });
    await flush();
    photos.abort(id);
    await flush();
    await expect(photos.result(id)).rejects.toMatchObject({ code: 'aborted' });
    expect(page.host.life.told('decide')).toMatchObject([
      { entry: submitted().ticket?.entry, decision: { kind: 'discard' } },
    ]);
  });

  test('is not given up while its worker takes its time', async () => {
    const photos = make();
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
      () => make().add({ album: 7 }, null, { headers: { Authorization: 'x' } }),
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
    for (let times = 0; times < 2; times += 1) await tell({ ...WRITE, ...DONE });
    const failure = { code: 'http', message: 'no', status: 409, body: null } as const;
    const answer = { status: 409, headers: [], body: { kind: 'value', value: { title: 'Dawn' } } } as const;
    for (let times = 0; times < 2; times += 1)
      await tell({ ...WRITE, entry: 'entry-2', state: 'conflict', failure, answer });
    expect(heard).toEqual([
      ['done', 'entry-1', 201, { id: 9 }],
      ['conflict', 'entry-2', 409, { title: 'Dawn' }],
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

  test('edits a write as its action would send it, and rejects where there is none, or it may be done', async () => {
    const { outbox } = page.connection;
    page.host.life.replyTo = ({ kind }) =>
      kind === 'decide'
        ? { kind: 'decided', as: 'decided' }
        : { kind: 'outbox-page', page: { entries: [WRITE], next: null } };
    await outbox.edit('entry-1', { params: { album: 8 }, data: { title: 'Dawn' } });
    expect(page.host.life.told('decide')).toMatchObject([
      {
        entry: 'entry-1',
        decision: {
          kind: 'edit',
          params: [['album', '8']],
          body: { kind: 'text', text: '{"title":"Dawn"}' },
          contentType: null,
        },
      },
    ]);
    page.host.life.replyTo = () => ({ kind: 'decided', as: 'absent' });
    await expect(outbox.retry('entry-3')).rejects.toMatchObject({ code: 'outbox' });
    page.host.life.replyTo = () => ({ kind: 'decided', as: 'sent' });
    await expect(outbox.edit('entry-1', { params: {} })).rejects.toThrow('may have write');
  });
});
