import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Problem } from './problem.ts';
import { empty } from './reply.ts';
import type { Reply } from './reply.ts';

/** One request on its way to a handler. */
export interface Visit {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly request: IncomingMessage;
  /** Aborted when the client is gone or the server closes. */
  readonly signal: AbortSignal;
  /** What stood in the place of `{name}` in the route's path. */
  param(name: string): string;
}

export type Handler = (visit: Visit) => Promise<Reply> | Reply;

export interface Route {
  readonly method: string;
  /** `{name}` stands for one segment, without the dot of an extension. */
  readonly path: string;
  readonly handle: Handler;
}

type Arrival = Omit<Visit, 'param'>;

/** Finds the route of a request; the first that fits wins. HEAD is served as GET is. */
export function createRouter(routes: readonly Route[]): (arrival: Arrival) => Promise<Reply> {
  const compiled = routes.map((route) => ({ route, pattern: compile(route.path) }));
  return async (arrival) => {
    const fitting = compiled.filter(({ pattern }) => pattern.test(arrival.url.pathname));
    if (fitting.length === 0) throw new Problem(404, `There is nothing at ${arrival.url.pathname}.`);
    const method = arrival.method === 'HEAD' ? 'GET' : arrival.method;
    const found = fitting.find(({ route }) => route.method === method);
    if (!found) return refuse(arrival, fitting);
    const groups = found.pattern.exec(arrival.url.pathname)?.groups ?? {};
    const param = (name: string): string => decode(groups[name] ?? '');
    return found.route.handle({ ...arrival, param });
  };
}

function refuse({ method, url }: Arrival, fitting: readonly { readonly route: Route }[]): Reply {
  const methods = new Set(fitting.map(({ route }) => route.method));
  if (methods.has('GET')) methods.add('HEAD');
  const Allow = [...methods, 'OPTIONS'].join(', ');
  if (method === 'OPTIONS') return empty(204, { Allow });
  throw new Problem(405, `${url.pathname} does not know ${method}.`, { headers: { Allow } });
}

function compile(path: string): RegExp {
  const literal = path.replaceAll('.', String.raw`\.`);
  return new RegExp(`^${literal.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/.]+)')}$`);
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Problem(400, 'The address is not encoded as a URL has to be.');
  }
}
