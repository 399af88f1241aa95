import type { StoredAnswer, StoredEntry, StoredPage } from '../../shared/inspection.ts';
import { foundIn } from '../contracts/response-store.ts';
import type { Lookup, ResponseStore, StoredResponse } from '../contracts/response-store.ts';
import type { Clock } from '../platform/system.ts';
import { freshnessOf } from './freshness.ts';
import { isSignpost, keysWithin, nameIn } from './keys.ts';

/** Answers that are listed at a time: what is stored may be a hundred thousand. */
const PAGE = 100;

export interface StoredListPorts {
  readonly responses: Pick<ResponseStore, 'keys' | 'find' | 'body' | 'nameOf'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Removes all that is stored for a URL. Never rejects. */
  readonly removeAll: (url: string) => Promise<void>;
}

/** Shows what is stored, as data. Each question reads at most one page of it. */
export class StoredList {
  readonly #ports: StoredListPorts;

  constructor(ports: StoredListPorts) {
    this.#ports = ports;
  }

  /** Rejects where the storage cannot tell. */
  async list(after: string | null): Promise<StoredPage> {
    const keys = known(await this.#ports.responses.keys(after, PAGE)) ?? [];
    const found = await this.#found(keys);
    const now = this.#ports.clock.now();
    const next = keys.length < PAGE ? null : (keys.at(-1) ?? null);
    return { entries: found.map((stored) => entryOf(stored, now)), next };
  }

  /** The newest answer that is stored for this URL, whatever it was asked with; null if there is none. */
  async read(url: string): Promise<StoredAnswer | null> {
    const { responses } = this.#ports;
    const prefix = await keysWithin(responses, url);
    const keys = known(await responses.keys(nameIn(prefix), PAGE)) ?? [];
    const found = await this.#found(keys.filter((key) => key.startsWith(prefix)));
    const [newest] = found.toSorted((one, other) => other.receivedAt - one.receivedAt);
    if (!newest) return null;
    const body = foundIn(await responses.body(newest));
    return body && { status: newest.status, headers: newest.headers, body };
  }

  remove(url: string): Promise<void> {
    return this.#ports.removeAll(url);
  }

  async #found(keys: readonly string[]): Promise<StoredResponse[]> {
    const answers = keys.filter((key) => !isSignpost(key));
    const found = await Promise.all(answers.map((key) => this.#ports.responses.find(key)));
    return found.flatMap((each) => foundIn(each) ?? []);
  }
}

function known<T>(lookup: Lookup<T>): T | null {
  if (lookup.kind === 'unknown') throw lookup.error;
  return foundIn(lookup);
}

function entryOf(stored: StoredResponse, now: number): StoredEntry {
  const { url, status, receivedAt: storedAt, size } = stored;
  const { age, lifetime, isReusable } = freshnessOf(stored, now);
  const freshUntil = isReusable && lifetime > age ? now + Math.round((lifetime - age) * 1_000) : null;
  return { url, status, storedAt, size, freshUntil };
}
