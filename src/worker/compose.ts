import type { LoadFunctions, PageEngine } from '../shared/engine.ts';
import { LIMITS } from '../shared/limits.ts';
import { locate, urlOf } from './address/expansion.ts';
import { Cache, isOfAnother } from './cache/cache.ts';
import type { ResponseStore } from './contracts/response-store.ts';
import { PARTITION } from './cache/storable.ts';
import { Clients } from './clients/clients.ts';
import { inspection } from './clients/inspection.ts';
import { configure } from './engine/configure.ts';
import type { ConfigureWorkerRequest } from './engine/configure.ts';
import { Engine } from './engine/engine.ts';
import { EngineLock, LifeLock } from './platform/engine-lock.ts';
import { Foreground } from './platform/giving-way.ts';
import { saltedDigest } from './platform/sha256.ts';
import { Exchange } from './exchange/exchange.ts';
import { looksLikePortal } from './exchange/portal.ts';
import { Functions } from './functions/functions.ts';
import { functionsPort } from './functions/port.ts';
import { Hub } from './delivery/hub.ts';
import { loopKey, Loops } from './loops/loops.ts';
import type { LoopStore } from './contracts/loop-store.ts';
import { owned, StoredLoops } from './storage/loops.ts';
import { Origins } from './origins/origins.ts';
import { Diff } from './diff/diff.ts';
import { Partitions } from './storage/partitions.ts';
import { Responses } from './storage/responses.ts';
import type { System } from './platform/system.ts';
import { soon } from './platform/waiting.ts';

/** The engine with all its rooms. A worker holds an event for as long as `receive` takes, and never rests. */
export type WorkerEngine = PageEngine;

/** What a house is built with beside its system. */
export interface EnginePorts {
  /** The path of the scope that this engine serves: what it stores and holds goes by that. */
  readonly scope: string;
  /** Where this runs: a worker has a life of its own, which its pages watch; a page is its engine's life. */
  readonly host: 'service-worker' | 'page';
  /** Whether the client of that id is still there; null where that is the page itself. */
  readonly isPresent: ((client: string) => Promise<boolean>) | null;
  readonly configureRequest: ConfigureWorkerRequest;
  /** The app's own functions, by name, where there are any. May be called often. */
  readonly functions?: LoadFunctions;
  /** Bytes of a list that are told in one text, where that is not as usual. */
  readonly chunk?: number;
  /** The house has done its work though the worker runs on: what comes from now on is for the next house. */
  readonly retired: () => void;
}

/** What is stored, as the rooms see it. */
interface Stores {
  readonly responses: ResponseStore;
  readonly loops: LoopStore;
}

/** Builds the rooms and hands them to each other: the only place that knows them all. */
export function compose(system: System, ports: EnginePorts): WorkerEngine {
  const { clock } = system;
  const instance = system.uuid();
  const startedAt = clock.now();
  const hub = new Hub(instance, (milliseconds, signal) => clock.sleep(milliseconds, signal));
  const partitions = new Partitions(system, ports.scope, (mode, reason) => {
    const news = { kind: 'storage', mode, reason } as const;
    // That there is nothing but memory is so for good; a deletion is of no interest to those who come later.
    if (mode === 'memory') hub.announce(news);
    else hub.tellAll(news);
  });
  const robbed = new Set<() => void>();
  const lock = new EngineLock({
    locks: system.locks,
    name: `engine:${ports.scope}#${PARTITION}`,
    steals: ports.host === 'service-worker',
    raise: (above) => partitions.raiseGeneration(PARTITION, above),
    stolen: () => {
      for (const hear of robbed) hear();
    },
  });
  const foreground = new Foreground(clock);
  const stores: Stores = {
    responses: new Responses(system, partitions, () => foreground.giveWay()),
    loops: owned(new StoredLoops(system, partitions).of(PARTITION), lock),
  };
  const functions = new Functions(ports.functions ?? (() => ({})));
  const cache = new Cache(system, stores.responses, (names) => functions.textOf(names));
  const origins = new Origins({ now: () => clock.now(), changed: (report) => hub.tellAll(report) });
  const engine = new Engine({
    locate,
    cache,
    configure: (invocation, url) => configure(ports.configureRequest, invocation, url),
    exchange: new Exchange(system),
    functions: functionsPort(functions),
    revisions: new Diff(system, ports.chunk),
    looksLikePortal,
    isOfAnother,
    soon: (work) => soon(clock, LIMITS.storedSoon, work),
    note: (outcome, asked) => {
      origins.note(outcome, asked);
      loops.hear(outcome);
    },
    now: () => clock.now(),
    uuid: () => system.uuid(),
  });
  const loops = new Loops(system, {
    invoke: (request) => lock.act((signal) => engine.tick({ ...request, signal }), request.signal),
    urlOf,
    acts: (signal) => lock.acts(signal),
    idle: () => lock.release(),
    newest: (invocation) => engine.newest(invocation),
    forget: (mark) => engine.forget(mark),
    tell: (page, delivery, taken) => hub.tell(page, delivery, taken),
    publish: (page, make, about) => hub.publish(page, make, about),
    store: stores.loops,
    storeKey: async (key) => saltedDigest(system, await stores.responses.salt(PARTITION, system.uuid()), key),
    generation: () => lock.generation,
    uuid: () => system.uuid(),
    keyOf: (declaration) => loopKey(declaration, urlOf(declaration.invocation)),
  });
  const introduce = (page: string): void => {
    hub.introduce(page);
    for (const report of origins.reports()) hub.tell(page, report);
  };
  // A page is its engine's life: nobody waits for the end of that.
  const life = new LifeLock(ports.host === 'page' ? { locks: null } : system, `offstage:worker:${instance}`);
  const retired = (): void => {
    ports.retired();
    lock.rest();
    life.release();
  };
  const clients = new Clients(
    {
      instance,
      lock: life.granted,
      engine,
      settled: () => cache.settled(),
      loops,
      hub,
      introduce,
      heed: (lineage) => cache.heed(lineage),
      clearCache: () => cache.clear(),
      inspect: () => inspection({ instance, startedAt, clock, lock, clients, loops, cache, origins }),
      sleep: (milliseconds, signal) => clock.sleep(milliseconds, signal),
    },
    { now: () => clock.now(), heard: () => foreground.note(), isPresent: ports.isPresent, retired },
  );
  return {
    receive: clients.receive.bind(clients),
    rest: () => lock.rest(),
    resume: () => lock.resume(),
    onLockStolen: (hear) => {
      robbed.add(hear);
      return () => robbed.delete(hear);
    },
  };
}
