import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Journal } from './journal.ts';
import type { WaitingRoom } from './waiting-room.ts';

/** One request with its answer, as a route gets it. */
export interface Exchange {
  readonly server: ServerState;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  readonly body: Buffer;
}

/** What a server keeps between requests. */
export interface ServerState {
  readonly journal: Journal;
  /** Versions of the documents that `/etag` and `/last-modified` serve, by path. */
  readonly versions: Map<string, number>;
  /** Requests of `/hold`. */
  readonly waiting: WaitingRoom;
}

export type Route = (exchange: Exchange) => void | Promise<void>;

/** Answers with any status and body; `send(exchange, 204)` without one. */
export function send(
  { response }: Exchange,
  status: number,
  body?: string | Uint8Array,
  headers: OutgoingHttpHeaders = {},
): void {
  response.writeHead(status, headers).end(body);
}

export function sendJson(
  exchange: Exchange,
  value: unknown,
  headers: OutgoingHttpHeaders = {},
  status = 200,
): void {
  send(exchange, status, JSON.stringify(value), { 'Content-Type': 'application/json', ...headers });
}

/** A number from the query, or what it is without. */
export function numberOf({ url }: Exchange, name: string, otherwise: number): number {
  return Number(url.searchParams.get(name) ?? otherwise);
}

/** Headers with one value each, as the journal and `/echo` show them. */
export function headersOf(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
}
