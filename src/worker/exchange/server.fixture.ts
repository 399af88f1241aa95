import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { Exchange } from './exchange.ts';

/** A real server on the loopback interface; its origin, and how to end it. */
export interface TestServer {
  readonly origin: string;
  close(): Promise<void>;
}

export async function serve(listener: RequestListener): Promise<TestServer> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return { origin: originOf(server), close: () => close(server) };
}

/** An exchange over Node's own fetch, on a clock that stands still. */
export function realExchange(): { readonly exchange: Exchange; readonly clock: VirtualClock } {
  const clock = new VirtualClock();
  const exchange = new Exchange({
    clock,
    fetch: (url, init) => fetch(url, init),
    isOnline: () => true,
    pause: async () => {},
    random: () => 0.5,
  });
  return { exchange, clock };
}

function originOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('The server does not listen on a port');
  return `http://127.0.0.1:${address.port}`;
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => {
    server.close(resolve);
  });
}
