import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { WriteReport } from '../shared/outbox.ts';
import { WRITE } from './outbox/write.fixture.ts';
import { FakePage } from './page.fixture.ts';
import type { RestEvent } from './resource/event.ts';
import { Resource } from './resource/resource.ts';
import { flush } from './session/host.fixture.ts';
import { LIMITS } from '../shared/limits.ts';

let page: FakePage;

beforeEach(() => {
  page = new FakePage();
});

afterEach(() => {
  page.leave();
});

function waits(write: Partial<WriteReport>): void {
  page.host.life.replyTo = ({ kind }) =>
    kind === 'decide'
      ? { kind: 'decided', as: 'decided' }
      : { kind: 'outbox-page', page: { entries: [{ ...WRITE, ...write }], next: null } };
}

/** The Content-Type that goes with the body of the last edit. */
function edited(before: string): { readonly type: string; readonly text: string } {
  const decision = page.host.life.told('decide').at(-1)?.decision;
  if (decision?.kind !== 'edit' || !decision.body) throw new Error('No edit');
  const { body } = decision;
  const text = body.kind === 'bytes' ? new TextDecoder().decode(body.bytes) : body.kind === 'none' ? '' : body.text;
  return { type: decision.contentType ?? before, text };
}

describe('an edit', () => {
  test('of a form with files names the boundary of the new form', async () => {
    const before = 'multipart/form-data; boundary=----old';
    waits({ headers: [['Content-Type', before]], body: null });
    const form = new FormData();
    form.append('photo', new Blob(['new']), 'new.jpg');
    await page.connection.outbox.edit('entry-1', { data: form });
    const { type, text } = edited(before);
    const boundary = /boundary=(\S+)/.exec(type)?.[1] ?? '';
    expect(text.startsWith(`--${boundary}\r\n`)).toBe(true);
  });

  test('of a Blob names the type of the new one', async () => {
    waits({ headers: [['Content-Type', 'image/png']], body: null });
    await page.connection.outbox.edit('entry-1', { data: new Blob(['new'], { type: 'image/jpeg' }) });
    expect(edited('image/png').type).toBe('image/jpeg');
  });

  test('from a form with files to fields is sent as fields', async () => {
    const before = 'multipart/form-data; boundary=----old';
    waits({ headers: [['Content-Type', before]], body: null });
    await page.connection.outbox.edit('entry-1', { data: { title: 'Dawn' } });
    expect(edited(before)).toEqual({ type: 'application/x-www-form-urlencoded', text: 'title=Dawn' });
  });
});

describe('the end of a queued call', () => {
  test('a DELETE that finds nothing the second time has no response, as that of a plain call', async () => {
    const photos = new Resource(
      { del: { method: 'DELETE', url: '/photos/{id}', offline: 'queue' } },
      { connection: page.connection, name: 'photos' },
    );
    const heard: unknown[] = [];
    photos.addListener('delSuccess', ({ response, isEmpty }: RestEvent) => heard.push([response, isEmpty]));
    const id = photos.del({ id: 7 });
    await flush();
    const write = { ...WRITE, ...page.host.life.submitted.at(-1)?.ticket };
    await page.host.life.deliver({ kind: 'queued', id, write });
    await flush();
    const answer = { status: 404, headers: [], body: { kind: 'value', value: { error: 'not found' }, size: 21 } } as const;
    await page.host.life.deliver({ kind: 'write', write: { ...write, state: 'done', attempts: 2, answer } });
    await flush();
    expect(heard).toEqual([[null, true]]);
  });

  test('names the URL that was asked, as that of a plain call', async () => {
    const photos = new Resource(
      { put: { method: 'PUT', url: '/photos/{id}', offline: 'queue' } },
      { connection: page.connection, name: 'photos' },
    );
    const heard: string[] = [];
    photos.addListener('putSuccess', ({ request }: RestEvent) => heard.push(request.url));
    const id = photos.put({ id: 7 });
    await flush();
    const write = { ...WRITE, ...page.host.life.submitted.at(-1)?.ticket };
    await page.host.life.deliver({ kind: 'queued', id, write });
    const answer = { status: 204, headers: [], body: { kind: 'value', value: null, size: 0 } } as const;
    await page.host.life.deliver({ kind: 'write', write: { ...write, state: 'done', attempts: 1, answer } });
    await flush();
    expect(heard).toEqual(['https://page.example/photos/7']);
  });

  test('(holds) an abort is told to the worker', async () => {
    const photos = new Resource(
      { add: { method: 'POST', url: '/photos', offline: 'queue' } },
      { connection: page.connection, name: 'photos' },
    );
    const id = photos.add();
    await flush();
    photos.abort(id);
    await flush();
    expect(page.host.life.told('abort')).toMatchObject([{ ids: [id] }]);
  });
});

test('the name of a resource that is too long is cut', async () => {
  const photos = new Resource(
    { add: { method: 'POST', url: '/photos', offline: 'queue' } },
    { connection: page.connection, name: 'x'.repeat(LIMITS.outboxName + 1) },
  );
  photos.add();
  await flush();
  expect(page.host.life.submitted.at(-1)?.ticket?.resource.length).toBe(LIMITS.outboxName);
});

test('a page that has not said for whom it is tells nothing of the writes of the user before', async () => {
  page.host.life.identity = { name: null, epoch: 2, isSignedIn: true };
  const heard: unknown[] = [];
  const { outbox } = page.connection;
  outbox.addEventListener('review', (event) => heard.push(Object(event).entry.data));
  const photos = new Resource({ get: { method: 'GET', url: '/photos' } }, { connection: page.connection });
  photos.get();
  await flush();
  const failure = { code: 'http', message: 'no', status: 422, body: null } as const;
  await page.host.life.deliver({ kind: 'outbox', counts: { waiting: 1, due: 0 } });
  await page.host.life.deliver({ kind: 'write', write: { ...WRITE, state: 'review', failure } });
  await flush();
  // Its calls wait for `signIn` meanwhile.
  expect(page.host.life.submitted).toEqual([]);
  expect([heard, outbox.count]).toEqual([[], 0]);
});

describe('the first example of the guide', () => {
  test('keeps the order of all writes to `/photos` and below', async () => {
    const photos = new Resource(
      {
        create: { method: 'POST', url: '/photos', offline: 'queue' },
        rename: { method: 'PUT', url: '/photos/{id}', offline: 'queue' },
      },
      { connection: page.connection, name: 'photos' },
    );
    photos.create(null, { title: 'Dusk' });
    photos.rename({ id: 7 }, { title: 'Dawn' });
    await flush();
    const [one, other] = page.host.life.submitted.map(({ ticket }) => ticket?.lane);
    expect(one).toBe(other);
  });
});

describe('the events of a call', () => {
  test('that was done before the worker died are told where the next one tells `done` before `queued`', async () => {
    const photos = new Resource(
      { add: { method: 'POST', url: '/photos', offline: 'queue' } },
      { connection: page.connection, name: 'photos' },
    );
    const heard: string[] = [];
    for (const type of ['addQueued', 'addSuccess', 'addError'] as const) photos.addListener(type, () => heard.push(type));
    const id = photos.add();
    await flush();
    const answer = { status: 201, headers: [], body: { kind: 'value', value: { id: 9 } } } as const;
    const write: WriteReport = { ...WRITE, ...page.host.life.submitted.at(-1)?.ticket, state: 'done', attempts: 1, answer };
    page.host.revive();
    photos.add();
    await flush();
    await flush();
    // The new life tells what is done as it begins (drainer.ts, #revive), and then takes the call that comes again.
    await page.host.life.deliver({ kind: 'write', write });
    await page.host.life.deliver({ kind: 'queued', id, write });
    await flush();
    expect(heard).toEqual(['addQueued', 'addSuccess']);
  });
});
