import type { Invocation } from '../../shared/invocation.ts';
import { ordinalOf } from '../../shared/outcome.ts';
import { foundIn } from '../contracts/response-store.ts';
import type { Lookup, ResponseStore, StoredResponse } from '../contracts/response-store.ts';
import type { System } from '../platform/system.ts';
import type { Lineages } from './change.ts';
import { askingOf, fitsBare } from './keys.ts';
import type { Keys } from './keys.ts';
import type { Known } from './known.ts';
import type { Signposts } from './signposts.ts';
import type { Sweeps } from './sweeps.ts';

/** Milliseconds from the first request of a worker, in which its database has more urgent work than the list of all keys. */
const URGENT = 1_000;

/** Keys that are learned at a time. */
const SLICE = 1_000;

export interface FinderPorts {
  readonly system: Pick<System, 'clock' | 'pause'>;
  readonly responses: Pick<ResponseStore, 'find' | 'keys'>;
  readonly keys: Keys;
  readonly signposts: Signposts;
  readonly known: Known;
  readonly lineages: Lineages;
  readonly sweeps: Pick<Sweeps, 'removal' | 'resume'>;
}

/** A stored answer, and its key, under which there may be none. */
export interface Found {
  readonly key: string;
  readonly stored: StoredResponse | null;
  /** True if what is stored under the key is for other requests. */
  readonly isOfOthers: boolean;
}

/** Finds the answer to a request by what the page sets of it. All of it rejects only where a digest fails. */
export class Finder {
  readonly #ports: FinderPorts;
  /** When the first request came, in milliseconds of the epoch; null before that. */
  #firstAt: number | null = null;

  constructor(ports: FinderPorts) {
    this.#ports = ports;
  }

  /** As it is stored by now. */
  recall(invocation: Invocation, url: string): Promise<Found> {
    return this.#locate(invocation, url, (key) => this.#read(key));
  }

  /** The same from what this worker instance knows; the database is asked only for what it does not know. */
  async peek(invocation: Invocation, url: string): Promise<Found> {
    const found = await this.#locate(invocation, url, (key) => this.#look(key));
    if (this.#ports.known.isToLearn && this.#isPastStart()) void this.#learn();
    return found;
  }

  /** No request of the first moments after a start, nor the reading of its answer, waits behind the list of all keys. */
  #isPastStart(): boolean {
    const now = this.#ports.system.clock.now();
    this.#firstAt ??= now;
    // A clock that is set back delays the list by no more than that.
    return Math.abs(now - this.#firstAt) >= URGENT;
  }

  /** The same; null if nothing is stored for this request. */
  async selected(invocation: Invocation, url: string): Promise<Found | null> {
    const found = await this.peek(invocation, url);
    return found.isOfOthers || this.#ports.known.isAbsent(found.key) ? null : found;
  }

  async #locate(
    invocation: Invocation,
    url: string,
    find: (key: string) => Promise<StoredResponse | null>,
  ): Promise<Found> {
    const { keys, signposts } = this.#ports;
    const asking = askingOf(invocation);
    const bare = await keys.bare(invocation, url);
    const key = await signposts.locate(bare, asking, find);
    const stored = await find(key);
    const isOfOthers = stored !== null && key === bare && !fitsBare(stored, asking);
    return { key, stored: isOfOthers ? null : stored, isOfOthers };
  }

  async #look(key: string): Promise<StoredResponse | null> {
    const { known, sweeps } = this.#ports;
    if (sweeps.removal.covers(key)) return null;
    return known.get(key) ?? (known.isAbsent(key) ? null : this.#read(key));
  }

  async #read(key: string): Promise<StoredResponse | null> {
    const { responses, sweeps, lineages, known } = this.#ports;
    const lookup = await responses.find(key);
    if (lookup.kind !== 'unknown') sweeps.resume();
    const found = foundIn(lookup);
    if (!found || sweeps.removal.covers(key)) return null;
    lineages.heed(ordinalOf(found.revision.lineage));
    known.note(found);
    return found;
  }

  /** Learns which answers there are, so that no others are looked up; in slices, so that other work has its turn. */
  async #learn(): Promise<void> {
    const { known, responses, system } = this.#ports;
    const learning = known.beginToLearn();
    let keys: Lookup<readonly string[]>;
    let last: string | null = null;
    do {
      keys = await responses.keys(last, SLICE);
      const found: readonly string[] = foundIn(keys) ?? [];
      for (const key of found) learning.add(key);
      last = found.at(-1) ?? null;
      await system.pause();
    } while (keys.kind === 'found');
    known.endLearning(learning, keys.kind === 'absent');
  }
}
