import { LIMITS } from '../shared/limits.ts';
import { invalidatedBy, isBelow } from './address/expansion.ts';
import { locate, urlOf } from './address/expansion.ts';
import { Cache, isOfAnother } from './cache/cache.ts';
import { StoredList } from './cache/stored-list.ts';
import { FIRST } from './contracts/root-store.ts';
import type { HeldCredentials } from './credentials/credentials.ts';
import type { Hub } from './delivery/hub.ts';
import { Diff } from './diff/diff.ts';
import { configure } from './engine/request-context.ts';
import type { ConfigureWorkerRequest } from './engine/request-context.ts';
import { Engine } from './engine/engine.ts';
import { Exchange, looksLikePortal } from './exchange/exchange.ts';
import type { Place } from './contracts/root-store.ts';
import type { Functions } from './functions/functions.ts';
import { functionsPort } from './functions/functions.ts';
import { loopKey, Loops } from './loops/loops.ts';
import type { Origins } from './origins/origins.ts';
import { EngineLock } from './platform/engine-lock.ts';
import type { Foreground } from './platform/giving-way.ts';
import { saltedDigest } from './platform/sha256.ts';
import type { System } from './platform/system.ts';
import { soon } from './platform/waiting.ts';
import { owned, StoredLoops } from './storage/loops.ts';
import { raiseIn } from './storage/partitions.ts';
import type { Partitions } from './storage/partitions.ts';
import { Responses } from './storage/responses.ts';

/** How the modules of every partition are built. */
export interface PartitionPorts {
  /** The path of the scope that this engine serves: what it stores and holds goes by that. */
  readonly scope: string;
  /** Where this runs: a worker has a life of its own, which its pages watch; a page is its engine's life. */
  readonly host: 'service-worker' | 'page';
  readonly configureRequest: ConfigureWorkerRequest;
  /** Bytes of a list that are told in one text, where that is not as usual. */
  readonly chunk?: number;
}

/** What outlives an identity, and all partitions share. */
export interface Surroundings {
  readonly system: System;
  readonly ports: PartitionPorts;
  readonly hub: Hub;
  readonly partitions: Partitions;
  readonly functions: Functions;
  readonly origins: Origins;
  readonly credentials: HeldCredentials;
  readonly foreground: Foreground;
  /** Another engine has taken the lock away. */
  readonly stolen: () => void;
}

/** The modules that work for one identity: all that knows its answers. */
export interface PartitionModules {
  readonly lock: EngineLock;
  readonly cache: Cache;
  readonly stored: StoredList;
  readonly engine: Engine;
  readonly loops: Loops;
  /** Opens the database, if its place is known in time. Never fails. */
  warm(): void;
  /** Forgets all answers, feeds and states of loops. What is under way is told, not stored. Rejects if storage fails. */
  clear(): Promise<void>;
  /** Nothing is stored or told any more: another identity has taken the place of this one. */
  retire(): void;
}

/** Which partition the modules work for. */
export interface PartitionPlace {
  /** Where its answers are stored, once that is known. */
  readonly place: Promise<Place>;
  /** Null for nobody's. */
  readonly epoch: number | null;
}

/** Builds the modules of one partition. With `compose.ts`, the only place that knows them all. */
export function composePartition(
  { place, epoch }: PartitionPlace,
  surroundings: Surroundings,
): PartitionModules {
  const { system, ports, hub, partitions, functions, origins, credentials, foreground, stolen } =
    surroundings;
  const { clock } = system;
  const database = partitions.open(place);
  let isRetired = false;
  const lock = new EngineLock({
    locks: system.locks,
    // Engines of one scope and identity have the same.
    name: `engine:${ports.scope}#${epoch ?? FIRST}`,
    steals: ports.host === 'service-worker',
    raise: (above) => raiseIn(database, above),
    stolen,
  });
  const responses = new Responses(system, database, () => foreground.giveWay());
  const cache = new Cache(system, responses, (names) => functions.textOf(names), epoch !== null);
  const revisions = new Diff(system, ports.chunk);
  const engine = new Engine({
    locate,
    cache,
    configure: (invocation, url) => configure(ports.configureRequest, invocation, url),
    exchange: new Exchange(system),
    credentials,
    functions: functionsPort(functions),
    revisions,
    looksLikePortal,
    isOfAnother,
    soon: (work) => soon(clock, LIMITS.storedSoon, work),
    invalidatedBy,
    isBelow,
    invalidated: (isMeant) => loops.askAgain(isMeant),
    note: (outcome, asked) => {
      origins.note(outcome, asked);
      loops.hear(outcome);
    },
    now: () => clock.now(),
    uuid: () => system.uuid(),
  });
  const storedLoops = new StoredLoops(clock, database);
  const loops = new Loops(system, {
    invoke: (request) => lock.act((signal) => engine.tick({ ...request, signal }), request.signal),
    urlOf,
    acts: (signal) => lock.acts(signal),
    idle: system.locks && (() => lock.release()),
    newest: (invocation) => engine.newest(invocation),
    forget: (mark) => engine.forget(mark),
    tell: (page, delivery, taken) => isRetired || hub.tell(page, delivery, taken),
    publish: (page, make, about) => isRetired || hub.publish(page, make, about),
    store: owned(storedLoops, lock),
    storeKey: async (key) => saltedDigest(system, await responses.salt(system.uuid()), key),
    generation: () => lock.generation,
    uuid: () => system.uuid(),
    keyOf: (declaration) => loopKey(declaration, urlOf),
  });
  const retire = (): void => {
    isRetired = true;
    lock.rest();
    database.retire();
  };
  const clear = async (): Promise<void> => {
    revisions.clear();
    await Promise.all([cache.clear(), loops.clear(storedLoops.clear())]);
  };
  const stored = new StoredList({ responses, clock, removeAll: (url) => cache.removeAll(url) });
  const warm = (): void => void database.connect().catch(() => {});
  return { lock, cache, stored, engine, loops, clear, warm, retire };
}
