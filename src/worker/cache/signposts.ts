import type { Header } from '../../shared/header.ts';
import { ordinalOf } from '../../shared/outcome.ts';
import { foundIn } from '../contracts/response-store.ts';
import type { ResponseStore, StoredResponse } from '../contracts/response-store.ts';
import { PER_MILLISECOND } from './change.ts';
import type { Lineages } from './change.ts';
import { maySelect, signpostKey } from './keys.ts';
import type { Asking, Keys } from './keys.ts';
import type { Known } from './known.ts';
import type { Sweep } from './sweeps.ts';
import { namesOf, selectorsOf, valuesOf } from './selection.ts';

/** Most headers by which answers of one URL are told apart: beyond that, those of the newest answer count alone. */
const MOST_NAMES = 16;

/** Milliseconds after which a signpost that is used is written again, so that it is not evicted before its variants. */
const HOUR = 3_600_000;

/** Milliseconds after which a signpost may forget headers that its server names no more. */
const DAY = 24 * HOUR;

export interface SignpostsPorts {
  readonly now: () => number;
  readonly responses: Pick<ResponseStore, 'find' | 'write'>;
  readonly keys: Keys;
  readonly known: Known;
  readonly lineages: Lineages;
  readonly removal: Pick<Sweep, 'covers' | 'spare'>;
}

/**
 * Signposts say by which headers the answers of a URL vary. One is a stored answer without a body: it is counted,
 * evicted, listed and removed as any other. Its name is part of its variants' keys. So a variant from before another
 * signpost, which may be older than what was told since, is not found again.
 */
export class Signposts {
  readonly #ports: SignpostsPorts;

  constructor(ports: SignpostsPorts) {
    this.#ports = ports;
  }

  /** Where a request finds its answer. `find` reads a record, as far as the caller wants to know it. */
  async locate(
    bare: string,
    asking: Asking,
    find: (key: string) => Promise<StoredResponse | null>,
  ): Promise<string> {
    if (!maySelect(asking)) return bare;
    return this.#ports.keys.selected(bare, await find(signpostKey(bare)), asking);
  }

  /** Where an answer with these headers is stored; its signpost is written where that is needed. */
  async place(bare: string, url: string, asking: Asking, answer: readonly Header[]): Promise<string> {
    if (!maySelect(asking)) return bare;
    const { known, responses, removal, keys } = this.#ports;
    const key = signpostKey(bare);
    const stored = known.get(key) ?? foundIn(await responses.find(key));
    // Another answer may have set one up meanwhile.
    const found = removal.covers(key) ? null : (known.get(key) ?? stored);
    const signpost = this.#current(
      key,
      url,
      found,
      asking,
      selectorsOf(namesOf(answer), asking.secretHeaders),
    );
    return keys.selected(bare, signpost, asking);
  }

  #current(
    key: string,
    url: string,
    found: StoredResponse | null,
    asking: Asking,
    names: readonly string[],
  ): StoredResponse | null {
    if (!found && valuesOf(names, asking.headers) === '') return null;
    const wanted = this.#namesAfter(found, names);
    const isSame = found !== null && wanted.join() === namesOf(found.headers).join();
    const now = this.#now;
    if (isSame && Math.abs(now - found.receivedAt) < HOUR) return found;
    return this.#write(isSame ? { ...found, receivedAt: now } : this.#made(key, url, wanted));
  }

  /** Names are added, so that origins which alternate find all variants again; once a day the list begins anew. */
  #namesAfter(found: StoredResponse | null, names: readonly string[]): readonly string[] {
    if (!found) return names;
    const before = namesOf(found.headers);
    const all = [...new Set([...before, ...names])].toSorted();
    const begunAt = ordinalOf(found.revision.lineage) / PER_MILLISECOND;
    const isOld = this.#now - begunAt >= DAY;
    return all.length > MOST_NAMES || isOld ? names : all;
  }

  #made(key: string, url: string, names: readonly string[]): StoredResponse {
    const lineage = this.#ports.lineages.begin();
    return {
      key,
      url,
      status: 0,
      headers: [['Vary', names.join(', ')]],
      receivedAt: this.#now,
      digest: lineage,
      size: 0,
      revision: { lineage, number: 1 },
    };
  }

  #write(stored: StoredResponse): StoredResponse {
    const { known, removal, responses } = this.#ports;
    const body = new ArrayBuffer(0);
    removal.spare(stored.key);
    known.note(stored);
    void responses.write({
      key: stored.key,
      stored,
      body,
      follows: false,
      decide: () => ({ kind: 'replace', stored, body }),
      lost: () => known.lose(stored),
    });
    return stored;
  }

  get #now(): number {
    return this.#ports.now();
  }
}
