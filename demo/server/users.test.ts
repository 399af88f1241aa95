import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer } from './server.ts';
import type { RunningServer } from './server.ts';
import { Visitor } from './visitor.fixture.ts';

let server: RunningServer;
let mira: Visitor;
let jonas: Visitor;

beforeAll(async () => {
  server = await startServer({ port: 0, database: 'memory' });
  mira = await Visitor.signedIn(server.url, 'mira');
  jonas = await Visitor.signedIn(server.url, 'jonas');
});

afterAll(async () => {
  await server.close();
});

async function read<Body>(response: Response): Promise<Body> {
  return JSON.parse(await response.text());
}

interface Listed {
  readonly items: readonly { readonly id: number; readonly title: string; readonly version: number }[];
  readonly total: number;
}

const list = async (visitor: Visitor, query = ''): Promise<Listed> =>
  read<Listed>(await visitor.get(`/api/photos?size=200${query}`));

async function create(visitor: Visitor, title: string): Promise<number> {
  const { id } = await read<{ id: number }>(await visitor.write('POST', '/api/photos', { title }));
  return id;
}

describe('two users', () => {
  test('have nothing in common', async () => {
    const [hers, his] = await Promise.all([list(mira), list(jonas)]);
    const ids = new Set(hers.items.map(({ id }) => id));
    expect(hers.total).toBe(hers.items.length);
    expect(his.items.filter(({ id }) => ids.has(id))).toEqual([]);
    const titles = new Set(hers.items.map(({ title }) => title));
    expect(his.items.filter(({ title }) => titles.has(title))).toEqual([]);
  });

  test('search each among their own', async () => {
    await create(jonas, 'The unlikely word quoin');
    expect((await list(jonas, '&q=quoin')).total).toBe(1);
    expect(await list(mira, '&q=quoin')).toMatchObject({ items: [], total: 0 });
  });

  test('have a log each: what one does wakes and tells nothing of the other’s', async () => {
    const tags = await Promise.all(
      ['/api/photos', '/api/stats'].map(async (path) => (await mira.get(path)).headers.get('ETag')),
    );
    const { last } = await read<{ last: string }>(await mira.get('/api/changes'));
    const held = mira.get('/api/photos/changes?wait=1');
    const heldFeed = mira.get(`/api/changes?since=${last}`, { Prefer: 'wait=1' });
    await create(jonas, 'Unheard of');
    expect([(await held).status, (await heldFeed).status]).toEqual([204, 204]);
    const again = await mira.get('/api/photos', { 'If-None-Match': tags[0] ?? '' });
    expect(again.status).toBe(304);
    expect(JSON.stringify(await read(await mira.get('/api/changes')))).not.toContain('Unheard of');
    expect(JSON.stringify(await read(await mira.get('/api/stats')))).not.toContain('Unheard of');
  });

  test('never confirm what the other holds, and never go on from the other’s place', async () => {
    const tag = (await jonas.get('/api/photos')).headers.get('ETag') ?? '';
    expect((await mira.get('/api/photos', { 'If-None-Match': tag })).status).toBe(200);
    const woken = await mira.get('/api/photos/changes?wait=0', { 'If-None-Match': tag });
    expect(woken.status).toBe(200);
    const { last } = await read<{ last: string }>(await jonas.get('/api/changes'));
    expect((await mira.get(`/api/changes?since=${last}`)).status).toBe(410);
  });

  test('get answers that no shared cache may keep, a refusal included', async () => {
    const paths = ['/api/photos', '/api/photos/1', '/api/photos/1/small.svg', '/api/stats', '/api/changes'];
    const answers = await Promise.all([...paths, '/api/photos/999999'].map((path) => mira.get(path)));
    for (const { headers } of answers) {
      expect(headers.get('Vary')).toBe('Cookie');
      expect(headers.get('Cache-Control')).toMatch(/^private, no-cache$|^no-store$/);
    }
    const tag = answers[0]?.headers.get('ETag') ?? '';
    const confirmed = await mira.get('/api/photos', { 'If-None-Match': tag });
    expect(confirmed.headers.get('Vary')).toBe('Cookie');
  });
});

describe('another’s photo', () => {
  test.for([
    ['GET', ''],
    ['GET', '/large'],
    ['GET', '/small.svg'],
    ['PUT', ''],
    ['DELETE', ''],
  ] as const)('%s %s is 404, as if there were none', async ([method, rest]) => {
    const id = await create(jonas, 'Not yours');
    const path = `/api/photos/${id}${rest}`;
    const answer = await (method === 'PUT'
      ? mira.write(method, path, { title: 'Mine now' })
      : mira.send(path, { method }));
    expect(answer.status).toBe(404);
    const missing = await mira.get('/api/photos/999999');
    const detailOf = async (response: Response): Promise<unknown> =>
      (await read<{ detail: string }>(response)).detail.replace(/\d+/, 'N');
    expect(await detailOf(answer)).toBe(await detailOf(missing));
    expect(await read(await jonas.get(`/api/photos/${id}`))).toMatchObject({
      title: 'Not yours',
      version: 1,
    });
  });

  test('a write with the ETag that the owner has is 404, too', async () => {
    const id = await create(jonas, 'Conditional');
    const tag = (await jonas.get(`/api/photos/${id}`)).headers.get('ETag') ?? '';
    for (const condition of [tag, '*']) {
      const headers = { 'If-Match': condition };
      const answer = await mira.write('PUT', `/api/photos/${id}`, { title: 'Mine now' }, headers);
      expect(answer.status).toBe(404);
    }
  });

  test('an owner in the body or the query is not believed', async () => {
    const made = await mira.write('POST', '/api/photos?owner=jonas', { title: 'Whose?', owner: 'jonas' });
    const { id } = await read<{ id: number }>(made);
    expect((await jonas.get(`/api/photos/${id}`)).status).toBe(404);
    expect((await mira.get(`/api/photos/${id}/small.svg?of=mira`)).status).toBe(200);
    expect((await mira.get(`/api/photos/${id}/small.svg?of=jonas`)).status).toBe(404);
  });
});

describe('a session', () => {
  const PATHS = [
    '/api/photos',
    '/api/photos?q=pier',
    '/api/photos/1',
    '/api/photos/1/small.svg',
    '/api/photos/changes?wait=0',
    '/api/changes',
    '/api/stats',
  ];

  test.for(PATHS)('is needed for %s', async (path) => {
    const answer = await fetch(server.url + path);
    expect([answer.status, answer.headers.get('Cache-Control')]).toEqual([401, 'no-store']);
    expect(answer.headers.get('Vary')).toBe('Cookie');
  });

  test('is not needed for what is the same for everybody', async () => {
    for (const path of ['/api/palettes', '/api/preview.svg?palette=dawn', '/api/trouble']) {
      expect((await fetch(server.url + path)).status).toBe(200);
    }
  });

  test('says whose it is, by a cookie that no script can read', async () => {
    const visitor = new Visitor(server.url);
    expect(await read(await visitor.get('/api/session'))).toEqual({ user: null });
    const answer = await visitor.write('POST', '/api/session', { user: 'mira' });
    const cookie = answer.headers.get('Set-Cookie');
    expect(cookie).toMatch(/^contact-sheet=[\w-]{43}; HttpOnly; SameSite=Lax; Path=\/; Max-Age=\d+$/);
    expect(answer.headers.get('Cache-Control')).toBe('no-store');
    expect(await read(await visitor.get('/api/session'))).toEqual({ user: 'mira' });
  });

  test.for([[{ user: 'nobody' }], [{ user: ['mira'] }], [{ user: '__proto__' }], [{}]])(
    'of %j is refused',
    async ([body]) => {
      const visitor = new Visitor(server.url);
      expect((await visitor.write('POST', '/api/session', body)).status).toBe(400);
      expect(visitor.cookie).toBe('');
    },
  );

  test('ends when one signs out, on the server and not only in the browser', async () => {
    const visitor = await Visitor.signedIn(server.url, 'mira');
    const { cookie } = visitor;
    const out = await visitor.send('/api/session', { method: 'DELETE' });
    expect([out.status, visitor.cookie]).toEqual([204, 'contact-sheet=']);
    expect((await fetch(`${server.url}/api/photos`, { headers: { Cookie: cookie } })).status).toBe(401);
  });

  test('has a new token for whoever signs in next, and the old one ends', async () => {
    const visitor = await Visitor.signedIn(server.url, 'mira');
    const { cookie } = visitor;
    await visitor.write('POST', '/api/session', { user: 'jonas' });
    expect(visitor.cookie).not.toBe(cookie);
    expect((await fetch(`${server.url}/api/photos`, { headers: { Cookie: cookie } })).status).toBe(401);
    expect(await read(await visitor.get('/api/session'))).toEqual({ user: 'jonas' });
  });

  test('that ends while a request is held answers that request with 401', async () => {
    const visitor = await Visitor.signedIn(server.url, 'mira');
    const held = visitor.get('/api/photos/changes');
    await expect
      .poll(async () => read(await mira.get('/api/stats')), { interval: 5 })
      .toMatchObject({ waiting: 1 });
    await visitor.send('/api/session', { method: 'DELETE' });
    await create(mira, 'After you left');
    expect((await held).status).toBe(401);
  });

  test.for([
    ['a name', 'contact-sheet=mira'],
    ['a token that was never given', `contact-sheet=${'a'.repeat(43)}`],
    ['SQL', "contact-sheet=' OR 1=1 --"],
    ['a token that is too long', `contact-sheet=${'a'.repeat(4_000)}`],
    ['no value', 'contact-sheet'],
    ['no cookies', '=; ;'],
  ] as const)('is not to be had by %s', async ([, cookie]) => {
    const answer = await fetch(`${server.url}/api/photos`, { headers: { Cookie: cookie } });
    expect(answer.status).toBe(401);
  });
});

describe('a page of another origin', () => {
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };

  test.for([
    [{ 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }],
    // Another port of this host is the same site, whose requests carry a `Lax` cookie.
    [{ 'Sec-Fetch-Site': 'same-site', Origin: 'http://127.0.0.1:1' }],
    [{ Origin: 'http://127.0.0.1:1' }],
    [{ Origin: 'null' }],
  ] as const)('cannot write with the user’s cookie: %j', async ([from]) => {
    const body = 'title=Forged';
    const headers = { ...form, ...from };
    const made = await mira.send('/api/photos', { method: 'POST', headers, body });
    expect(made.status).toBe(403);
    // Nor sign the user in as somebody else, or out.
    const cookie = mira.cookie;
    const forged = await mira.send('/api/session', { method: 'POST', headers, body: 'user=jonas' });
    const out = await mira.send('/api/session', { method: 'DELETE', headers });
    expect([forged.status, out.status, mira.cookie]).toEqual([403, 403, cookie]);
    expect((await list(mira, '&q=Forged')).total).toBe(0);
  });

  test('is told from a page of this one, and from no page at all', async () => {
    const { host, origin } = new URL(server.url);
    for (const headers of [{ 'Sec-Fetch-Site': 'same-origin', Origin: origin }, { Origin: origin }, {}]) {
      const made = await mira.write('POST', '/api/photos', { title: `Own ${host}` }, headers);
      expect(made.status).toBe(201);
    }
  });

  test('cannot read: no answer says that it may', async () => {
    const answer = await mira.get('/api/photos', { Origin: 'http://127.0.0.1:1' });
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBeNull();
    expect(answer.headers.get('Cross-Origin-Resource-Policy')).toBe('same-origin');
  });
});
