import type { PageEngine } from '../shared/engine.ts';
import type { Inspection, LoopInspection } from '../shared/inspection.ts';
import type { Invocation } from '../shared/invocation.ts';
import type { Outcome } from '../shared/outcome.ts';
import type { Addressee, Delivery, Tell } from '../shared/protocol.ts';
import { locate } from './address/address.ts';
import { Cache, looksLikePortal } from './cache/cache.ts';
import { Clients } from './clients/clients.ts';
import { configure } from './configure.ts';
import type { ConfigureWorkerRequest } from './configure.ts';
import { Engine } from './engine.ts';
import { EngineLock } from './engine-lock.ts';
import { Exchange } from './exchange/exchange.ts';
import type { Watch } from './exchange/exchange.ts';
import { Hub } from './hub/hub.ts';
import { LifeLock } from './life-lock.ts';
import { Loops } from './loops/loops.ts';
import { Responses } from './storage/responses.ts';
import type { System } from './system.ts';

/** The engine with all its rooms. A worker holds an event for as long as `receive` takes, and never rests. */
export type House = PageEngine;

/** What a house is built with beside its system. */
export interface HousePorts {
  /** Where this runs: a worker has a life of its own, which its pages watch; a page is its engine's life. */
  readonly place: 'service-worker' | 'page';
  /** Whether the client of that id is still there; null where that is the page itself. */
  readonly isPresent: ((client: string) => Promise<boolean>) | null;
  readonly configureRequest: ConfigureWorkerRequest;
  /** The house has done its work though the worker runs on: what comes from now on is for the next house. */
  readonly outlived: () => void;
}

/** Builds the rooms and hands them to each other: the only place that knows them all. */
export function compose(system: System, ports: HousePorts): House {
  const { clock } = system;
  const instance = system.uuid();
  const startedAt = clock.now();
  const hub = new Hub(instance);
  const responses = new Responses(system, (reason) =>
    hub.tellAll({ kind: 'storage', mode: 'memory', reason }),
  );
  const cache = new Cache(system, responses);
  const engine = new Engine({
    locate,
    cache,
    configure: (invocation, url) => configure(ports.configureRequest, invocation, url),
    exchange: new Exchange(system),
    looksLikePortal,
    now: () => clock.now(),
  });

  const invoke = (invocation: Invocation, tell: Tell, say: Say, signal: AbortSignal): Promise<Outcome> =>
    engine.invoke(invocation, watchOf(tell, say), signal);
  const lock = new EngineLock({
    locks: system.locks,
    name: `engine:${PARTITION}`,
    steals: ports.place === 'service-worker',
    raise: () => responses.raiseGeneration(PARTITION),
  });
  const loops = new Loops(system, {
    invoke: (invocation, tell, say, signal) =>
      lock.act((acting) => invoke(invocation, tell, say, acting), signal),
    tell: (page, delivery) => hub.tell(page, delivery),
  });
  const inspect = async (): Promise<Inspection> => ({
    instance,
    startedAt,
    now: clock.now(),
    acting: lock.acting,
    generation: lock.generation,
    pages: clients.size,
    calls: clients.inspect(),
    loops: loops.inspect().map((loop) => (lock.acting ? loop : atRest(loop))),
    cache: await cache.inspect(),
  });
  // A page is its engine's life: nobody waits for the end of that.
  const life = new LifeLock(ports.place === 'page' ? { locks: null } : system, `offstage:worker:${instance}`);
  const outlived = (): void => {
    ports.outlived();
    lock.rest();
    life.release();
  };
  const clients = new Clients(
    {
      instance,
      lock: life.granted,
      invoke,
      loops,
      hub,
      clearCache: () => cache.clear(),
      inspect,
      sleep: (milliseconds, signal) => clock.sleep(milliseconds, signal),
    },
    { now: () => clock.now(), isPresent: ports.isPresent, outlived },
  );
  return {
    receive: (source, envelope) => clients.receive(source, envelope),
    rest: () => lock.rest(),
    resume: () => lock.resume(),
  };
}

/** There is but one until there are identities. */
const PARTITION = 'default';

/** Where another engine acts, what is due waits for its turn. */
function atRest(loop: LoopInspection): LoopInspection {
  return loop.state === 'asking' ? { ...loop, state: 'resting' } : loop;
}

type Say = (step: (to: Addressee) => Delivery) => void;

/** Only the steps that a page listens for are watched. */
function watchOf(tell: Tell, say: Say): Watch {
  return {
    ...(tell.sent && { sent: (status, headers) => say((to) => ({ kind: 'sent', to, status, headers })) }),
    ...(tell.progress && { progress: (progress) => say((to) => ({ kind: 'progress', to, progress })) }),
  } satisfies Watch;
}
