import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { request as requestOf } from 'node:http';
import type { OutgoingHttpHeaders } from 'node:http';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Route } from '../server/exchange.ts';

/** What the page asks for: the database's own path, on the origin of the page. */
export const CHANGES = '/photos/_changes';

/** A CouchDB-compatible server that others have written, with one database, in a process of its own. */
export class Couch {
  readonly #url: string;

  private constructor(url: string) {
    this.#url = url;
  }

  /** Starts one, has it used, and ends it however that went. */
  static async use(work: (couch: Couch) => Promise<void>): Promise<void> {
    const cwd = fileURLToPath(new URL('../../.cache/third-party', import.meta.url));
    const server = spawn(process.execPath, ['server.mjs'], { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const couch = new Couch(`http://127.0.0.1:${await firstLine(server.stdout)}`);
      await couch.#send('PUT', '/photos', null);
      await work(couch);
    } finally {
      await end(server);
    }
  }

  /** Makes documents one by one. */
  async write(ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.#send('PUT', `/photos/${id}`, { title: id });
  }

  /** Makes documents in requests that are all out at once. */
  async writeAtOnce(ids: readonly string[]): Promise<void> {
    await Promise.all(ids.map((id) => this.write([id])));
  }

  /** Makes documents with a single request. */
  async writeInBulk(ids: readonly string[]): Promise<void> {
    await this.#send('POST', '/photos/_bulk_docs', { docs: ids.map((id) => ({ _id: id, title: id })) });
  }

  /** Has a page's request answered by this server, byte by byte as it comes; a request given up is given up here. */
  readonly relay: Route = ({ request, response, url }) => {
    const onward = requestOf(`${this.#url}${url.pathname}${url.search}`, {
      method: request.method ?? 'GET',
      headers: endToEnd(request.headers),
    });
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
      response.flushHeaders();
      answer.pipe(response);
      answer.on('error', () => response.destroy());
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    onward.end();
  };

  async #send(method: string, path: string, body: unknown): Promise<void> {
    const { status } = await fetch(`${this.#url}${path}`, {
      method,
      headers: { 'Content-Type': 'application/json' },
      body: body === null ? null : JSON.stringify(body),
    });
    if (status !== 201) throw new Error(`${method} ${path} was answered with ${status}`);
  }
}

async function firstLine(stream: Readable): Promise<string> {
  for await (const line of createInterface({ input: stream })) return line;
  throw new Error('It has not started: `npm run test:third-party` installs what it needs');
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return;
  const exited = once(server, 'exit');
  server.kill('SIGTERM');
  await exited;
}

/** What is between two neighbours only (RFC 9110 section 7.6.1), and the address of one of them. */
const HOP_BY_HOP = new Set(['host', 'connection', 'keep-alive', 'transfer-encoding']);

function endToEnd(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name)));
}
