import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { headersOf, send, sendJson, type Exchange, type Route, type ServerState } from './exchange.ts';
import { Journal, type JournalEntry } from './journal.ts';
import { readPage } from './pages.ts';
import { ROUTES } from './routes.ts';
import { WaitingRoom } from './waiting-room.ts';

/** What becomes of a file of the test page. */
type Rewrite = (file: string) => string | Promise<string>;

/** A real HTTP server on this machine, one for each test: it serves the test page and a table of answers. */
export class FixtureServer implements ServerState {
  readonly journal: Journal = new Journal();
  /** The paths of the preflights, which are not in the journal. */
  readonly preflights: string[] = [];
  readonly versions: Map<string, number> = new Map();
  readonly waiting: WaitingRoom = new WaitingRoom();
  readonly #own = new Map<string, Route>();
  readonly #rewritten = new Map<string, Rewrite>();
  readonly #host: string;
  #server: Server | null = null;
  #port = 0;

  constructor(host: string) {
    this.#host = host;
  }

  /** Its origin, without a slash at the end. */
  get url(): string {
    return `http://${this.#host}:${this.#port}`;
  }

  /** Listens on a free port, or on the one it had before it went down. */
  async up(): Promise<void> {
    const server = createServer((request, response) => void this.#serve(request, response));
    server.listen(this.#port, this.#host);
    await once(server, 'listening');
    const address = server.address();
    if (address !== null && typeof address === 'object') this.#port = address.port;
    this.#server = server;
  }

  /** Cuts every connection and takes no new one. */
  async down(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null) return;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }

  /** Answers one method and path in its own way, before the table is asked; the returned function undoes it. */
  on(methodAndPath: `${string} /${string}`, route: Route): () => void {
    this.#own.set(methodAndPath, route);
    return () => void this.#own.delete(methodAndPath);
  }

  /** Serves a file of the test page as a later release has it; the one before is rewritten no more. */
  rewrite(path: string, rewrite: Rewrite): void {
    this.#rewritten.set(path, rewrite);
  }

  /** Answers everything that `/hold?key=` keeps waiting; returns how many there were. */
  release(key: string, body: string, status?: number): number {
    return this.waiting.release(key, body, status);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    const page = await readPage(url.pathname);
    if (page) {
      const rewrite = this.#rewritten.get(url.pathname);
      const body = rewrite ? await rewrite(page.body.toString()) : page.body;
      response.writeHead(200, page.headers).end(body);
      return;
    }
    allowOrigin(request, response);
    const body = await buffer(request).catch(() => Buffer.alloc(0));
    const exchange = { server: this, request, response, url, body };
    if (!isPreflight(request)) return this.#answer(exchange);
    this.preflights.push(url.pathname);
    send(exchange, 204);
  }

  async #answer(exchange: Exchange): Promise<void> {
    const { request, url } = exchange;
    const [, segment = ''] = url.pathname.split('/', 2);
    const route = this.#own.get(`${request.method} ${url.pathname}`) ?? ROUTES[segment];
    if (segment !== 'journal' && segment !== 'release') this.#write(exchange);
    if (route) await route(exchange);
    else sendJson(exchange, { error: `No route for ${url.pathname}` }, {}, 404);
  }

  #write({ request, response, url, body }: Exchange): void {
    const entry: JournalEntry = {
      method: request.method ?? '',
      url: url.pathname + url.search,
      path: url.pathname,
      headers: headersOf(request),
      body: body.toString(),
      at: Date.now(),
      state: 'open',
    };
    this.journal.entries.push(entry);
    response.on('close', () => (entry.state = response.writableFinished ? 'answered' : 'cut'));
  }
}

/** Other origins may ask for everything, credentials included: what a page may reach is the library's to decide. */
function allowOrigin({ headers }: IncomingMessage, response: ServerResponse): void {
  if (headers.origin === undefined) return;
  response.setHeader('Access-Control-Allow-Origin', headers.origin);
  response.setHeader('Access-Control-Allow-Credentials', 'true');
  response.setHeader('Access-Control-Allow-Methods', headers['access-control-request-method'] ?? '*');
  response.setHeader('Access-Control-Allow-Headers', headers['access-control-request-headers'] ?? '*');
  response.setHeader('Access-Control-Expose-Headers', 'ETag, Last-Modified, Retry-After, Link');
}

function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}
