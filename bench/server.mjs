// The server of the benchmarks: a list that changes in known steps, small answers, and the pages.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { List } from './rows.mjs';

/** Isolated pages have a clock of 5 microseconds. */
const ISOLATED = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/**
 * What the very worker that the library ships takes for a message there and back, and for a request in between, by nothing
 * but the browser's own means.
 */
const BARE = `
self.addEventListener('message', async ({ data, source }) => {
  if (data === null || typeof data !== 'object' || !('benchEcho' in data)) return;
  if (data.benchEcho === null) source.postMessage(data);
  else source.postMessage({ benchEcho: await fetch(data.benchEcho).then((response) => response.json()) });
});
`;

/** A list beside the one that is measured. */
const FEW = new List(100).body;

/** What the next requests of the list do to it before they are answered. @typedef {'changed' | 'inserted'} Step */

export class BenchServer {
  list = new List(0);
  /** Lists with a URL each, `/list/0` and so on; null where there is one list. @type {List[] | null} */
  lists = null;
  /** The `Cache-Control` of lists. */
  caching = 'no-cache';
  /** Answers to requests of the list that were handed over whole. */
  answered = 0;
  /** Those of them that were 304. */
  confirmed = 0;
  /** Requests of the small answers. */
  small = 0;
  /** A test of the benchmark itself: those whose Referer has this text in it are answered wrongly. */
  liesTo = process.env['OFFSTAGE_BENCH_LIE'] ?? null;
  /** @type {Step[]} */
  #steps = [];
  #server;
  #folder;
  #serviceWorker;
  #script = '';
  #port = 0;
  /** @type {Set<() => void>} */
  #watchers = new Set();
  /** What all answers go over; null where nothing slows them down. @type {import('./line.mjs').Line | null} */
  line = null;
  /** What takes queued writes. @type {import('./outbox/writes.mjs').Writes | null} */
  writes = null;

  /**
   * @param {string} folder Where the pages are built.
   * @param {string} serviceWorker Path of the library's.
   */
  constructor(folder, serviceWorker) {
    this.#folder = folder;
    this.#serviceWorker = serviceWorker;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error) => response.writeHead(404, ISOLATED).end(String(error)));
    });
  }

  get url() {
    return `http://127.0.0.1:${this.#port}`;
  }

  async up() {
    this.#script = (await readFile(this.#serviceWorker, 'utf8')) + BARE;
    // Where it was before it was down.
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (address !== null && typeof address === 'object') this.#port = address.port;
  }

  async down() {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /**
   * The list begins anew, or `count` lists do.
   *
   * @param {number} rows
   * @param {{ count?: number, caching?: string }} [how]
   */
  load(rows, { count, caching = 'no-cache' } = {}) {
    this.list = new List(rows);
    this.lists = count === undefined ? null : Array.from({ length: count }, () => new List(rows));
    this.caching = caching;
    this.#steps = [];
    this.answered = 0;
    this.confirmed = 0;
  }

  /**
   * @param {Step} step
   * @param {number} times One change for each of so many requests to come.
   */
  plan(step, times) {
    this.#steps = Array.from({ length: times }, () => step);
  }

  /** What a page must have in the end. */
  /** @param {number} [shown] Of so many rows, from the top. */
  digest(shown) {
    const body = this.lists ? `[${this.lists.map((list) => list.body).join(',')}]` : this.list.top(shown);
    return createHash('sha256').update(body).digest('hex');
  }

  /**
   * Until so many further requests of the list are answered.
   *
   * @param {number} times
   * @param {number} limit Milliseconds.
   */
  answers(times, limit) {
    const until = this.answered + times;
    return new Promise((resolve, reject) => {
      const watcher = () => {
        if (this.answered < until) return;
        clearTimeout(timer);
        this.#watchers.delete(watcher);
        resolve(null);
      };
      const timer = setTimeout(() => {
        this.#watchers.delete(watcher);
        reject(
          new Error(`The page asked ${this.answered - until + times} of ${times} times within ${limit} ms.`),
        );
      }, limit);
      this.#watchers.add(watcher);
      watcher();
    });
  }

  /**
   * @param {import('node:http').IncomingMessage} request
   * @param {import('node:http').ServerResponse} response
   */
  async #serve(request, response) {
    const { pathname } = new URL(request.url ?? '/', this.url);
    const [, first = '', second = ''] = pathname.split('/');
    if (this.line) await this.#serveOver(this.line, request, response, first, second);
    else if (first === 'list') this.#answerList(this.lists?.[Number(second)] ?? this.list, request, response);
    else if (first === 'writes') await this.writes?.take(request, response);
    else if (first === 'few') send(response, 'application/json', FEW);
    else if (first === 'small') this.#answerSmall(second, response);
    else if (first === 'stored') answerStored(second, request, response);
    else if (first === 'item') send(response, 'application/json', JSON.stringify(itemOf(second)));
    else if (first === 'service-worker.js') send(response, 'text/javascript', this.#script);
    else if (second === '') {
      const script = `<script type="module" src="/${first}/page.js"></script>`;
      send(
        response,
        'text/html',
        `<!doctype html><title>${first}</title><link rel="icon" href="data:,">${script}`,
      );
    } else {
      send(response, 'text/javascript', await readFile(join(this.#folder, first, second)));
    }
  }

  /**
   * What a visit asks for. Scripts have names that never mean another content, as a bundler gives them.
   *
   * @param {import('./line.mjs').Line} line
   * @param {import('node:http').IncomingMessage} request
   * @param {import('node:http').ServerResponse} response
   * @param {string} first
   * @param {string} second
   */
  async #serveOver(line, request, response, first, second) {
    const answer = (type, body, caching = 'no-cache', more = {}) =>
      line.send(
        request,
        response,
        200,
        { ...ISOLATED, 'Content-Type': type, 'Cache-Control': caching, ...more },
        body,
      );
    const { etag, body } = this.list;
    if (first === 'service-worker.js') await answer('text/javascript', this.#script);
    else if (first === 'small') await answer('application/json', smallOf(second), 'no-store');
    else if (first === 'list' && request.headers['if-none-match'] === etag)
      await line.send(request, response, 304, { ...ISOLATED, ETag: etag, 'Cache-Control': 'no-cache' });
    else if (first === 'list') await answer('application/json', body, 'no-cache', { ETag: etag });
    else if (second === '')
      await answer('text/html', await readFile(join(this.#folder, first, 'index.html')));
    else
      await answer(
        'text/javascript',
        await readFile(join(this.#folder, first, second)),
        'max-age=31536000, immutable',
      );
  }

  /**
   * @param {List} list
   * @param {import('node:http').IncomingMessage} request
   * @param {import('node:http').ServerResponse} response
   */
  #answerList(list, request, response) {
    const step = this.#steps.shift();
    if (step) list.step(step);
    const { etag, body } = list;
    const same = request.headers['if-none-match'] === etag;
    response.once('finish', () => {
      this.answered += 1;
      if (same) this.confirmed += 1;
      for (const watcher of this.#watchers) watcher();
    });
    const headers = { ...ISOLATED, ETag: etag, 'Cache-Control': this.caching };
    if (same) {
      response.writeHead(304, headers).end();
      return;
    }
    const lies = this.liesTo !== null && request.headers.referer?.includes(this.liesTo) === true;
    const sent = lies ? Buffer.from(body.toString().replace('"id":', '"id": 1')) : body;
    response
      .writeHead(200, { ...headers, 'Content-Type': 'application/json', 'Content-Length': sent.length })
      .end(sent);
  }

  /**
   * @param {string} name
   * @param {import('node:http').ServerResponse} response
   */
  #answerSmall(name, response) {
    this.small += 1;
    const body = smallOf(name);
    response.writeHead(200, {
      ...ISOLATED,
      'Cache-Control': 'no-store',
      'Content-Type': 'application/json',
      'Content-Length': body.length,
    });
    response.end(body);
  }
}

/** @param {string} name */
function smallOf(name) {
  return JSON.stringify({ name, text: 'a small answer' });
}

/**
 * One of many, of 2 kB.
 *
 * @param {string} name
 */
function itemOf(name) {
  const parts = Array.from({ length: 20 }, (_, n) => ({
    id: n,
    title: `Part ${n} of ${name}`,
    note: 'x'.repeat(50),
  }));
  return { name, parts };
}

/**
 * The same for everybody, and confirmed to who has it.
 *
 * @param {string} name
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
function answerStored(name, request, response) {
  const body = JSON.stringify({ name, text: 'a small answer' });
  const headers = { ...ISOLATED, ETag: `"${name}"`, 'Cache-Control': 'no-cache' };
  if (request.headers['if-none-match'] === headers.ETag) {
    response.writeHead(304, headers).end();
    return;
  }
  response
    .writeHead(200, { ...headers, 'Content-Type': 'application/json', 'Content-Length': body.length })
    .end(body);
}

/**
 * @param {import('node:http').ServerResponse} response
 * @param {string} type
 * @param {string | Buffer} body
 */
function send(response, type, body) {
  response.writeHead(200, { ...ISOLATED, 'Content-Type': type, 'Cache-Control': 'no-cache' }).end(body);
}
