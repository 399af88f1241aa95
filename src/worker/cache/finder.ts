import type { Invocation } from '../../shared/invocation.ts';
import { ordinalOf } from '../../shared/outcome.ts';
import { ABSENT, foundIn, UNNAMED } from '../contracts/response-store.ts';
import type { Lookup, ResponseStore, StoredResponse } from '../contracts/response-store.ts';
import type { System } from '../platform/system.ts';
import type { Lineages } from './change.ts';
import { askingOf, bareWithin, beforeKeys, fitsBare } from './keys.ts';
import type { Asking, Keys } from './keys.ts';
import type { Known } from './known.ts';
import type { Signposts } from './signposts.ts';
import type { Sweeps } from './sweeps.ts';

/** Milliseconds from the first request of a worker, in which its database has more urgent work than the list of all keys. */
const URGENT = 1_000;

/** Keys that are learned at a time. */
const SLICE = 1_000;

/** Keys that are listed at a time to find those of one URL: mostly, one follows. */
const FEW = 20;

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

/** What its keys begin with is not known either. */
const NAMELESS: Lookup<never> = { kind: 'unknown', error: new Error('The storage cannot name the URL yet') };

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

  /**
   * What came last of what is stored of the URL for requests with these headers, whatever else sets it apart: functions and
   * credentials. As it is stored by now.
   */
  async newest(invocation: Invocation, url: string): Promise<Lookup<StoredResponse>> {
    const within = await this.#ports.keys.within(url);
    if (within.startsWith(UNNAMED)) return NAMELESS;
    const keys = await this.#within(within);
    if (keys.kind !== 'found') return keys;
    return this.#newestOf(within, keys.value, invocation, (key) => this.#read(key));
  }

  /** The same as far as this worker instance knows. */
  async newestKnown(invocation: Invocation, url: string): Promise<Lookup<StoredResponse>> {
    const { keys, known } = this.#ports;
    const within = await keys.within(url);
    const find = async (key: string): Promise<Lookup<StoredResponse>> => {
      const value = known.get(key);
      return value ? { kind: 'found', value } : ABSENT;
    };
    return this.#newestOf(within, known.within(within), invocation, find);
  }

  async #newestOf(
    within: string,
    keys: readonly string[],
    invocation: Invocation,
    find: (key: string) => Promise<Lookup<StoredResponse>>,
  ): Promise<Lookup<StoredResponse>> {
    const { removal } = this.#ports.sweeps;
    let unknown: Lookup<never> | null = null;
    const findLeft = async (key: string): Promise<Lookup<StoredResponse>> => {
      const lookup = removal.covers(key) ? ABSENT : await find(key);
      if (lookup.kind === 'unknown') unknown = lookup;
      return lookup;
    };
    const asking = askingOf(invocation);
    const bares = [...new Set(keys.map((key) => bareWithin(within, key)))];
    const all = await Promise.all(bares.map((bare) => this.#locateAt(bare, asking, findLeft)));
    if (unknown) return unknown;
    const now = this.#ports.system.clock.now();
    // What seems to come from later is from before the clock was set back.
    const isFormer = ({ receivedAt }: StoredResponse): number => Number(receivedAt > now);
    const [value] = all
      .flatMap(({ stored }) => stored ?? [])
      .toSorted((one, other) => isFormer(one) - isFormer(other) || other.receivedAt - one.receivedAt);
    return value ? { kind: 'found', value } : ABSENT;
  }

  /** All keys that begin with this. */
  async #within(within: string): Promise<Lookup<readonly string[]>> {
    const all: string[] = [];
    let after = beforeKeys(within);
    for (;;) {
      const found = await this.#ports.responses.keys(after, FEW);
      if (found.kind === 'unknown') return found;
      const keys = (foundIn(found) ?? []).filter((key) => key.startsWith(within));
      all.push(...keys);
      if (keys.length < FEW) return all.length > 0 ? { kind: 'found', value: all } : ABSENT;
      after = keys.at(-1) ?? after;
    }
  }

  async #locate(
    invocation: Invocation,
    url: string,
    find: (key: string) => Promise<Lookup<StoredResponse>>,
  ): Promise<Found> {
    return this.#locateAt(await this.#ports.keys.bare(invocation, url), askingOf(invocation), find);
  }

  async #locateAt(
    bare: string,
    asking: Asking,
    find: (key: string) => Promise<Lookup<StoredResponse>>,
  ): Promise<Found> {
    const { signposts } = this.#ports;
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
