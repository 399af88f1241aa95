import { foundIn } from '../contracts/lookup.ts';
import { UrlSweep } from './url-sweep.ts';
import type { UrlSweepPorts } from './url-sweep.ts';

/** Keys that are listed at a time. */
const SLICE = 100;

/** All answers whose keys begin with one of these: keys begin with their URLs. */
export interface Below {
  readonly prefixes: readonly string[];
}

/**
 * Outdates what is stored for a URL, or below a base. The order of the keys finds that, however many others there are;
 * `covers` tells at once what it is about. Answers that are stored meanwhile are spared.
 */
export class Outdating {
  readonly #ports: UrlSweepPorts;
  readonly #ofUrls: UrlSweep;
  /** The bases that are being outdated, each with the keys that were stored since. */
  readonly #bases = new Map<Below, Set<string>>();

  constructor(ports: UrlSweepPorts) {
    this.#ports = ports;
    this.#ofUrls = new UrlSweep(ports);
  }

  covers(key: string): boolean {
    if (this.#ofUrls.covers(key)) return true;
    return [...this.#bases].some(([below, since]) => isBelow(key, below) && !since.has(key));
  }

  /** An answer is stored now. */
  spare(key: string): void {
    this.#ofUrls.spare(key);
    for (const since of this.#bases.values()) since.add(key);
  }

  /** Never rejects. */
  async run(target: string | Below): Promise<void> {
    if (typeof target === 'string') return this.#ofUrls.run(target);
    const since = new Set<string>();
    this.#bases.set(target, since);
    for (const prefix of target.prefixes) await this.#sweep(prefix, since);
    this.#bases.delete(target);
  }

  /** If the keys cannot be read, those that were not reached stay as fresh as their servers say. */
  async #sweep(prefix: string, since: ReadonlySet<string>): Promise<void> {
    let after = before(prefix);
    for (;;) {
      const found: readonly string[] = foundIn(await this.#ports.keys(after, SLICE)) ?? [];
      const keys = found.filter((key) => key.startsWith(prefix));
      await Promise.all(keys.filter((key) => !since.has(key)).map((key) => this.#ports.act(key)));
      if (keys.length < SLICE) return;
      after = keys.at(-1) ?? after;
    }
  }
}

function isBelow(key: string, { prefixes }: Below): boolean {
  return prefixes.some((prefix) => key.startsWith(prefix));
}

/** The last text in the order of keys before all that begin with the prefix. */
function before(prefix: string): string {
  const last = prefix.charCodeAt(prefix.length - 1);
  return `${prefix.slice(0, -1)}${String.fromCharCode(last - 1)}\uffff`;
}
