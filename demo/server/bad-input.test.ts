import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as send } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer } from './server.ts';
import type { RunningServer } from './server.ts';
import { Visitor } from './visitor.fixture.ts';

let server: RunningServer;
let mira: Visitor;
let files: string;

beforeAll(async () => {
  files = await mkdtemp(join(tmpdir(), 'demo-'));
  await writeFile(join(files, 'index.html'), '<!doctype html><title>Demo</title>');
  await writeFile(join(files, '.secret'), 'secret');
  server = await startServer({ port: 0, database: 'memory', staticDir: files });
  mira = await Visitor.signedIn(server.url, 'mira');
});

afterAll(async () => {
  await server.close();
  await rm(files, { recursive: true });
});

describe('bad input', () => {
  test.for([
    ['GET', '/api/nothing', 404],
    ['GET', '/api/photos/0', 400],
    ['GET', '/api/photos/99999999999', 400],
    ['GET', '/api/photos/1%00', 400],
    ['GET', '/api/photos/%E0%A4%A', 400],
    ['GET', '/api/photos/1/huge', 404],
    ['GET', '/api/photos?size=0', 400],
    ['GET', '/api/photos?page=x', 400],
    ['GET', '/api/photos/changes?since=-1', 400],
    ['GET', '/api/stats?delay=never', 400],
    ['PATCH', '/api/photos/1', 405],
    ['POST', '/', 405],
    ['GET', '/nothing.html', 404],
    ['GET', '/.secret', 404],
    ['GET', '/%2e%2e/%2e%2e/etc/passwd', 404],
    ['GET', '/..%2f..%2fetc%2fpasswd', 404],
  ] as const)('%s %s is %d', async ([method, path, status]) => {
    const got = await raw(method, path);
    expect(got.status).toBe(status);
    expect(JSON.parse(got.body)).toMatchObject({ status });
  });

  test.for([
    ['{"title":', 'application/json', 400],
    ['[]', 'application/json', 400],
    ['{"title":7}', 'application/json', 400],
    ['title=+', 'application/x-www-form-urlencoded', 400],
    ['title=A&palette=plaid', 'application/x-www-form-urlencoded', 400],
    ['title=A&seed=-1', 'application/x-www-form-urlencoded', 400],
    ['<photo/>', 'application/xml', 415],
    [`title=${'a'.repeat(70_000)}`, 'application/x-www-form-urlencoded', 413],
  ] as const)('a photo of %j as %s is %d', async ([body, type, status]) => {
    const headers = { 'Content-Type': type };
    const answer = await mira.send('/api/photos', { method: 'POST', headers, body });
    expect(answer.status).toBe(status);
  });

  test('names the fields that are wrong', async () => {
    const answer = await mira.write('POST', '/api/photos', { title: 'a'.repeat(81), palette: 'plaid' });
    expect(await answer.json()).toMatchObject({
      errors: { title: expect.any(String), palette: expect.any(String) },
    });
  });
});

test('the page may load nothing from elsewhere', async () => {
  const page = await fetch(server.url);
  expect(page.headers.get('Content-Security-Policy')).toContain("default-src 'self'");
  expect(page.headers.get('Cache-Control')).toBe('no-cache');
});

/** As written: fetch would tidy up the path. */
function raw(method: string, path: string): Promise<{ status: number; body: string }> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const headers = { Cookie: mira.cookie };
    const request = send({ hostname, port, method, path, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (part: string) => (body += part));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    request.on('error', reject).end();
  });
}
