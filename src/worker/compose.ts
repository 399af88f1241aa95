import type { Envelope } from '../shared/guard.ts';
import type { Inspection } from '../shared/inspection.ts';
import type { Invocation } from '../shared/invocation.ts';
import type { Outcome } from '../shared/outcome.ts';
import type { Addressee, Delivery, Tell } from '../shared/protocol.ts';
import { locate } from './address/address.ts';
import { Cache, looksLikePortal } from './cache/cache.ts';
import { Clients } from './clients/clients.ts';
import type { Source } from './clients/clients.ts';
import { configure } from './configure.ts';
import type { ConfigureWorkerRequest } from './configure.ts';
import { Engine } from './engine.ts';
import { Exchange } from './exchange/exchange.ts';
import type { Watch } from './exchange/exchange.ts';
import { Hub } from './hub/hub.ts';
import { Loops } from './loops/loops.ts';
import { Responses } from './storage/responses.ts';
import type { System } from './system.ts';

/** The engine with all its rooms. */
export interface House {
  /** Takes one message; resolves when the work that it started is done, so long its event is to be held. */
  receive(source: Source, envelope: Envelope): Promise<void>;
}

/** What a house is built with beside its system. */
export interface HousePorts {
  /** Whether the client of that id is still there. */
  readonly isPresent: (client: string) => Promise<boolean>;
  readonly configureRequest: ConfigureWorkerRequest;
}

/** Builds the rooms and hands them to each other: the only place that knows them all. */
export function compose(system: System, ports: HousePorts): House {
  const { clock } = system;
  const instance = system.uuid();
  const startedAt = clock.now();
  const hub = new Hub();
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
  const loops = new Loops(system, { invoke, tell: (page, delivery) => hub.tell(page, delivery) });
  const inspect = async (): Promise<Inspection> => ({
    instance,
    startedAt,
    now: clock.now(),
    pages: clients.size,
    calls: clients.inspect(),
    loops: loops.inspect(),
    cache: await cache.inspect(),
  });
  const clients = new Clients(
    {
      instance,
      lock: holdLock(system, `offstage:worker:${instance}`),
      invoke,
      loops,
      hub,
      clearCache: () => cache.clear(),
      inspect,
      sleep: (milliseconds, signal) => clock.sleep(milliseconds, signal),
    },
    { now: () => clock.now(), isPresent: ports.isPresent },
  );
  return clients;
}

type Say = (step: (to: Addressee) => Delivery) => void;

/** Only the steps that a page listens for are watched. */
function watchOf(tell: Tell, say: Say): Watch {
  return {
    ...(tell.sent && { sent: (status, headers) => say((to) => ({ kind: 'sent', to, status, headers })) }),
    ...(tell.progress && { progress: (progress) => say((to) => ({ kind: 'progress', to, progress })) }),
  } satisfies Watch;
}

/**
 * Holds a lock for as long as this worker lives, so that pages learn of its death at once; resolves to its name when it
 * is granted, to null where the platform has no locks.
 */
async function holdLock({ locks }: System, name: string): Promise<string | null> {
  if (!locks) return null;
  return new Promise((resolve) => {
    const granted = (): Promise<never> => {
      resolve(name);
      return new Promise(() => {});
    };
    locks.request(name, granted).catch(() => resolve(null));
  });
}
