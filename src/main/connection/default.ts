import type { LoadFunctions, PageEngine } from '../../shared/engine.ts';
import { ChosenHost } from '../hosts/chosen.ts';
import { loadEngine, PageHost } from '../hosts/page.ts';
import { ServiceWorkerHost } from '../hosts/service-worker.ts';
import { Connection } from './connection.ts';
import { resolveOptions } from './options.ts';
import type { ConnectionOptions, ConnectOptions } from './options.ts';

/**
 * All the state that a module of the page keeps: its connections, the first of which is the default, its ids, its engine
 * where it runs one itself, and that engine's functions.
 */
const connections = new Map<string, Connection>();
let lastId = 0;
let pageEngine: Promise<PageEngine> | null = null;
let loadFunctions: LoadFunctions = () => ({});

/**
 * Connects the page to its worker; returns at once. The first connection becomes the default of all resources, and the
 * same options return the same connection.
 * @throws TypeError or RangeError where an option is wrong.
 */
export function connect(options: ConnectOptions = {}): Connection {
  const settings = resolveOptions(options);
  loadFunctions = options.functions ?? loadFunctions;
  const key = JSON.stringify(settings);
  const known = connections.get(key);
  if (known && known.status !== 'closed') return known;
  const connection = new Connection(hostOf(settings), settings, () => (lastId += 1));
  connections.set(key, connection);
  return connection;
}

/** The page's first connection that is not closed; without one it connects with defaults. */
export function defaultConnection(): Connection {
  return [...connections.values()].find(({ status }) => status !== 'closed') ?? connect();
}

function hostOf({ host, script, scope, type }: ConnectionOptions): ChosenHost {
  return new ChosenHost(host, {
    'service-worker': new ServiceWorkerHost({ script, scope, type }),
    page: new PageHost(ownEngine),
  });
}

/** Loaded once; where that failed, for want of a network perhaps, it is tried again. */
async function ownEngine(): Promise<PageEngine> {
  pageEngine ??= loadEngine(() => loadFunctions());
  try {
    return await pageEngine;
  } catch (error) {
    pageEngine = null;
    throw error;
  }
}
