import { DRAIN_DEADLINE, LOOK_DEADLINE, ROLL_CALL } from '../../shared/deadlines.ts';
import type { Source } from '../../shared/engine.ts';
import type { Failure } from '../../shared/failure.ts';
import { isCall, refusal } from '../../shared/guard.ts';
import type { Envelope } from '../../shared/guard.ts';
import type { Identity } from '../../shared/identity.ts';
import type {
  CallInspection,
  CacheInspection,
  Inspection,
  LoopInspection,
  OriginInspection,
} from '../../shared/inspection.ts';
import { LIMITS } from '../../shared/limits.ts';
import { WORKER_CALLS } from '../../shared/protocol.ts';
import { SteadyClock } from '../platform/browser-system.ts';
import { inTime } from '../platform/waiting.ts';
import { Drain } from './services.ts';
import { validateMessage } from './validate.ts';
import { KeepaliveLeader } from './keepalive-leader.ts';
import { Page } from './page.ts';
import type { Services } from './services.ts';
import { strangerTo } from './receipts.ts';

export type { Source };

export interface ClientsPorts {
  readonly now: () => number;
  readonly heard: () => void;
  /** Resolves with whether the client of that id is still there. Null where the engine runs in its page. */
  readonly isPresent: ((id: string) => Promise<boolean>) | null;
  /** This worker instance is over, though the worker runs on: later messages are for the next instance. */
  readonly retired: () => void;
}

/** The entry: which pages are connected. A page is known from its first valid call until its client is gone. */
export class Clients {
  readonly #ports: ClientsPorts;
  readonly #services: Services;
  readonly #pages = new Map<string, { readonly client: string; readonly page: Page }>();
  readonly #leader: KeepaliveLeader;
  readonly #drain: Drain;
  /** How long a page has been gone is counted by it, whatever becomes of the device's clock meanwhile. */
  readonly #clock: SteadyClock;
  #callingRoll = false;

  constructor(services: Services, ports: ClientsPorts) {
    this.#services = services;
    this.#ports = ports;
    this.#clock = new SteadyClock({ now: ports.now, sleep: services.sleep });
    this.#leader = new KeepaliveLeader((milliseconds, signal) => services.sleep(milliseconds, signal));
    this.#drain = new Drain({
      empty: () => this.#empty(),
      retired: () => this.#end(),
      sleep: (milliseconds) => services.sleep(milliseconds),
    });
  }

  /** Resolves when the work that the message started is done: the event is held that long. */
  async receive(source: Source, { offstage: session, message }: Envelope): Promise<void> {
    this.#ports.heard();
    const { identity } = this.#services;
    // In their order: who is signed in decides what a message means.
    while (identity.busy) await identity.busy;
    const page = this.#pages.get(nameOf(source, session))?.page ?? this.#letIn(source, session, message);
    await page?.receive(message);
  }

  inspect(): CallInspection[] {
    return [...this.#pages.values()].flatMap(({ page }) => page.inspect());
  }

  /** Ends all that pages have under way: it belongs to an identity that is signed out. */
  endAll(): void {
    for (const { page } of this.#pages.values()) page.endAll();
  }

  tellIdentity(identity: Identity): void {
    for (const { page } of this.#pages.values()) page.tellIdentity(identity);
  }

  get size(): number {
    return this.#pages.size;
  }

  /** A session begins with a greeting. Anything else leaves no trace. */
  #letIn(source: Source, session: string, message: unknown): Page | null {
    if (!isCall(message, WORKER_CALLS)) return null;
    const greets = message.path[0] === 'greet';
    const refused = validateMessage(message) ?? (greets ? this.#refuseTooMany(source.id) : null);
    if (refused) answer(source, session, refusal(message.id, refused));
    else if (greets) return this.#open(source, session);
    else answer(source, session, { type: 'RAW', id: message.id, value: strangerTo(message) });
    return null;
  }

  #refuseTooMany(client: string): Failure | null {
    const sessions = [...this.#pages.values()].filter((each) => each.client === client);
    return sessions.length < LIMITS.sessions ? null : TOO_MANY;
  }

  #open(source: Source, session: string): Page {
    const name = nameOf(source, session);
    const page = new Page(
      name,
      {
        services: this.#services,
        leader: this.#leader,
        drain: this.#drain,
        now: this.#ports.now,
        clock: this.#clock,
      },
      (message, transfer) => source.postMessage({ offstage: session, message }, transfer),
      () => this.#forget(name, { page }),
    );
    this.#pages.set(name, { client: source.id, page });
    void this.#callRoll();
    return page;
  }

  async #callRoll(): Promise<void> {
    if (this.#callingRoll || !this.#ports.isPresent) return;
    this.#callingRoll = true;
    while (this.#pages.size > 0) {
      await this.#clock.sleep(ROLL_CALL);
      await this.#forgetTheGone();
    }
    this.#callingRoll = false;
  }

  async #forgetTheGone(): Promise<void> {
    for (const [name, { client, page }] of this.#pages) {
      const { heard } = page;
      // A page that has said something since is back: the look at it is outdated.
      if ((await this.#isThere(client)) || page.heard !== heard) continue;
      page.abandon();
      if (page.isOver) this.#forget(name, { page });
    }
  }

  /** A client that cannot be looked up now counts as there. */
  async #isThere(client: string): Promise<boolean> {
    const { isPresent } = this.#ports;
    if (!isPresent) return true;
    return inTime(this.#services, LOOK_DEADLINE, 'The look at a page is late', isPresent(client)).catch(
      () => true,
    );
  }

  /** Leaves no event held, and no page that waits for what has been answered. */
  async #empty(): Promise<void> {
    const pages = [...this.#pages.values()];
    this.#services.outbox.rest();
    // Before the leader is answered, it has to know that it need not ask again.
    const told = pages.map(({ page }) => page.giveNotice());
    this.#leader.retire();
    const patience = this.#services.sleep(DRAIN_DEADLINE);
    const drained = pages.map(({ client, page }) => page.drain(this.#isThere(client), patience));
    await Promise.all([...told, ...drained]);
    // The next worker has to find the answers that pages have been told. A late disk keeps it waiting no longer than this.
    await Promise.race([this.#services.settled(), patience]);
  }

  #end(): void {
    for (const [name, each] of this.#pages) this.#forget(name, each);
    this.#ports.retired();
  }

  #forget(name: string, { page }: { readonly page: Page }): void {
    page.close();
    this.#pages.delete(name);
  }
}

const TOO_MANY: Failure = {
  code: 'limit',
  message: `This page has ${LIMITS.sessions} connections to its worker already: close some first`,
  limit: 'sessions',
  value: LIMITS.sessions,
};

function answer(source: Source, session: string, message: unknown): void {
  source.postMessage({ offstage: session, message }, []);
}

function nameOf(source: Source, session: string): string {
  return `${source.id} ${session}`;
}

/** The parts of the worker that say what they are doing. */
export interface Inspected {
  readonly instance: string;
  /** Milliseconds of the epoch. */
  readonly startedAt: number;
  readonly clock: { now(): number };
  readonly lock: { readonly acting: boolean; readonly generation: number | null };
  readonly clients: { readonly size: number; inspect(): readonly CallInspection[] };
  readonly loops: { inspect(): readonly LoopInspection[] };
  readonly cache: { inspect(): Promise<CacheInspection> };
  readonly origins: { inspect(): readonly OriginInspection[] };
}

/** All that a worker is doing at one instant. */
export async function inspection(parts: Inspected): Promise<Inspection> {
  const { instance, startedAt, clock, lock, clients, loops, cache, origins } = parts;
  return {
    instance,
    startedAt,
    now: clock.now(),
    acting: lock.acting,
    generation: lock.generation,
    pages: clients.size,
    calls: clients.inspect(),
    loops: loops.inspect().map((loop) => (lock.acting ? loop : atRest(loop))),
    cache: await cache.inspect(),
    origins: origins.inspect(),
  };
}

/** Where another engine acts, a loop that is due waits for its turn. */
function atRest(loop: LoopInspection): LoopInspection {
  return loop.state === 'asking' || loop.state === 'queued' ? { ...loop, state: 'resting' } : loop;
}
