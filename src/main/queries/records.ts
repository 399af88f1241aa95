import type { Invocation, RequestBody } from '../../shared/invocation.ts';
import { LIMITS } from '../../shared/limits.ts';
import { RecentlyUsed } from '../../shared/recently-used.ts';
import { QueryRecord } from './record.ts';
import type { Held, RecordHome, RecordWatcher } from './record.ts';
import { told } from './view.ts';
import { pageSetHeaders } from '../../shared/header.ts';

type Wake = (occasion: Occasion) => void;

/** Bytes that a small response is counted as, at least. */
const OVERHEAD = 1_024;

/**
 * The records of all queries of a connection. Those that somebody watches are kept; of the others the last
 * `LIMITS.results`, with `LIMITS.resultBytes` of their responses.
 */
export class QueryRecords implements RecordHome {
  readonly #watched = new Map<string, QueryRecord>();
  readonly #idle = new RecentlyUsed<string, QueryRecord>(LIMITS.results);
  readonly #held = new RecentlyUsed<QueryRecord, Held>(LIMITS.resultBytes, ({ size }) => size + OVERHEAD);
  readonly #wakes = new Set<{ readonly wake: Wake }>();
  /** An invocation keeps its record, even one that has ended: what is still on its way comes to that one. */
  readonly #known = new WeakMap<Invocation, QueryRecord>();

  /** The record of what an invocation asks for. */
  of(invocation: Invocation): QueryRecord {
    const known = this.#known.get(invocation);
    if (known?.isEnded) return known;
    const record = this.#find(known ? known.key : queryKey(invocation), known);
    this.#known.set(invocation, record);
    return record;
  }

  /** Calls `wake` on each occasion; the returned function ends that. */
  attach(wake: Wake): () => void {
    const entry = { wake };
    this.#wakes.add(entry);
    return () => void this.#wakes.delete(entry);
  }

  /** Something has happened on which watched queries may ask. */
  wake(occasion: Occasion): void {
    const wakes = [...this.#wakes];
    for (const { wake } of wakes) told(() => wake(occasion));
  }

  /**
   * Ends all records, before anything of another identity is told: whoever watches one shows nothing. `wake('identity')`
   * then makes watched queries ask for that identity.
   */
  empty(): void {
    const records = [...this.#watched.values(), ...this.#idle.values()];
    this.#watched.clear();
    this.#idle.clear();
    this.#held.clear();
    for (const record of records) record.end();
  }

  watched(record: QueryRecord, isWatched: boolean): void {
    const { key } = record;
    this.#held.delete(record);
    if (key === null) return;
    this.#idle.delete(key);
    this.#watched.delete(key);
    if (isWatched) this.#watched.set(key, record);
    else this.#idle.set(key, record);
  }

  hold(record: QueryRecord, held: Held | undefined): void {
    if (held) this.#held.set(record, held);
    else this.#held.delete(record);
  }

  held(record: QueryRecord): Held | undefined {
    return this.#held.get(record);
  }

  /** `known` is the record that the invocation had, which may have been dropped since. */
  #find(key: string | null, known: QueryRecord | undefined): QueryRecord {
    const found = key === null ? known : (this.#watched.get(key) ?? this.#idle.get(key));
    if (found) return found;
    const record = known ?? new QueryRecord(key, this);
    if (key !== null) this.#idle.set(key, record);
    return record;
  }
}

/**
 * A text that names what an invocation asks for; null where its body is bytes, which nobody asks for twice. Two
 * invocations with one key get the same answer, but for the time between them. The action's name, deadlines and
 * repetitions are no part of it.
 */
export function queryKey(invocation: Invocation): string | null {
  const { method, template, baseUrl, documentUrl, params, headers, body, policy } = invocation;
  if (body.kind === 'bytes') return null;
  // `history.pushState` changes the document's URL, but an absolute URL still leads to the same place.
  const isAbsolute = /^(?:\/|\w+:)/.test(baseUrl || template);
  return JSON.stringify([
    method,
    isAbsolute || documentUrl,
    baseUrl,
    template,
    params.toSorted(([one], [other]) => (one < other ? -1 : 1)),
    pageSetHeaders(headers),
    bodyKey(body),
    policy.credentials,
    policy.transform,
  ]);
}

/** A long text is named by its beginning, its length and its hash: keys are kept. */
function bodyKey(body: Exclude<RequestBody, { readonly kind: 'bytes' }>): readonly unknown[] {
  if (body.kind === 'none') return [];
  const { kind, text } = body;
  const isLong = text.length > LIMITS.checkedLength;
  return isLong ? [kind, text.slice(0, LIMITS.checkedLength), text.length, hashOf(text)] : [kind, text];
}

/** A hash of 64 bits, as two numbers (FNV-1a with two primes). */
function hashOf(text: string): readonly number[] {
  let [one, other] = [0x811c9dc5, 0x811c9dc5];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    one = Math.imul(one ^ code, 0x01000193);
    other = Math.imul(other ^ code, 0x85ebca6b);
  }
  return [one, other];
}

/** Keeps one record at a time, with its response, without looking at it. */
export class KeptRecord {
  readonly #watcher: RecordWatcher;
  #record: QueryRecord | null = null;
  #leave: (() => void) | null = null;

  /** `ended` is called when the record ends: the page goes on with another identity. */
  constructor(ended: () => void = () => {}) {
    this.#watcher = { hear: () => {}, changed: () => {}, ended };
  }

  get record(): QueryRecord | null {
    return this.#record;
  }

  /** Keeps this record instead of the one before; null for none. */
  keep(record: QueryRecord | null): void {
    if (record === this.#record) return;
    const leave = this.#leave;
    this.#record = record;
    this.#leave = record && record.watch(this.#watcher);
    leave?.();
  }
}

/** The record of what a loop asks: it is kept as long as the loop asks, and fetches until the first answer. */
export class AskedRecord {
  readonly #kept = new KeptRecord();
  #answered: (() => void) | null = null;

  /** The record of the question that the loop asks; null where it asks nothing. */
  get record(): QueryRecord | null {
    return this.#kept.record;
  }

  /** The loop asks this from now on; null for nothing. */
  ask(record: QueryRecord | null): void {
    this.#answered?.();
    this.#kept.keep(record);
    this.#answered = record && record.begin();
  }

  /** The first answer, or a later one, has come. */
  answered(): void {
    this.#answered?.();
  }
}

/**
 * An event after which a query may ask: somebody begins to watch it (`mount`), the page is shown again (`focus`), the network is
 * back (`online`), or the page goes on with another identity.
 */
export type Occasion = 'mount' | 'focus' | 'online' | 'identity';

/** Occasions on which a query that has an answer asks again. */
export interface RefreshOn {
  /** The page is shown again (default true). */
  readonly focus?: boolean;
  /** The network is back (default true). */
  readonly online?: boolean;
  /** Somebody begins to watch (default true). */
  readonly mount?: boolean;
}

export interface AskingRule {
  readonly enabled: boolean;
  /** Milliseconds for which an answer is not asked for again. */
  readonly staleTime: number;
  readonly refreshOn: RefreshOn;
}

/** The state of the query at that moment, as the page knows it. */
export interface Standing {
  readonly hasData: boolean;
  readonly isFetching: boolean;
  /** When the server gave the newest answer, in milliseconds of the epoch; null where there is none. */
  readonly answeredAt: number | null;
}

/** True where a query asks on this occasion. The worker then decides by HTTP's rules whether a request goes out. */
export function isWorthAsking(
  occasion: Occasion,
  { enabled, staleTime, refreshOn }: AskingRule,
  { hasData, isFetching, answeredAt }: Standing,
  now: number,
): boolean {
  if (!enabled || isFetching) return false;
  if (!hasData || answeredAt === null || occasion === 'identity') return true;
  return refreshOn[occasion] !== false && now - answeredAt >= staleTime;
}
