import { hexadecimal } from '../../shared/hexadecimal.ts';
import { LONGEST_TIMER } from '../../shared/limits.ts';
import { sha256 } from './sha256.ts';
import type { Clock, PeerChannel, SparePlace, System } from './system.ts';

/** Parts of the platform that may be missing: in Node, in a sandboxed frame, in a page that came over plain http. */
interface Platform {
  readonly navigator?: {
    readonly onLine?: boolean;
    readonly locks?: LockManager;
    readonly storageBuckets?: StorageBuckets;
  };
  readonly indexedDB?: IDBFactory;
  readonly crypto: { readonly subtle?: SubtleCrypto; readonly randomUUID?: () => string };
}

/** The part of the Storage Buckets API that Offstage uses; Chromium alone has it. */
interface StorageBuckets {
  keys(): Promise<string[]>;
  open(name: string): Promise<{ readonly indexedDB: IDBFactory }>;
}

/** The bucket for what is stored twice. */
const SPARE = 'offstage-spare';

/** The system of the worker, page or process that this runs in. */
export function browserSystem(): System {
  const platform: Platform = globalThis;
  return {
    clock: browserClock,
    fetch: (url, init) => fetch(url, init),
    isOnline: () => platform.navigator?.onLine ?? true,
    pause,
    random: () => Math.random(),
    uuid: () => platform.crypto.randomUUID?.() ?? hexadecimal(crypto.getRandomValues(new Uint8Array(16))),
    digest: async (bytes) => hexadecimal(await digest(platform.crypto.subtle, bytes)),
    locks: platform.navigator?.locks ?? null,
    channel: 'BroadcastChannel' in globalThis ? channelOf : null,
    crypto: platform.crypto.subtle ? crypto : null,
    indexedDB: platform.indexedDB ?? null,
    spare: spareIn(platform.navigator?.storageBuckets),
  };
}

function spareIn(buckets: StorageBuckets | undefined): SparePlace | null {
  return buckets
    ? {
        isThere: async () => (await buckets.keys()).includes(SPARE),
        open: async () => (await buckets.open(SPARE)).indexedDB,
      }
    : null;
}

function channelOf(name: string): PeerChannel {
  const channel = new BroadcastChannel(name);
  return {
    post: channel.postMessage.bind(channel),
    hear: (listener) => channel.addEventListener('message', ({ data }) => listener(data)),
    close: () => channel.close(),
  };
}

const browserClock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const wake = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, Math.min(milliseconds, LONGEST_TIMER));
      signal?.addEventListener('abort', wake);
    }),
};

/** Uses a message to itself, since browsers delay timers in a row by 4 ms each. */
async function pause(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  await new Promise<void>((resolve) => {
    port1.addEventListener('message', () => resolve());
    port1.start();
    port2.postMessage(null);
  });
  port1.close();
}

async function digest(subtle: SubtleCrypto | undefined, bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return subtle ? new Uint8Array(await subtle.digest('SHA-256', bytes)) : sha256(bytes);
}

/** Milliseconds that a timer may be early by although the clock was not set. */
const EARLY = 100;

/**
 * A clock that never goes back. It shows the device's time until that is set back; then it goes on from where it was,
 * and a sleep that has ended has passed. It may stay ahead of the device's clock for as long as it is used.
 */
export class SteadyClock implements Clock {
  readonly #clock: Clock;
  #ahead = 0;
  #latest: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#latest = clock.now();
  }

  now(): number {
    const now = this.#clock.now() + this.#ahead;
    this.#reach(now < this.#latest ? this.#latest : now);
    return this.#latest;
  }

  async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    const end = this.now() + Math.min(milliseconds, LONGEST_TIMER);
    await this.#clock.sleep(milliseconds, signal);
    if (!signal?.aborted && end - this.now() > EARLY) this.#reach(end);
  }

  #reach(instant: number): void {
    this.#ahead = instant - this.#clock.now();
    this.#latest = instant;
  }
}
