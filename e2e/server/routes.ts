import { setTimeout as sleep } from 'node:timers/promises';
import { headersOf, numberOf, send, sendJson, type Exchange, type Route } from './exchange.ts';

/**
 * What the fixture server answers, by the first segment of the path. A test that needs something else says so
 * with `server.on('GET /some/path', route)`.
 */
export const ROUTES: Readonly<Record<string, Route>> = {
  echo,
  photo: echo,
  /** `/answer?status=&type=&body=&header=Name:value`: anything that fits into a URL. */
  answer,
  /** `/status/503` */
  status: (exchange) => sendJson(exchange, { status: codeOf(exchange) }, {}, codeOf(exchange)),
  /** `/slow?ms=` */
  slow,
  /** `/drip?bytes=&ms=&type=`: so many bytes over so many milliseconds. `&length=no` leaves out their number. */
  drip,
  etag: versioned((version) => ({ ETag: `"${version}"` }), 'if-none-match'),
  'last-modified': versioned((version) => ({ 'Last-Modified': dayOf(version) }), 'if-modified-since'),
  'no-store': (exchange) =>
    sendJson(exchange, { at: Date.now() }, { 'Cache-Control': 'no-store', ETag: '"1"' }),
  'json-broken': (exchange) =>
    send(exchange, 200, '{"id": 1, "title": ', { 'Content-Type': 'application/json' }),
  text: (exchange) => send(exchange, 200, 'plain text, ü', { 'Content-Type': 'text/plain; charset=utf-8' }),
  untyped: (exchange) => send(exchange, 200, 'no type'),
  html: (exchange) => send(exchange, 200, '<!doctype html><p>Sign in</p>', { 'Content-Type': 'text/html' }),
  binary: (exchange) => send(exchange, 200, BYTES, { 'Content-Type': 'application/octet-stream' }),
  empty: (exchange) => send(exchange, 204),
  /** Closes the connection after the first byte of the body, so that Chromium does not repeat the request. */
  cut,
  /** Closes the connection without a byte. */
  drop: ({ response }) => void response.destroy(),
  /** `/redirect?to=&status=302` */
  redirect: (exchange) =>
    send(exchange, numberOf(exchange, 'status', 302), '', {
      Location: exchange.url.searchParams.get('to') ?? '/echo/redirected',
    }),
  /** Waits for `POST /release?key=`, whose body becomes the answer; `server.release(key, body)` does the same. */
  hold,
  release,
  journal,
};

/** The bytes of `/binary`: every value once. */
const BYTES = Uint8Array.from({ length: 256 }, (_, index) => index);

/** What was asked, as the server saw it. */
function echo(exchange: Exchange): void {
  const { request, url, body } = exchange;
  sendJson(exchange, {
    method: request.method,
    url: url.pathname + url.search,
    headers: headersOf(request),
    body: body.toString(),
  });
}

function answer(exchange: Exchange): void {
  const query = exchange.url.searchParams;
  const headers = query.getAll('header').map((each) => each.split(/:\s*(.*)/s, 2));
  send(exchange, numberOf(exchange, 'status', 200), query.get('body') ?? '', {
    'Content-Type': query.get('type') ?? 'application/json',
    ...Object.fromEntries(headers),
  });
}

async function slow(exchange: Exchange): Promise<void> {
  await sleep(numberOf(exchange, 'ms', 500));
  echo(exchange);
}

async function drip(exchange: Exchange): Promise<void> {
  const { response, url } = exchange;
  const bytes = numberOf(exchange, 'bytes', 10_000);
  const steps = 20;
  response.writeHead(200, {
    'Content-Type': url.searchParams.get('type') ?? 'application/octet-stream',
    ...(url.searchParams.get('length') === 'no' ? {} : { 'Content-Length': bytes }),
  });
  for (let step = 0; step < steps && !response.destroyed; step += 1) {
    const [from, to] = [step, step + 1].map((each) => Math.floor((bytes * each) / steps));
    response.write('x'.repeat((to ?? bytes) - (from ?? 0)));
    await sleep(numberOf(exchange, 'ms', 500) / steps);
  }
  response.end();
}

/** A document with a version that `POST` raises, and its validator: one document a path. */
function versioned(validator: (version: number) => Record<string, string>, condition: string): Route {
  return (exchange) => {
    const { request, server, url } = exchange;
    const version = (server.versions.get(url.pathname) ?? 1) + (request.method === 'POST' ? 1 : 0);
    server.versions.set(url.pathname, version);
    const headers = { ...validator(version), 'Cache-Control': 'no-cache' };
    if (Object.values(headers).includes(headersOf(request)[condition] ?? ''))
      send(exchange, 304, undefined, headers);
    else sendJson(exchange, { version }, headers);
  };
}

function cut({ response }: Exchange): void {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 100 });
  response.write('{', () => void response.destroy());
}

function hold(exchange: Exchange): void {
  exchange.server.waiting.enter(keyOf(exchange), (status, body) => {
    if (exchange.response.destroyed) return false;
    send(exchange, status, body, { 'Content-Type': 'application/json' });
    return true;
  });
}

function release(exchange: Exchange): void {
  const released = exchange.server.waiting.release(
    keyOf(exchange),
    exchange.body.toString(),
    numberOf(exchange, 'status', 200),
  );
  sendJson(exchange, { released });
}

/** Every request so far, as JSON; `DELETE` forgets them. */
function journal(exchange: Exchange): void {
  const { request, server } = exchange;
  if (request.method === 'DELETE') server.journal.clear();
  sendJson(exchange, server.journal.entries);
}

function codeOf({ url }: Exchange): number {
  return Number(url.pathname.split('/')[2]);
}

function keyOf({ url }: Exchange): string {
  return url.searchParams.get('key') ?? '';
}

function dayOf(version: number): string {
  return new Date(Date.UTC(2026, 0, version)).toUTCString();
}
