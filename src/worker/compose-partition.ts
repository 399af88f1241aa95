import { LIMITS } from '../shared/limits.ts';
import { invalidatedBy, isBelow } from './address/expansion.ts';
import { locate, urlOf } from './address/expansion.ts';
import { Cache, isOfAnother } from './cache/cache.ts';
import { StoredList } from './cache/stored-list.ts';
import { areNone } from './contracts/credentials.ts';
import { FIRST } from './contracts/root-store.ts';
import type { CallRequest } from './contracts/engine-request.ts';
import { parsed } from './contracts/read-body.ts';
import type { HeldCredentials } from './credentials/credentials.ts';
import type { Hub } from './delivery/hub.ts';
import { Diff } from './diff/diff.ts';
import { configure } from './engine/request-context.ts';
import type { ConfigureWorkerRequest } from './engine/request-context.ts';
import { Engine } from './engine/engine.ts';
import { looksLikePortal } from './contracts/portal.ts';
import { Exchange } from './exchange/exchange.ts';
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
import type { AllUnstoredEnds } from './outbox/late-ends.ts';
import { changedVersion } from './outbox/changed-version.ts';
import type { ChangedVersionPorts } from './outbox/changed-version.ts';
import { Outbox } from './outbox/outbox.ts';
import { owned, StoredLoops } from './storage/loops.ts';
import { StoredOutbox } from './storage/outbox.ts';
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
  /** Asks the browser to wake the worker once there is a network, where it can. */
  readonly askForSync?: () => void;
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
  readonly unstoredEnds: AllUnstoredEnds;
  /** Another engine has taken the lock away. */
  readonly stolen: () => void;
}

/** A write of the outbox is nobody's call: no page hears of its steps. */
const BY_ITSELF: Omit<CallRequest, 'invocation' | 'signal'> = {
  page: 'outbox',
  interest: { started: false, sent: false, progress: false },
  say: () => {},
  takeEarly: null,
  tellFirst: () => {},
};

/** The modules that work for one identity: all that knows its answers. */
export interface PartitionModules {
  readonly lock: EngineLock;
  readonly cache: Cache;
  readonly stored: StoredList;
  readonly engine: Engine;
  readonly loops: Loops;
  readonly outbox: Outbox;
  /** Opens the database, if its place is known in time. Never fails. */
  warm(): void;
  /** Forgets all answers, feeds and states of loops. What is under way is told, not stored. Rejects if storage fails. */
  clear(): Promise<void>;
  /**
   * Nothing is stored or told any more: another identity has taken the place of this one. Resolves when nothing of its writes
   * is stored but those that wait.
   */
  retire(): Promise<void>;
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
  const waiting = partitions.openOutbox(place);
  const store = new StoredOutbox(
    waiting,
    database,
    partitions.outboxCopy(place),
    () => outbox.restored(),
    () => partitions.discardOtherKind(place),
  );
  const changed: ChangedVersionPorts = {
    clock,
    urlOf,
    lastVersion: (...write) => cache.lastVersion(...write),
    lastKnownVersion: (...write) => cache.lastKnownVersion(...write),
  };
  const outbox = new Outbox({
    clock,
    random: () => system.random(),
    store,
    unstored: surroundings.unstoredEnds.of(place),
    send: async (invocation, signal, needsCredentials) =>
      parsed(await engine.call({ ...BY_ITSELF, invocation, signal, needsCredentials })),
    isProvided: (invocation) => {
      const url = urlOf(invocation);
      if (url === null || !credentials.isProvided(url)) return false;
      const held = credentials.held(url);
      return held === null || !areNone(held);
    },
    validatorOf: (invocation) => changedVersion(changed, invocation),
    isRefused: (invocation, tag) => {
      const url = urlOf(invocation);
      return url !== null && cache.isRefused(url, tag);
    },
    urlOf,
    askForSync: () => ports.askForSync?.(),
    isThere: () => partitions.hasOutbox(place),
    whileActing: (work, signal) => lock.whileActing(work, signal),
    tell: (news, page) => {
      if (isRetired) return;
      if (page === null) hub.tellKnown(news);
      else hub.tell(page, news);
    },
    isStranger: (page) => hub.isStranger(page),
    isForNobodyKnown: () => hub.hasStrangersAlone,
    performed: (invocation, headers) =>
      void engine.adopt([{ kind: 'write', invocation, headers, isDone: true }]),
    hasRivals: ports.host === 'page',
    channel: () => system.channel?.(`offstage:outbox:${ports.scope}#${epoch ?? FIRST}`) ?? null,
  });
  const retire = async (): Promise<void> => {
    isRetired = true;
    const ending = outbox.end();
    lock.rest();
    database.retire();
    await ending;
    await store.retire();
    waiting.retire();
  };
  const clear = async (): Promise<void> => {
    revisions.clear();
    await Promise.all([cache.clear(), loops.clear(storedLoops.clear())]);
  };
  const stored = new StoredList({ responses, clock, removeAll: (url) => cache.removeAll(url) });
  const warm = (): void => void database.connect().catch(() => {});
  return { lock, cache, stored, engine, loops, outbox, clear, warm, retire };
}
