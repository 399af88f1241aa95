import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { WriteReport } from '../../shared/outbox.ts';
import type { RequestData } from '../resource/body.ts';
import { flush } from '../session/host.fixture.ts';
import type { OutboxEvent } from './outbox.ts';
import { QueueingPage } from './queueing-page.fixture.ts';
import { WRITE } from './write.fixture.ts';

let page: QueueingPage;

beforeEach(() => {
  page = new QueueingPage();
});

afterEach(() => {
  page.leave();
});

/** Edits a write of that Content-Type: the text and the type that it is sent with from then on. */
async function edited(before: string, data: RequestData): Promise<{ type: string; text: string }> {
  page.keep([{ ...WRITE, headers: [['Content-Type', before]], body: null }]);
  await page.connection.outbox.edit('entry-1', { data });
  const decision = page.host.life.told('decide').at(-1)?.decision;
  if (decision?.kind !== 'edit' || !decision.body) throw new Error('Nothing was edited');
  const { body } = decision;
  const text =
    body.kind === 'bytes' ? new TextDecoder().decode(body.bytes) : body.kind === 'none' ? '' : body.text;
  return { type: decision.contentType ?? before, text };
}

const FILES = 'multipart/form-data; boundary=----old';
const FIELDS = 'application/x-www-form-urlencoded';

describe('the Content-Type of an edit', () => {
  test.each<[string, string, RequestData, { type: string; text: string }]>([
    [
      'a Blob names its own',
      'image/png',
      new Blob(['new'], { type: 'image/jpeg' }),
      { type: 'image/jpeg', text: 'new' },
    ],
    ['a Blob without a type has none', 'application/json', new Blob(['new']), { type: '', text: 'new' }],
    [
      'search parameters name theirs',
      'application/json',
      new URLSearchParams({ title: 'Dawn' }),
      { type: `${FIELDS};charset=UTF-8`, text: 'title=Dawn' },
    ],
    [
      'JSON stays JSON',
      'application/json',
      { title: 'Dawn' },
      { type: 'application/json', text: '{"title":"Dawn"}' },
    ],
    ['a text keeps that of the write', 'text/csv', 'a;b', { type: 'text/csv', text: 'a;b' }],
    [
      'bytes keep that of the write',
      'image/png',
      new TextEncoder().encode('new'),
      { type: 'image/png', text: 'new' },
    ],
  ])('%s', async (_name, before, data, after) => {
    expect(await edited(before, data)).toEqual(after);
  });

  test('a form with files names its own boundary', async () => {
    const form = new FormData();
    form.append('photo', new Blob(['new']), 'new.jpg');
    const { type, text } = await edited(FILES, form);
    const boundary = /boundary=(\S+)/.exec(type)?.[1] ?? '';
    expect(text.startsWith(`--${boundary}\r\n`)).toBe(true);
  });

  test('fields in the place of a form with files are such a form, so that its data can be given with another title', async () => {
    const form = new FormData();
    form.append('title', 'Dusk');
    form.append('tag', 'a');
    form.append('photo', new File(['bytes'], 'dusk "1".png', { type: 'image/png' }));
    form.append('tag', 'b');
    const sent = new Response(form);
    const headers = [['Content-Type', sent.headers.get('Content-Type') ?? '']] as const;
    page.keep([{ ...WRITE, headers, body: { kind: 'bytes', bytes: await sent.arrayBuffer() } }]);
    const [entry] = await page.connection.outbox.list();
    if (!entry) throw new Error('Nothing waits');
    const data = { ...Object(entry.data), title: 'Dawn', note: null, at: new Date(0) };
    await page.connection.outbox.edit(entry, { data });
    const decision = page.host.life.told('decide').at(-1)?.decision;
    if (decision?.kind !== 'edit' || decision.body?.kind !== 'bytes') throw new Error('Nothing was edited');
    const type = decision.contentType ?? '';
    const fields = await new Response(decision.body.bytes, { headers: { 'Content-Type': type } }).formData();
    const photo = fields.get('photo');
    expect([...fields.keys()]).toEqual(['title', 'tag', 'tag', 'photo', 'at']);
    expect(fields.get('title')).toBe('Dawn');
    expect(fields.getAll('tag')).toEqual(['a', 'b']);
    expect(photo).toMatchObject({ name: 'dusk "1".png', type: 'image/png' });
    expect(photo instanceof File && (await photo.text())).toBe('bytes');
  });

  test('a value that no field can have is refused, and the error says what to do with a file', async () => {
    const file = new File(['bytes'], 'dusk.png');
    await expect(edited(FIELDS, { photo: file })).rejects.toThrow('For files, use FormData');
    await expect(edited(FILES, { album: { id: 7 } })).rejects.toThrow("Field 'album' of 'entry-1'");
  });
});

describe('an edit', () => {
  test('is sent as its action would send it, and rejects where there is none, or it may be done', async () => {
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

  test('of an entry says what had been decided about it by then, and is refused where that has changed', async () => {
    page.keep([{ ...WRITE, version: 2 }]);
    const { outbox } = page.connection;
    const [entry] = await outbox.list();
    if (!entry) throw new Error('Nothing waits');
    await outbox.edit(entry, { params: { album: 8 } });
    await outbox.edit(entry.id, { params: { album: 8 } });
    const decisions = page.host.life.told('decide').map(({ decision }) => decision);
    expect(decisions.map((each) => 'version' in each && each.version)).toEqual([2, false]);
    page.host.life.replyTo = () => ({ kind: 'decided', as: 'changed' });
    await expect(outbox.edit(entry, { params: { album: 9 } })).rejects.toMatchObject({ code: 'outbox' });
  });

  test('of a conflict goes by what its event has seen, and so does a discard', async () => {
    const { outbox } = page.connection;
    await page.connection.ready;
    page.keep([WRITE]);
    const events: OutboxEvent[] = [];
    outbox.addEventListener('conflict', (event) => events.push(event));
    const conflict = { ...WRITE, state: 'conflict', answer: null } as const;
    await page.tell({ ...conflict, attempts: 1 });
    // Another tab has tried it again.
    await page.tell({ ...conflict, attempts: 2, version: 1 });
    for (const event of events) await event.replace('merged');
    for (const event of events) await event.discard();
    await outbox.discard('entry-1');
    const decisions = page.host.life.told('decide').map(({ decision }) => decision);
    expect(decisions.map((each) => 'version' in each && each.version)).toEqual([0, 1, 0, 1, false]);
    page.host.life.replyTo = () => ({ kind: 'decided', as: 'changed' });
    await expect(events[0]?.discard()).rejects.toMatchObject({ code: 'outbox' });
  });

  test('of an entry says whether that was a conflict: a form of before shows nothing of the version of its server', async () => {
    const { outbox } = page.connection;
    page.keep([WRITE, { ...WRITE, entry: 'entry-2', state: 'conflict' }]);
    for (const entry of await outbox.list()) await outbox.edit(entry, { params: { album: 8 } });
    await outbox.edit('entry-2', { params: { album: 8 } });
    const decisions = page.host.life.told('decide').map(({ decision }) => decision);
    expect(decisions.map((each) => 'isOfConflict' in each && each.isOfConflict)).toEqual([
      false,
      true,
      false,
    ]);
    expect(decisions[2]).not.toHaveProperty('isOfConflict');
  });

  test('asks for its own write alone, however many wait', async () => {
    page.keep([WRITE]);
    await page.connection.outbox.edit('entry-1', { data: { title: 'Dawn' } });
    expect(page.host.life.told('list-outbox')).toMatchObject([{ after: null, entries: ['entry-1'] }]);
  });

  test('that a worker has made before it died is told as made, though its write is under way by then', async () => {
    await page.connection.ready;
    page.host.life.replyTo = () => new Promise<never>(() => {});
    const editing = page.connection.outbox.edit('entry-1', { params: { album: 8 } });
    await flush();
    const { decision } = page.host.life.told('decide')[0] ?? {};
    if (decision?.kind !== 'edit') throw new Error('Nothing was edited');
    const write: WriteReport = { ...WRITE, key: decision.key, state: 'sending', attempts: 1 };
    page.host.revive();
    page.host.life.replyTo = ({ kind }) =>
      kind === 'decide'
        ? { kind: 'decided', as: 'sent' }
        : { kind: 'outbox-page', page: { entries: [write], next: null } };
    await page.findNextWorker(page.photos());
    await expect(editing).resolves.toBeUndefined();
  });
});
