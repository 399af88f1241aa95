import { foundIn } from '../contracts/lookup.ts';
import type { Lookup } from '../contracts/lookup.ts';
import { keyWithin, urlOf } from './keys.ts';

/** Keys that are listed at a time. */
const SLICE = 100;

export interface UrlSweepPorts {
  /** At most `limit` stored keys after `after`, in order. */
  readonly keys: (after: string, limit: number) => Promise<Lookup<readonly string[]>>;
  /** Never rejects. */
  readonly act: (key: string) => Promise<void>;
}

/**
 * Removes all that is stored for a URL, or marks it as outdated, whatever headers it was asked with. The keys have to be
 * listed first, so `covers` tells at once what it is about. Answers that are stored meanwhile are spared.
 */
export class UrlSweep {
  readonly #ports: UrlSweepPorts;
  /** The keys that were stored since, by the URL whose keys are being listed. */
  readonly #since = new Map<string, Set<string>>();

  constructor(ports: UrlSweepPorts) {
    this.#ports = ports;
  }

  covers(key: string): boolean {
    const since = this.#since.get(urlOf(key));
    return since !== undefined && !since.has(key);
  }

  /** An answer is stored now. */
  spare(key: string): void {
    this.#since.get(urlOf(key))?.add(key);
  }

  /** Never rejects. */
  async run(url: string): Promise<void> {
    const since = new Set<string>();
    const prefix = keyWithin(url);
    const name = urlOf(prefix);
    this.#since.set(name, since);
    // If the keys cannot be read, it is at least the answer to a request without headers of its own.
    const keys = (await this.#list(prefix)) ?? [prefix];
    // A newer sweep of the same URL covers them all.
    if (this.#since.get(name) !== since) return;
    await Promise.all(keys.filter((key) => !since.has(key)).map((key) => this.#ports.act(key)));
    if (this.#since.get(name) === since) this.#since.delete(name);
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
