import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { once } from 'node:events';
import { extname } from 'node:path';
import { readPage } from '../server/pages.ts';

type Handler = (segments: string[], request: IncomingMessage, response: ServerResponse) => void;

const SUITE = new URL('../../.cache/http-cache/package/', import.meta.url);
const OURS = new URL('./', import.meta.url);

/** The suite's own server, with its client's files, our test page, and the numbers of requests told beside them. */
export class SuiteServer {
  readonly #server: Server;
  readonly #handlers: Readonly<Record<string, Handler>>;
  /** The number of the next request of a test, by the test's path. */
  readonly #next = new Map<string, string>();

  private constructor(handlers: Readonly<Record<string, Handler>>) {
    this.#handlers = handlers;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async up(): Promise<SuiteServer> {
    const names = ['config', 'state', 'test'];
    const handlers = await Promise.all(
      names.map(async (name) => [
        name,
        (await import(new URL(`server/handle-${name}.mjs`, SUITE).href)).default,
      ]),
    );
    const server = new SuiteServer(Object.fromEntries(handlers));
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get url(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`;
  }

  async down(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', this.url);
    const [, place = '', ...segments] = pathname.split('/');
    const handler = this.#handlers[place];
    if (place === 'next') {
      this.#next.set(segments[1] ?? '', searchParams.get('number') ?? '');
      response.writeHead(204).end();
    } else if (handler) {
      if (place === 'test') request.headers['req-num'] = this.#next.get(segments[0] ?? '');
      handler(segments, request, response);
    } else await sendFile(place, segments, pathname, response);
  }
}

async function sendFile(
  place: string,
  segments: string[],
  pathname: string,
  response: ServerResponse,
): Promise<void> {
  const folder = { suite: SUITE, 'http-cache': OURS }[place];
  const body = folder && (await readFile(new URL(segments.join('/'), folder)).catch(() => null));
  const page = body ? null : await readPage(pathname);
  if (body) {
    const type = extname(pathname) === '.html' ? 'text/html' : 'text/javascript';
    response.writeHead(200, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(body);
  } else if (page) response.writeHead(200, page.headers).end(page.body);
  else response.writeHead(404).end();
}
