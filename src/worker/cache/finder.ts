import type { Invocation } from '../../shared/invocation.ts';
import { ordinalOf } from '../../shared/outcome.ts';
import { ABSENT, foundIn } from '../contracts/response-store.ts';
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
  /** True if it is known that nothing is stored under the key. */
  readonly isAbsent: boolean;
}

/** What is being removed is not looked up: it may be stored still. */
const REMOVED: Lookup<never> = { kind: 'unknown', error: new Error('The answer is being removed') };

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

  /** The same; null if what is stored is for other requests. */
  async selected(invocation: Invocation, url: string): Promise<Found | null> {
    const found = await this.peek(invocation, url);
    return found.isOfOthers ? null : found;
  }

  async #locate(
    invocation: Invocation,
    url: string,
    find: (key: string) => Promise<Lookup<StoredResponse>>,
  ): Promise<Found> {
    const { keys, signposts } = this.#ports;
    const asking = askingOf(invocation);
    const bare = await keys.bare(invocation, url);
    const key = await signposts.locate(bare, asking, async (signpost) => foundIn(await find(signpost)));
    const lookup = await find(key);
    const stored = foundIn(lookup);
    const isOfOthers = stored !== null && key === bare && !fitsBare(stored, asking);
    return { key, stored: isOfOthers ? null : stored, isOfOthers, isAbsent: lookup.kind === 'absent' };
  }

  async #look(key: string): Promise<Lookup<StoredResponse>> {
    const { known, sweeps } = this.#ports;
    if (sweeps.removal.covers(key)) return REMOVED;
    const value = known.get(key);
    if (value) return { kind: 'found', value };
    return known.isAbsent(key) ? ABSENT : this.#read(key);
  }

  async #read(key: string): Promise<Lookup<StoredResponse>> {
    const { responses, sweeps, lineages, known } = this.#ports;
    const lookup = await responses.find(key);
    if (lookup.kind !== 'unknown') sweeps.resume();
    if (lookup.kind !== 'found') return lookup;
    if (sweeps.removal.covers(key)) return REMOVED;
    const { value } = lookup;
    lineages.heed(ordinalOf(value.revision.lineage));
    known.note(value);
    return lookup;
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
