import { ServiceWorkerHost } from '../hosts/service-worker.ts';
import { Connection } from './connection.ts';
import { resolveOptions } from './options.ts';
import type { ConnectOptions } from './options.ts';

/** All the state that a module of the page keeps: its connections, the first of which is the default, and its ids. */
const connections = new Map<string, Connection>();
let lastId = 0;

/**
 * Connects the page to its worker; returns at once. The first connection becomes the default of all resources, and the
 * same options return the same connection.
 * @throws TypeError or RangeError where an option is wrong.
 */
export function connect(options: ConnectOptions = {}): Connection {
  const settings = resolveOptions(options);
  const key = JSON.stringify(settings);
  const known = connections.get(key);
  if (known && known.status !== 'closed') return known;
  const host = new ServiceWorkerHost({ script: settings.script, scope: settings.scope, type: settings.type });
  const connection = new Connection(host, settings, () => (lastId += 1));
  connections.set(key, connection);
  return connection;
}

/** The page's first connection that is not closed; without one it connects with defaults. */
export function defaultConnection(): Connection {
  return [...connections.values()].find(({ status }) => status !== 'closed') ?? connect();
}
