import { pageEarlyEngine } from '../../worker/early.ts';
import type { LoadFunctions, PageEngine } from '../../shared/engine.ts';
import { ChosenHost } from '../hosts/moving-host.ts';
import { loadEngine, PageHost } from '../hosts/page.ts';
import { scopeName, ServiceWorkerHost } from '../hosts/service-worker.ts';
import { probe } from '../session/keepalive.ts';
import { Connection } from './connection.ts';
import { resolveOptions } from './options.ts';
import type { ConnectionOptions, ConnectOptions } from './options.ts';

/**
 * All module-level state of the page: its connections (the first that is not closed is the default), the last id, the
 * engines that run in the page by their scopes, and the functions of those engines.
 */
const connections = new Map<string, Connection>();
let lastId = 0;
const pageEngines = new Map<string, Promise<PageEngine>>();
let loadFunctions: LoadFunctions = () => ({});

/**
 * Connects the page to its worker; returns at once. The first connection is the default of all resources. The same
 * options return the same connection.
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

/** The page's first connection that is not closed. Connects with default options where there is none. */
export function defaultConnection(): Connection {
  return [...connections.values()].find(({ status }) => status !== 'closed') ?? connect();
}

function hostOf({ host, script, scope, type, encrypt, firstVisit }: ConnectionOptions): ChosenHost {
  const hosts = {
    'service-worker': new ServiceWorkerHost({ script, scope, type }),
    page: new PageHost(() => ownEngine(scopeName({ script, scope }), encrypt)),
  };
  return new ChosenHost(host, hosts, probe, firstVisit === 'page' ? pageEarlyEngine : null);
}

/** Loads the engine once. After a failure, for instance without a network, the next call tries again. */
async function ownEngine(scope: string, encrypts: boolean): Promise<PageEngine> {
  const loading = pageEngines.get(scope) ?? loadEngine(scope, () => loadFunctions(), encrypts);
  pageEngines.set(scope, loading);
  try {
    return await loading;
  } catch (error) {
    pageEngines.delete(scope);
    throw error;
  }
}
