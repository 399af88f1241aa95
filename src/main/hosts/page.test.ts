import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect, Resource, RestStore } from '../index.ts';

/** The contract of e2e/runs-on-both-hosts.spec.ts in short, in Node: no document, no database, no locks. */
let server: Server;
let base = '';
const connection = connect({ timeout: 5_000 });

beforeAll(async () => {
  server = createServer((request, response) => {
    const status = request.url?.startsWith('/v1/missing') ? 404 : 200;
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ method: request.method, url: request.url }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address !== null && typeof address === 'object') base = `http://127.0.0.1:${address.port}/v1`;
});

afterAll(() => {
  connection.close();
  server.close();
  server.closeAllConnections();
});

const DESCRIPTION = {
  get: { method: 'GET', url: '/photo/{id}' },
  put: { method: 'PUT', url: '/photo/{id}' },
  missing: { method: 'GET', url: '/missing' },
} as const;

describe('in Node', () => {
  test('the engine runs in the process itself', async () => {
    const storage: unknown[] = [];
    connection.addEventListener('storage', ({ type }) => storage.push(type));
    await connection.ready;
    expect([connection.host, connection.status]).toEqual(['page', 'connected']);
    expect(await connection.inspect()).toMatchObject({ pages: 1 });
  });

  test('calls are answered and failures told', async () => {
    const photo = new Resource(DESCRIPTION, { connection, baseUrl: base });
    expect(await photo.result(photo.get({ id: 1 }))).toEqual({ method: 'GET', url: '/v1/photo/1' });
    expect(await photo.result(photo.put({ id: 1 }, { a: 1 }))).toMatchObject({ method: 'PUT' });
    await expect(photo.result(photo.missing())).rejects.toMatchObject({ code: 'http' });
  });

  test('polls tick and stores follow', async () => {
    const photo = new Resource(DESCRIPTION, { connection, baseUrl: base });
    const store = new RestStore(photo, 'get');
    const ticks = new Promise<number>((resolve) => {
      let heard = 0;
      photo.addListener('getSuccess', () => ((heard += 1) === 3 ? resolve(heard) : undefined));
    });
    const loop = photo.poll('get', { id: 2 }, { interval: 100 });
    expect(await ticks).toBe(3);
    loop.stop();
    expect(store.model).toEqual({ method: 'GET', url: '/v1/photo/2' });
  });

  test('a relative URL without an absolute baseUrl is an error at the call', () => {
    expect(() => new Resource(DESCRIPTION, { connection }).get()).toThrow('baseUrl must be absolute');
  });
});
