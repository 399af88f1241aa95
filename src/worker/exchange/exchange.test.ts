import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { settle } from '../platform/virtual-clock.fixture.ts';
import type { Exchanged, Watch } from './exchange.ts';
import { order, sendBy, Stage } from './order.fixture.ts';
import type { Wish } from './order.fixture.ts';
import { realExchange, serve } from './server.fixture.ts';
import type { TestServer } from './server.fixture.ts';

let server: TestServer;
let foreign: TestServer;
/** Called when the slow answer has been begun. */
let begun: () => void = () => {};

beforeAll(async () => {
  foreign = await serve((_request, response) => response.end('foreign'));
  server = await serve((request, response) => {
    const json = { 'content-type': 'application/json' };
    switch (request.url) {
      case '/photo':
        response.writeHead(200, json).end('{"id":1,"__proto__":{"polluted":true}}');
        break;
      case '/echo': {
        const chunks: Buffer[] = [];
        request.on('data', (chunk: Buffer) => chunks.push(chunk));
        request.on('end', () => {
          const body = Buffer.concat(chunks).toString();
          response
            .writeHead(200, json)
            .end(JSON.stringify({ method: request.method, headers: request.headers, body }));
        });
        break;
      }
      case '/empty':
        response.writeHead(204).end();
        break;
      case '/missing':
        response.writeHead(404, json).end('{"error":"no such photo"}');
        break;
      case '/broken':
        response.writeHead(500, json).end('<oops');
        break;
      case '/not-json':
        response.writeHead(200, json).end('<html>');
        break;
      case '/cut':
        response.writeHead(200, { ...json, 'content-length': '100' }).write('[1,');
        setTimeout(() => response.destroy(), 20);
        break;
      case '/slow':
        response.writeHead(200, json).write('[');
        begun();
        break;
      case '/tagged':
        if (request.headers['if-none-match'] === '"1"')
          response.writeHead(304, { etag: '"1"', 'x-new': 'yes' }).end();
        else response.writeHead(200, { ...json, etag: '"1"' }).end('[]');
        break;
      case '/moved':
        response.writeHead(302, { location: '/photo' }).end();
        break;
      case '/moved-away':
        response.writeHead(302, { location: `${foreign.origin}/` }).end();
        break;
      default:
        response.writeHead(400).end();
    }
  });
});

afterAll(() => Promise.all([server.close(), foreign.close()]));

function send(path: string, wish: Wish = {}, watch: Watch = {}, signal?: AbortSignal): Promise<Exchanged> {
  const { exchange } = realExchange();
  return sendBy(exchange, order({ url: server.origin + path, ...wish }), watch, signal);
}

test('an answer comes with its parsed body, its bytes and what was sent', async () => {
  const exchanged = await send('/photo', { headers: [['X-Size', 'small']] });
  if (exchanged.kind !== 'answered') throw new Error('not answered');
  expect(exchanged.answer.status).toBe(200);
  expect(exchanged.answer.headers).toContainEqual(['content-type', 'application/json']);
  expect(JSON.stringify(exchanged.answer.body)).toBe(
    '{"kind":"value","value":{"id":1,"__proto__":{"polluted":true}},"size":38}',
  );
  expect(exchanged.bytes.byteLength).toBe(38);
  expect(exchanged.request).toEqual({
    method: 'GET',
    url: `${server.origin}/photo`,
    headers: [['X-Size', 'small']],
  });
  expect({}).not.toHaveProperty('polluted');
});

test('method, headers and body reach the server as they are', async () => {
  const exchanged = await send('/echo', {
    method: 'PUT',
    headers: [['Content-Type', 'application/json']],
    body: { kind: 'text', text: '{"a":1}' },
  });
  expect(exchanged).toMatchObject({
    answer: {
      body: { value: { method: 'PUT', body: '{"a":1}', headers: { 'content-type': 'application/json' } } },
    },
  });
});

test('bytes reach the server as bytes', async () => {
  const bytes = new Uint8Array([104, 105]).buffer;
  const exchanged = await send('/echo', { method: 'POST', body: { kind: 'bytes', bytes } });
  expect(exchanged).toMatchObject({ answer: { body: { value: { method: 'POST', body: 'hi' } } } });
});

test('an answer without content has null for a body', async () => {
  const exchanged = await send('/empty');
  expect(exchanged).toMatchObject({
    kind: 'answered',
    answer: { status: 204, body: { kind: 'value', value: null } },
  });
});

test('a status of 400 or more is a failure with the parsed body', async () => {
  const exchanged = await send('/missing');
  expect(exchanged).toMatchObject({
    kind: 'failed',
    failure: {
      code: 'http',
      status: 404,
      body: { error: 'no such photo' },
      message: `GET ${server.origin}/missing was answered with status 404`,
    },
    answer: { status: 404, body: { kind: 'value', value: { error: 'no such photo' } } },
  });
});

test('a failed answer that does not parse stays a failure of its status, with its text', async () => {
  const exchanged = await send('/broken');
  expect(exchanged).toMatchObject({ failure: { code: 'http', status: 500, body: '<oops' } });
});

test('an answer that is not the JSON it claims to be is a parse failure', async () => {
  const exchanged = await send('/not-json');
  expect(exchanged).toMatchObject({
    kind: 'failed',
    failure: { code: 'parse', status: 200, contentType: 'application/json' },
    answer: { body: { value: '<html>' } },
  });
});

test.each([
  ['without a listener', {}],
  ['with one for progress', { progress: (): void => {} }],
])('a body that is cut short is a network failure, %s', async (_name, watch) => {
  const exchanged = await send('/cut', {}, watch);
  expect(exchanged).toMatchObject({
    kind: 'failed',
    failure: { code: 'network', message: `The answer to GET ${server.origin}/cut broke off` },
    answer: null,
  });
});

test('a 304 to our validators confirms what is stored', async () => {
  const exchanged = await send('/tagged', { validators: { etag: '"1"', lastModified: null } });
  expect(exchanged).toMatchObject({
    kind: 'not-modified',
    headers: expect.arrayContaining([['x-new', 'yes']]),
    request: { headers: [['If-None-Match', '"1"']] },
  });
});

test('a 304 to conditions of the page is its answer', async () => {
  const exchanged = await send('/tagged', {
    headers: [['if-none-match', '"1"']],
    validators: { etag: '"2"', lastModified: null },
  });
  expect(exchanged).toMatchObject({
    kind: 'answered',
    answer: { status: 304, body: { kind: 'value', value: null } },
  });
});

test('a read follows a redirect within its origin', async () => {
  expect(await send('/moved')).toMatchObject({ kind: 'answered', answer: { body: { value: { id: 1 } } } });
});

test('a redirected write fails and is not sent again', async () => {
  expect(await send('/moved', { method: 'POST' })).toMatchObject({
    kind: 'failed',
    failure: { code: 'redirected' },
  });
});

test('the answer of an origin that is allowed is taken, and no other', async () => {
  const allowed = await send('/moved-away', { policy: { origins: [foreign.origin] } });
  const other = await send('/moved-away', { policy: { origins: ['https://other.example'] } });
  const none = await send('/moved-away');
  expect(allowed).toMatchObject({ kind: 'answered', answer: { body: { value: 'foreign' } } });
  expect(other).toMatchObject({ kind: 'failed', failure: { code: 'blocked-url' }, answer: null });
  expect(none).toMatchObject({ kind: 'failed', answer: null });
});

test('a server that cannot be reached is a network failure that hints at redirects', async () => {
  const gone = await serve(() => {});
  await gone.close();
  const exchanged = await send('', { url: `${gone.origin}/` });
  expect(exchanged).toMatchObject({
    failure: { code: 'network', message: expect.stringContaining('redirect') },
  });
});

test('an answer that stops half-way ends at its deadline', async () => {
  const { exchange, clock } = realExchange();
  const started = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const sent = sendBy(exchange, order({ url: `${server.origin}/slow` }));
  await started;
  await clock.advance(29_999);
  expect(await Promise.race([sent, settle()])).toBeUndefined();
  await clock.advance(1);
  expect(await sent).toMatchObject({
    kind: 'failed',
    failure: { code: 'timeout', timeout: 30_000 },
    answer: null,
  });
});

test('an answer that stops half-way ends when its caller gives up', async () => {
  const caller = new AbortController();
  const started = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const sent = send('/slow', {}, {}, caller.signal);
  await started;
  caller.abort();
  expect(await sent).toMatchObject({ kind: 'failed', failure: { code: 'aborted' } });
});

test('headers are told when they arrive, before the body is there', async () => {
  const caller = new AbortController();
  const status = new Promise((resolve) => {
    void send('/slow', {}, { sent: resolve }, caller.signal);
  });
  expect(await status).toBe(200);
  caller.abort();
});

describe('an answer that does not end', () => {
  test('fails as soon as it is longer than it may be, and is not repeated', async () => {
    const stage = new Stage(endless);
    const exchanged = await stage.send(order({ policy: { answerSize: 10_000, retry: 3 } }));
    expect(exchanged).toMatchObject({
      kind: 'failed',
      failure: {
        code: 'limit',
        limit: 'answerSize',
        value: 10_000,
        message: expect.stringContaining('limits.answerSize of connect()'),
      },
      request: { method: 'GET' },
    });
    expect(stage.requests).toHaveLength(1);
  });

  test('does so as a refusal, too', async () => {
    const stage = new Stage(() => new Response(endless().body, { status: 500 }));
    const exchanged = await stage.send(order({ policy: { answerSize: 10_000 } }));
    expect(exchanged).toMatchObject({ failure: { code: 'limit' } });
  });
});

function endless(): Response {
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(1_000)),
  });
  return new Response(body);
}
