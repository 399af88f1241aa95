import { foundIn } from '../contracts/lookup.ts';
import type { Lookup } from '../contracts/lookup.ts';
import { keyWithin, urlOf } from './storable.ts';

/** Keys that are listed at a time. */
const SLICE = 100;

export interface RemovalPorts {
  /** At most `limit` stored keys after `after`, in order. */
  readonly keys: (after: string, limit: number) => Promise<Lookup<readonly string[]>>;
  readonly remove: (key: string) => void;
}

/**
 * Removes all that is stored for a URL, whatever headers it was asked with. The keys have to be
 * listed first, so what is to be removed is hidden at once. Answers that are stored meanwhile stay.
 */
export class Removal {
  readonly #ports: RemovalPorts;
  /** The keys that were stored since, by the URL whose answers are being removed. */
  readonly #since = new Map<string, Set<string>>();

  constructor(ports: RemovalPorts) {
    this.#ports = ports;
  }

  hides(key: string): boolean {
    const since = this.#since.get(urlOf(key));
    return since !== undefined && !since.has(key);
  }

  /** An answer is stored now, so it stays. */
  spare(key: string): void {
    this.#since.get(urlOf(key))?.add(key);
  }

  /** Never rejects. */
  async run(url: string): Promise<void> {
    const since = new Set<string>();
    const prefix = keyWithin(url);
    const name = urlOf(prefix);
    this.#since.set(name, since);
    // If the keys cannot be read, at least the answer to a request without headers of its own goes.
    const keys = (await this.#list(prefix)) ?? [prefix];
    // A newer removal for the same URL removes them all.
    if (this.#since.get(name) !== since) return;
    for (const key of keys) if (!since.has(key)) this.#ports.remove(key);
    this.#since.delete(name);
  }

  /** Null if the storage cannot tell. */
  async #list(prefix: string): Promise<string[] | null> {
    const all: string[] = [];
    let after = urlOf(prefix);
    for (;;) {
      const found = await this.#ports.keys(after, SLICE);
      if (found.kind === 'unknown') return null;
      const keys = (foundIn(found) ?? []).filter((key) => key.startsWith(prefix));
      all.push(...keys);
      after = keys.at(-1) ?? after;
      if (keys.length < SLICE) return all;
    }
  }
}
