import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer } from './server.ts';
import type { RunningServer } from './server.ts';
import { Visitor } from './visitor.fixture.ts';

let server: RunningServer;
let mira: Visitor;

beforeAll(async () => {
  server = await startServer({ port: 0, database: 'memory' });
  mira = await Visitor.signedIn(server.url, 'mira');
});

afterAll(async () => {
  await server.close();
});

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  mira.get(path, headers);

const write = (method: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
  mira.write(method, path, body, headers);

async function create(title: string): Promise<{ id: number; version: number }> {
  return read(await write('POST', '/api/photos', { title }));
}

test('a connection is kept while its client rests', async () => {
  expect((await get('/api/photos?size=1')).headers.get('Keep-Alive')).toBe('timeout=75');
});

describe('the collection', () => {
  test('starts with a wall of pictures, newest first, and pages through them', async () => {
    const first = await read<Listed>(await get('/api/photos?size=5'));
    const second = await read<Listed>(await get('/api/photos?size=5&page=2'));
    expect(first.total).toBeGreaterThanOrEqual(24);
    const ids = [...first.items, ...second.items].map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => b - a));
    expect(ids).toHaveLength(10);
  });

  test('finds by title or description, and takes signs of a pattern for what they are', async () => {
    const found = await read<Listed>(await get('/api/photos?q=PIER'));
    expect(found.items.map(({ title }) => title)).toEqual(['Nobody on the Pier']);
    const none = await read<Listed>(await get('/api/photos?q=%25_'));
    expect(none.items).toEqual([]);
  });

  test('takes a form as well as JSON, changes and deletes', async () => {
    const made = await mira.send('/api/photos', {
      method: 'POST',
      body: new URLSearchParams({ title: 'A form', palette: 'dusk', seed: '12' }),
    });
    expect(made.status).toBe(201);
    const path = made.headers.get('Location') ?? '';
    expect(await (await get(path)).json()).toMatchObject({ title: 'A form', seed: 12, version: 1 });

    const changed = await write('PUT', path, { title: 'Another' });
    expect(await changed.json()).toMatchObject({ title: 'Another', palette: 'dusk', seed: 12, version: 2 });

    expect((await mira.send(path, { method: 'DELETE' })).status).toBe(204);
    expect((await get(path)).status).toBe(404);
  });

  test('refuses a change of a version that is no longer there', async () => {
    const { id } = await create('Contested');
    const ETag = (await get(`/api/photos/${id}`)).headers.get('ETag') ?? '';
    const mine = await write('PUT', `/api/photos/${id}`, { title: 'Mine' }, { 'If-Match': ETag });
    const yours = await write('PUT', `/api/photos/${id}`, { title: 'Yours' }, { 'If-Match': ETag });
    expect([mine.status, yours.status]).toEqual([200, 412]);
    expect(await (await get(`/api/photos/${id}/small`)).json()).toMatchObject({ title: 'Mine' });
  });

  test('answers 304 until something changes', async () => {
    const ETag = (await get('/api/photos')).headers.get('ETag') ?? '';
    expect((await get('/api/photos', { 'If-None-Match': ETag })).status).toBe(304);
    await create('Something new');
    expect((await get('/api/photos', { 'If-None-Match': ETag })).status).toBe(200);
  });

  test('draws the same picture every time', async () => {
    const { id } = await create('Drawn');
    const picture = await get(`/api/photos/${id}/large.svg?v=1`);
    expect(picture.headers.get('Content-Type')).toBe('image/svg+xml');
    expect(await picture.text()).toBe(await (await get(`/api/photos/${id}/large.svg`)).text());
    const preview = await get('/api/preview.svg?palette=dawn&seed=1');
    expect(preview.headers.get('Cache-Control')).toContain('immutable');
  });
});

describe('changes', () => {
  test('a held request is answered as soon as the database tells of a change', async () => {
    const held = get('/api/photos/changes?size=1');
    await waiting(1);
    const { id } = await create('Woken');
    const answer = await read<Listed & { changed: unknown }>(await held);
    expect(answer.items[0]?.id).toBe(id);
    expect(answer.changed).toEqual({ created: [id], updated: [], deleted: [] });
  });

  test('an asker who missed something is answered at once', async () => {
    const { cursor } = await read<Listed>(await get('/api/photos'));
    const { id } = await create('Missed');
    const answer = await read<Listed>(await get(`/api/photos/changes?since=${cursor}`));
    expect(answer.items[0]?.id).toBe(id);
  });

  test('the ETag of a list is a cursor too', async () => {
    const ETag = (await get('/api/photos')).headers.get('ETag') ?? '';
    const held = get('/api/photos/changes', { 'If-None-Match': ETag });
    await waiting(1);
    await create('By ETag');
    expect((await held).status).toBe(200);
    expect((await get('/api/photos/changes', { 'If-None-Match': ETag })).status).toBe(200);
    expect((await get('/api/photos/changes', { 'If-None-Match': '"of-another-database"' })).status).toBe(200);
    const latest = (await get('/api/photos')).headers.get('ETag') ?? '';
    const begun = await get('/api/photos/changes?since=0&wait=0', { 'If-None-Match': latest });
    expect(begun.status).toBe(304);
  });

  test('nothing new within the wait is 204, and 304 to an asker with an ETag', async () => {
    expect((await get('/api/photos/changes?wait=0')).status).toBe(204);
    const ETag = (await get('/api/photos')).headers.get('ETag') ?? '';
    const headers = { 'If-None-Match': ETag, Prefer: 'respond-async, wait=0' };
    expect((await get('/api/photos/changes', headers)).status).toBe(304);
  });

  test('a client that is gone is not waited for', async () => {
    const client = new AbortController();
    const held = mira.send('/api/photos/changes', { signal: client.signal }).catch(() => 'gone');
    await waiting(1);
    client.abort();
    expect(await held).toBe('gone');
    await waiting(0);
  });
});

describe('the feed of changes', () => {
  test('begins with the latest, and goes on from the place that an answer names', async () => {
    const { id } = await create('First seen');
    await write('PUT', `/api/photos/${id}`, { title: 'Seen again' });
    const begun = await read<News>(await get('/api/changes'));
    expect(begun.changes.slice(-2)).toMatchObject([
      { kind: 'created', id, title: 'First seen' },
      { kind: 'updated', id, title: 'Seen again' },
    ]);
    expect(begun.changes.length).toBeLessThanOrEqual(50);
    expect(begun.last).toBe(`${begun.origin}-${begun.changes.at(-1)?.n}`);

    await mira.send(`/api/photos/${id}`, { method: 'DELETE' });
    const missed = await read<News>(await get(`/api/changes?since=${begun.last}`));
    expect(missed.changes).toMatchObject([{ kind: 'deleted', id, title: 'Seen again' }]);
    expect(Date.parse(missed.changes[0]?.at ?? '')).toBeGreaterThan(Date.now() - 60_000);
  });

  test('a request that has heard of everything is held until there is a change', async () => {
    const { last } = await read<News>(await get('/api/changes'));
    const held = get(`/api/changes?since=${last}`, { Prefer: 'wait=25' });
    await waiting(1);
    const { id } = await create('Told');
    const { changes, last: next } = await read<News>(await held);
    expect(changes).toMatchObject([{ kind: 'created', id, title: 'Told' }]);
    expect(next).not.toBe(last);
  });

  test('nothing new within the time that the request prefers is 204', async () => {
    const { last } = await read<News>(await get('/api/changes'));
    const startedAt = performance.now();
    const answer = await get(`/api/changes?since=${last}`, { Prefer: 'wait=1' });
    expect([answer.status, answer.headers.get('Cache-Control')]).toEqual([204, 'no-store']);
    expect(performance.now() - startedAt).toBeGreaterThan(900);
  });

  test('a place that is not in the log is gone, and what is no place is refused', async () => {
    const { origin, last } = await read<News>(await get('/api/changes'));
    const statusOf = async (place: string) => (await get(`/api/changes?wait=0&since=${place}`)).status;
    expect(await statusOf(last.replace(origin, 'another'))).toBe(410);
    expect(await statusOf(`${origin}-999999`)).toBe(410);
    expect(await statusOf('yesterday')).toBe(400);
  });
});

describe('trouble', () => {
  test('fails for all until it is reset, except where it is made', async () => {
    await write('POST', '/api/trouble', { failRate: 1, status: 502 });
    const failed = await get('/api/photos');
    expect(failed.status).toBe(502);
    expect(failed.headers.get('Content-Type')).toBe('application/problem+json');
    expect(await (await get('/api/trouble')).json()).toEqual({ delay: 0, failRate: 1, status: 502 });
    await fetch(`${server.url}/api/trouble`, { method: 'DELETE' });
    expect((await get('/api/photos')).status).toBe(200);
  });

  test('one request may ask for its own', async () => {
    const startedAt = performance.now();
    expect((await get('/api/stats?delay=60&fail=500')).status).toBe(500);
    expect(performance.now() - startedAt).toBeGreaterThan(50);
  });
});

interface Listed {
  readonly items: readonly { readonly id: number; readonly title: string }[];
  readonly total: number;
  readonly cursor: number;
}

interface News {
  readonly origin: string;
  readonly last: string;
  readonly changes: readonly {
    readonly n: number;
    readonly kind: string;
    readonly id: number;
    readonly title: string;
    readonly at: string;
  }[];
}

async function read<Body>(response: Response): Promise<Body> {
  return JSON.parse(await response.text());
}

/** Until so many requests are held. */
async function waiting(count: number): Promise<void> {
  await expect
    .poll(async () => (await get('/api/stats')).json(), { interval: 5 })
    .toMatchObject({ waiting: count });
}
