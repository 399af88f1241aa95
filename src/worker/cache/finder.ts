import type { Invocation } from '../../shared/invocation.ts';
import { ordinalOf } from '../../shared/lineage.ts';
import { foundIn } from '../contracts/lookup.ts';
import type { Lookup } from '../contracts/lookup.ts';
import type { ResponseStore, StoredResponse } from '../contracts/response-store.ts';
import type { System } from '../platform/system.ts';
import type { Lineages } from './change.ts';
import { askingOf, fitsBare } from './keys.ts';
import type { Asking, Keys } from './keys.ts';
import type { Known } from './known.ts';
import type { Signposts } from './signposts.ts';
import type { UrlSweep } from './url-sweep.ts';

/** Keys that are learned at a time. */
const SLICE = 1_000;

export interface FinderPorts {
  readonly system: Pick<System, 'pause'>;
  readonly responses: Pick<ResponseStore, 'find' | 'keys'>;
  readonly keys: Keys;
  readonly signposts: Signposts;
  readonly known: Known;
  readonly lineages: Lineages;
  readonly removal: Pick<UrlSweep, 'covers'>;
}

/** A stored answer, and its key, under which there may be none. */
export interface Found {
  readonly key: string;
  readonly stored: StoredResponse | null;
}

/** Finds the answer to a request by what the page sets of it. All of it rejects only where a digest fails. */
export class Finder {
  readonly #ports: FinderPorts;

  constructor(ports: FinderPorts) {
    this.#ports = ports;
  }

  /** As it is stored by now. */
  recall(invocation: Invocation, url: string): Promise<Found> {
    return this.#locate(invocation, url, (key) => this.#read(key));
  }

  /** The same from what this worker instance knows; the database is asked only for what it does not know. */
  peek(invocation: Invocation, url: string): Promise<Found> {
    if (this.#ports.known.isToLearn) void this.#learn();
    return this.#locate(invocation, url, (key) => this.#look(key));
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
    return { key, stored: stored && key === bare ? fitting(stored, asking) : stored };
  }

  async #look(key: string): Promise<StoredResponse | null> {
    const { known, removal } = this.#ports;
    if (removal.covers(key)) return null;
    return known.get(key) ?? (known.isAbsent(key) ? null : this.#read(key));
  }

  async #read(key: string): Promise<StoredResponse | null> {
    const { responses, removal, lineages, known } = this.#ports;
    const found = foundIn(await responses.find(key));
    if (!found || removal.covers(key)) return null;
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

function fitting(stored: StoredResponse, asking: Asking): StoredResponse | null {
  return fitsBare(stored, asking) ? stored : null;
}
