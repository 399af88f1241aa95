import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { openApi } from './api.ts';
import type { Api } from './api.ts';
import { claim } from './claim.ts';
import { Problem } from './problem.ts';
import type { Reply } from './reply.ts';
import { ALWAYS, API_POLICY, PAGE_POLICY } from './security-headers.ts';
import { createStaticFiles } from './static-files.ts';

export interface ServerOptions {
  /** 0 for any free one. */
  readonly port: number;
  readonly host?: string;
  /** The folder of the database, or `memory` for one that ends with the server. */
  readonly database: { readonly dataDir: string } | 'memory';
  /** The built demo; without it there is only the API. */
  readonly staticDir?: string;
}

export interface RunningServer {
  readonly url: string;
  close(): Promise<void>;
}

type Answer = (request: IncomingMessage, url: URL, signal: AbortSignal) => Promise<Reply>;

/** Milliseconds for which an idle connection is kept: longer than clients rest, since one may send as it is closed, and hear nothing. */
const KEPT = 75_000;

/** Starts the demo: its pages, its API and its database in one process. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { port, host = '127.0.0.1', database, staticDir } = options;
  const server = createServer({ keepAliveTimeout: KEPT });
  const closing = new AbortController();
  // The port comes first: it is what keeps a second server off the same database.
  const listening = listen(server, port, host);
  const opening = listening.then((actual) => openOwn(database, `http://${host}:${actual}`));
  const files = staticDir === undefined ? null : createStaticFiles(staticDir);

  const answer: Answer = async (request, url, signal) => {
    if (url.pathname.startsWith('/api/')) return (await opening).answer(request, url, signal);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      throw new Problem(405, 'Files can only be read.', { headers: { Allow: 'GET, HEAD' } });
    }
    if (!files) throw new Problem(404, `There is nothing at ${url.pathname}.`);
    return files(url.pathname, request.headers['if-none-match']);
  };
  server.on('request', (request, response) => {
    void respond(answer, request, response, closing.signal);
  });

  const api = await opening.catch((error: unknown) => {
    server.close();
    throw error;
  });
  return {
    url: `http://${host}:${await listening}`,
    async close() {
      closing.abort();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      await api.close();
    },
  };
}

/** A database on disk is claimed first, and released last. */
async function openOwn(database: ServerOptions['database'], url: string): Promise<Api> {
  if (database === 'memory') return openApi(null);
  const release = await claim(database.dataDir, url);
  const api = await openApi(join(database.dataDir, 'postgres'));
  return { ...api, close: () => api.close().then(release) };
}

async function respond(
  answer: Answer,
  request: IncomingMessage,
  response: ServerResponse,
  closing: AbortSignal,
): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const signal = AbortSignal.any([gone.signal, closing]);
  try {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const reply = await answer(request, url, signal).catch(toReply);
    write(response, reply, url.pathname.startsWith('/api/') ? API_POLICY : PAGE_POLICY);
  } catch {
    // Not even the address could be read.
    response.writeHead(400, { ...ALWAYS, Connection: 'close' }).end();
  }
}

function toReply(error: unknown): Reply {
  if (error instanceof Problem) return error.toReply();
  console.error(error);
  return new Problem(500, 'The server made a mistake; its console says more.').toReply();
}

/** Node itself leaves out the body of an answer to HEAD. */
function write(response: ServerResponse, { status, headers, body }: Reply, policy: string): void {
  const length = body === null ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
  response.writeHead(status, { ...ALWAYS, 'Content-Security-Policy': policy, ...headers, ...length });
  response.end(body ?? undefined);
}

/** Resolves with the port, which the system picks where 0 was asked for. */
function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(new Error(`Port ${port} cannot be had.`, { cause: error })));
    server.listen(port, host, () => {
      server.removeAllListeners('error');
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}
