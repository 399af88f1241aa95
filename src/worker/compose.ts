import type { LoadFunctions, PageEngine } from '../shared/engine.ts';
import type { StorageNews } from './contracts/root-store.ts';
import { Clients, inspection } from './clients/clients.ts';
import { composePartition } from './compose-partition.ts';
import type { PartitionModules, PartitionPorts } from './compose-partition.ts';
import { HeldCredentials } from './credentials/credentials.ts';
import { Hub, StorageReports } from './delivery/hub.ts';
import { Functions } from './functions/functions.ts';
import { Identities } from './identity/identities.ts';
import { Origins } from './origins/origins.ts';
import { LifeLock } from './platform/engine-lock.ts';
import { Foreground } from './platform/giving-way.ts';
import { saltedDigest } from './platform/sha256.ts';
import type { System } from './platform/system.ts';
import { AllUnstoredEnds } from './outbox/late-ends.ts';
import { Partitions } from './storage/partitions.ts';

/** The engine with all its modules. A worker holds an event for as long as `receive` takes, and never rests. */
export interface WorkerEngine extends PageEngine {
  /** Opens what is stored, so that the first message does not wait for that. */
  warm(): void;
  /**
   * There may be a network: sends what waits. Resolves when that is done, for now, with whether nothing waits for its server any more.
   * Never rejects.
   */
  wake(): Promise<boolean>;
}

/** What an engine is built with beside its system. */
export interface EnginePorts extends PartitionPorts {
  /** Whether the client of that id is still there; null where that is the page itself. */
  readonly isPresent: ((client: string) => Promise<boolean>) | null;
  /** The app's own functions, by name, where there are any. May be called often. */
  readonly functions?: LoadFunctions;
  /** True if what is stored is encrypted. */
  readonly encrypts?: boolean;
  /** The engine has done its work though the worker runs on: what comes from now on is for the next engine. */
  readonly retired: () => void;
}

/**
 * Builds the engine. What knows the answers of an identity is built once for each (`compose-partition.ts`); what
 * outlives an identity is built here. These two files alone know all modules, and hand them to each other.
 */
export function compose(system: System, ports: EnginePorts): WorkerEngine {
  const { clock } = system;
  const instance = system.uuid();
  const startedAt = clock.now();
  const hub = new Hub(instance, (milliseconds, signal) => clock.sleep(milliseconds, signal));
  const storage = new StorageReports(hub);
  let opened: Extract<StorageNews, { readonly kind: 'opened' }> | null = null;
  const heard = (news: StorageNews): void => {
    storage.take(news);
    if (news.kind !== 'opened') return;
    // It was deleted, and the root database with it.
    if (opened?.name === news.name && opened.madeAt !== news.madeAt) identity.restore();
    opened = news;
  };
  const partitions = new Partitions(system, ports.scope, heard, ports.encrypts);
  const robbed = new Set<() => void>();
  const foreground = new Foreground(clock);
  const origins = new Origins({ now: () => clock.now(), changed: (report) => hub.tellAll(report) });
  const credentials = new HeldCredentials({
    clock,
    isOnline: () => system.isOnline(),
    uuid: () => system.uuid(),
    tell: (page, delivery) => hub.tell(page, delivery),
    isStranger: (page) => hub.isStranger(page),
  });
  const surroundings = {
    system,
    ports,
    hub,
    partitions,
    functions: new Functions(ports.functions ?? (() => ({}))),
    origins,
    credentials,
    foreground,
    unstoredEnds: new AllUnstoredEnds(),
    stolen: () => {
      for (const hear of robbed) hear();
    },
  };
  let isResting = false;
  let leaving: Promise<void> = Promise.resolve();
  const identity = new Identities({
    clock,
    store: partitions.root(),
    digest: (salt, name) => saltedDigest(system, salt, name),
    uuid: () => system.uuid(),
    retire: () => {
      clients.endAll();
      leaving = present.retire();
      credentials.drop();
    },
    begin: (place, { isSignedIn, epoch }) => {
      hub.recognizeAll();
      present = composePartition({ place, epoch: isSignedIn ? epoch : null }, surroundings);
      if (isResting) present.lock.rest();
      void present.outbox.begin();
    },
    tell: (next) => clients.tellIdentity(next),
    erase: (doomed, isDoomed) => leaving.then(() => partitions.erase(doomed, isDoomed)),
    stored: () => partitions.stored(),
  });
  let present: PartitionModules = composePartition({ place: identity.place, epoch: null }, surroundings);
  const introduce = async (page: string, isBack: boolean): Promise<void> => {
    hub.introduce(page);
    storage.introduce(page);
    for (const report of origins.reports()) hub.tell(page, report);
    const { outbox } = present;
    await outbox.introduce(page, isBack);
    await outbox.idle();
  };
  // A page is its engine's life: nobody waits for the end of that.
  const life = new LifeLock(ports.host === 'page' ? { locks: null } : system, `offstage:worker:${instance}`);
  const retired = (): void => {
    ports.retired();
    isResting = true;
    present.lock.rest();
    life.release();
  };
  const clients = new Clients(
    {
      instance,
      lock: life.granted,
      get engine() {
        return present.engine;
      },
      get loops() {
        return present.loops;
      },
      get outbox() {
        return present.outbox;
      },
      settled: () => present.cache.settled(),
      identity,
      hub,
      credentials,
      introduce,
      heed: (lineage) => present.cache.heed(lineage),
      clearCache: () => present.clear(),
      get stored() {
        return present.stored;
      },
      inspect: () => inspection({ instance, startedAt, clock, clients, origins, ...present }),
      sleep: (milliseconds, signal) => clock.sleep(milliseconds, signal),
    },
    { now: () => clock.now(), heard: () => foreground.note(), isPresent: ports.isPresent, retired },
  );
  return {
    warm: () => present.warm(),
    wake: async () => {
      while (identity.busy) await identity.busy;
      return present.outbox.wake();
    },
    receive: clients.receive.bind(clients),
    rest: () => {
      isResting = true;
      present.lock.rest();
    },
    resume: () => {
      isResting = false;
      present.lock.resume();
    },
    onLockStolen: (hear) => {
      robbed.add(hear);
      return () => robbed.delete(hear);
    },
  };
}
