import { createHash } from 'node:crypto';
import { IDBFactory } from '../storage/indexeddb.fixture.ts';
import type { PeerChannel, SparePlace, System } from './system.ts';
import { settle, VirtualClock, workElsewhere } from './virtual-clock.fixture.ts';

/** One request as the network saw it. */
export interface Seen {
  readonly url: string;
  readonly init: RequestInit;
  readonly headers: Headers;
  /** Milliseconds of the epoch. */
  readonly at: number;
}

export type Serve = (seen: Seen) => Response | Promise<Response>;

/** WebCrypto, for whose threads the virtual clock waits. */
const awaitedCrypto: System['crypto'] = {
  getRandomValues: (bytes) => crypto.getRandomValues(bytes),
  subtle: new Proxy(crypto.subtle, {
    get(subtle, name) {
      const method: unknown = Reflect.get(subtle, name);
      if (typeof method !== 'function') return method;
      return (...given: readonly unknown[]) => workElsewhere(Reflect.apply(method, subtle, given));
    },
  }),
};

/** A simulated world: a virtual clock, a network that a function answers for, and a database in memory. */
export class FakeSystem implements System {
  readonly clock: VirtualClock = new VirtualClock();
  readonly indexedDB: IDBFactory | null = new IDBFactory();
  readonly spare: SparePlace | null = null;
  readonly crypto: System['crypto'] = awaitedCrypto;
  readonly requests: Seen[] = [];
  /** The names of the locks that were asked for. */
  readonly locked: string[] = [];
  /** The names of those that were held and given back. */
  readonly givenBack: string[] = [];
  /** Grants the locks that were asked for. */
  grant: () => void = () => {};
  online = true;
  serve: Serve = () => json({});
  readonly #granted: Promise<void> = new Promise((resolve) => {
    this.grant = resolve;
  });
  #named = 0;

  readonly pause = async (): Promise<void> => {};
  readonly random = (): number => 0.5;
  readonly isOnline = (): boolean => this.online;
  readonly uuid = (): string => `name ${(this.#named += 1)}`;
  readonly digest = async (bytes: Uint8Array): Promise<string> =>
    createHash('sha256').update(bytes).digest('hex');

  readonly fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const seen = { url, init, headers: new Headers(init.headers), at: this.clock.now() };
    this.requests.push(seen);
    return this.serve(seen);
  };

  /** Reaches the engines of all worlds with the same databases. */
  readonly channel = (name: string): PeerChannel => new FakeChannel(this.indexedDB, name);

  readonly locks: Pick<LockManager, 'request'> = {
    request: async (name: string, ...rest: readonly unknown[]): Promise<never> => {
      this.locked.push(name);
      if (!name.startsWith('engine:')) await this.#granted;
      const held = rest.at(-1);
      if (typeof held === 'function') void Promise.resolve(held(null)).then(() => this.givenBack.push(name));
      return new Promise(() => {});
    },
  };
}

const LINES = new WeakMap<object, Set<FakeChannel>>();

class FakeChannel implements PeerChannel {
  readonly #name: string;
  readonly #all: Set<FakeChannel>;
  #listener: (message: unknown) => void = () => {};

  constructor(origin: object | null, name: string) {
    this.#name = name;
    this.#all = (origin && LINES.get(origin)) ?? new Set();
    if (origin) LINES.set(origin, this.#all);
    this.#all.add(this);
  }

  post(message: unknown): void {
    const clone: unknown = structuredClone(message);
    for (const other of this.#all)
      if (other !== this && other.#name === this.#name) setImmediate(() => other.#listener(clone));
  }

  hear(listener: (message: unknown) => void): void {
    this.#listener = listener;
  }

  close(): void {
    this.#all.delete(this);
  }
}

export function json(value: unknown, headers: Readonly<Record<string, string>> = {}, status = 200): Response {
  return new Response(JSON.stringify(value), {
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
  });
}

export function unreachable(): never {
  throw new TypeError('fetch failed');
}

/** Lets a database work until something holds; its transactions take many turns of the event loop. */
export async function until(holds: () => boolean): Promise<void> {
  // By the clock, not by turns: the database beside it goes by timers, which a busy machine delays.
  const end = performance.now() + 4_000;
  while (!holds() && performance.now() < end) await settle();
  if (!holds()) throw new Error('It did not come to that');
}
