import type { Header } from '../../shared/header.ts';
import type { CacheInspection } from '../../shared/inspection.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { ordinalOf } from '../../shared/lineage.ts';
import { isSameRevision } from '../../shared/outcome.ts';
import type { Answer, Revision } from '../../shared/outcome.ts';
import { pageSetHeaders } from '../../shared/header.ts';
import type { DeltaFrom } from '../contracts/byte-delta.ts';
import { digestInParts } from '../platform/sha256.ts';
import { foundIn } from '../contracts/lookup.ts';
import type { Lookup } from '../contracts/lookup.ts';
import type { System } from '../platform/system.ts';
import { changeTo, confirmBy, isAsGood, redescribed, writtenBehind } from './change.ts';
import { cacheKey, isCacheable, isStorable, storableHeaders } from './storable.ts';
import { Known } from './known.ts';
import { Lineages, Lines } from './lineages.ts';
import type { Change, Order, ResponseStore, StoredResponse } from '../contracts/response-store.ts';

export { isOfAnother } from './change.ts';
export { looksLikePortal } from './storable.ts';
export type { ResponseStore, StoredResponse } from '../contracts/response-store.ts';

/** An answer as it came from its server. */
export interface Received {
  readonly answer: Answer<unknown>;
  readonly bytes: ArrayBuffer;
  /** Milliseconds of the epoch. */
  readonly receivedAt: number;
  /** The origin that sent it, where that is another than the one that was asked; null or missing where it is not. */
  readonly sender?: string | null;
  /** The URL that a redirect led to; null or missing where none did. */
  readonly finalUrl?: string | null;
  /**
   * Called when it is decided that this answer follows the one that is stored: false where one that was asked for later
   * has come before it. May be called again. Missing for true.
   */
  readonly take?: () => boolean;
}

/** How an answer has come about. */
export interface Making {
  /** What spares storing the whole, where its revision is still the one that is stored. */
  readonly derivation?: DeltaFrom | null;
  /** Whether it is the next of a loop, which runs in one engine alone. */
  readonly counts?: boolean;
  /** How often all had been cleared when it was asked for: it is not stored where that was done since. */
  readonly clearings?: number;
}

export interface Remembered {
  /** False where the bytes equal those stored before. */
  readonly changed: boolean;
  /** Null where the answer is not stored. */
  readonly revision: Revision | null;
  /** Resolves once it is stored, or it is known that it is not, or not soon. */
  readonly isStored: Promise<boolean>;
}

/** Whose answers these are: one identity for now. */
const PARTITION = 'default';

const DONE: Promise<boolean> = Promise.resolve(true);

const NOT_STORED: Remembered = { changed: true, revision: null, isStored: Promise.resolve(false) };

const UNKNOWN_SENDER = '';

/** Keys that are learned at a time. */
const SLICE = 1_000;

/** The private cache of answers to GET (RFC 9111). What its storage cannot do never fails a read. */
export class Cache {
  readonly #system: Pick<System, 'clock' | 'digest' | 'uuid' | 'pause'>;
  readonly #responses: ResponseStore;
  readonly #textOf: (functions: readonly string[]) => Promise<string>;
  readonly #known = new Known();
  readonly #lines: Lines;
  readonly #lineages: Lineages;
  /** The digest of the answer that came last, by key, as long as it is made. */
  readonly #digests = new Map<string, Promise<string>>();
  #clearings = 0;
  /** The last that the database said. */
  #salt: string | null = null;

  /** `textOf` says what the functions are that an answer has gone through. */
  constructor(
    system: Pick<System, 'clock' | 'digest' | 'uuid' | 'pause'>,
    responses: ResponseStore,
    textOf: (functions: readonly string[]) => Promise<string> = async (names) => JSON.stringify(names),
  ) {
    this.#system = system;
    this.#responses = responses;
    this.#textOf = textOf;
    this.#lines = new Lines(system.uuid);
    this.#lineages = new Lineages(
      () => system.clock.now(),
      () => this.#lines.next(),
    );
  }

  /** What is stored for this call, however old; null where nothing is or the policy does without. */
  async recall(invocation: Invocation, url: string): Promise<StoredResponse | null> {
    if (!isCacheable(invocation)) return null;
    return await orElse(null, async () => this.#find(await this.#keyOf(invocation, url)));
  }

  /** The same as far as this life of the worker knows; only what it does not is looked up. */
  async peek(invocation: Invocation, url: string): Promise<StoredResponse | null> {
    if (!isCacheable(invocation)) return null;
    return await orElse(null, async () => {
      const key = await this.#keyOf(invocation, url);
      if (this.#known.isToLearn) void this.#learn();
      return this.#known.get(key) ?? (this.#known.isAbsent(key) ? null : this.#find(key));
    });
  }

  /** Null where it is gone, or has been replaced since `stored` was recalled. */
  async body(stored: StoredResponse): Promise<ArrayBuffer | null> {
    const body = await this.#responses.body(PARTITION, stored);
    // It has been cleared away, or replaced by another engine.
    if (body.kind === 'absent') this.#known.lose(stored);
    return foundIn(body);
  }

  /** False where it is gone, has been replaced since it was recalled, or nobody can say. */
  async isCurrent(stored: StoredResponse): Promise<boolean> {
    const current = await this.#responses.find(PARTITION, stored.key);
    if (current.kind === 'unknown') return false;
    const isIt = current.kind === 'found' && isSameRevision(current.value.revision, stored.revision);
    if (!isIt) this.#known.lose(stored);
    if (current.kind === 'found') this.#known.note(current.value);
    return isIt;
  }

  /**
   * Has an answer stored where it may be, and says at once what will be: nobody who is told waits for the database.
   * `stored` is what `recall` gave before it was asked for. Null where the answer was not to be taken. Never rejects.
   */
  async remember(
    invocation: Invocation,
    url: string,
    stored: StoredResponse | null,
    received: Received,
    { derivation = null, counts = true, clearings = this.#clearings }: Making = {},
  ): Promise<Remembered | null> {
    if (!isTaken(received)) return null;
    if (!isCacheable(invocation)) return NOT_STORED;
    if (isStorable(invocation, received.answer)) {
      const remembered = await orElse(NOT_STORED, () =>
        this.#store(invocation, url, stored, received, { derivation, counts, clearings }),
      );
      if (remembered !== NOT_STORED) return remembered;
    }
    await this.#forgetOlder(invocation, url, stored);
    return NOT_STORED;
  }

  /** After a 304: the stored answer is as good as new (RFC 9111 section 4.3.4). Never rejects. */
  async freshen(stored: StoredResponse, headers: readonly Header[], receivedAt: number): Promise<void> {
    const fresh = confirmBy(stored, stored, headers, receivedAt);
    if (fresh.kind !== 'describe' || isAsGood(stored, fresh.stored)) return;
    await this.#describe(stored, fresh.stored, (now) => confirmBy(now, stored, headers, receivedAt));
  }

  /**
   * A redirect may have led a request that was to validate this to another origin: the next one validates nothing. Never
   * rejects.
   */
  async suspect(stored: StoredResponse): Promise<void> {
    const suspected = { ...stored, sender: UNKNOWN_SENDER };
    await this.#describe(stored, suspected, (now) => redescribed(now, suspected));
  }

  /** A page knows a line of this ordinal: what it is told from now on is younger. */
  heed(ordinal: number): void {
    this.#lineages.heed(ordinal);
  }

  /** Whether an answer is to be asked for whole, since its revision may be older than what some page knows. */
  isBehind({ revision }: StoredResponse): boolean {
    return this.#lineages.isBehind(revision);
  }

  /** What was begun so far is stored, or will not be soon. Never rejects. */
  async settled(): Promise<void> {
    await this.#responses.settled(PARTITION);
  }

  /** How often all has been cleared. */
  get clearings(): number {
    return this.#clearings;
  }

  /** Forgets every answer, those too that are on their way; rejects where the storage fails. */
  async clear(): Promise<void> {
    this.#clearings += 1;
    this.#known.forgetAll();
    this.#lines.abandon();
    // What is told from now on is all that is stored afterwards.
    const left = this.#known.beginToLearn();
    try {
      await this.#responses.clear(PARTITION);
    } catch (error) {
      this.#known.endLearning(left, false);
      throw error;
    }
    // What was read meanwhile may be of before.
    this.#known.forgetAll();
    this.#known.endLearning(left, true);
  }

  inspect(): Promise<CacheInspection> {
    return this.#responses.inspect(PARTITION);
  }

  /** Seconds since the answer was received or confirmed; 0 where the clock went back meanwhile. */
  ageOf(stored: StoredResponse, now: number): number {
    return Math.max(0, (now - stored.receivedAt) / 1_000);
  }

  async #store(
    invocation: Invocation,
    url: string,
    asked: StoredResponse | null,
    received: Received,
    { derivation, counts, clearings }: Required<Making>,
  ): Promise<Remembered | null> {
    const incoming = await this.#incoming(invocation, url, received);
    const { key } = incoming;
    if (!isTaken(received)) return null;
    if (clearings !== this.#clearings) return NOT_STORED;
    // From here to the order nothing else may come between: what is told last is to be stored last.
    const known = this.#following(this.#known.get(key) ?? asked);
    const ports = { lines: this.#lines, begin: () => this.#lineages.begin() };
    const { changed, stored } = writtenBehind(known, incoming, ports, counts);
    const { revision } = stored;
    if (known && !changed && isAsGood(known, stored)) return { changed, revision, isStored: DONE };
    this.#known.note(stored);
    const { bytes } = received;
    const isStored = this.#responses.write(PARTITION, {
      key,
      stored,
      body: bytes,
      follows: !changed || derivation !== null,
      decide: (current) => this.#decide(current, stored, bytes, derivation),
      lost: () => this.#lose(stored),
    });
    return { changed, revision, isStored };
  }

  #decide(
    current: StoredResponse | null,
    stored: StoredResponse,
    bytes: ArrayBuffer,
    derivation: DeltaFrom | null,
  ): Change {
    const change = changeTo(current, stored, bytes, derivation);
    if (change.kind === 'keep') this.#lose(stored);
    return change;
  }

  /** Another engine has stored something newer, or it cannot be stored. */
  #lose(stored: StoredResponse): void {
    this.#known.lose(stored);
    this.#lines.abandon();
  }

  /** What is older than an answer that is not stored must not be served after it (invariant 8). */
  async #forgetOlder(invocation: Invocation, url: string, stored: StoredResponse | null): Promise<void> {
    const key = stored?.key ?? (await orElse(null, () => this.#keyOf(invocation, url)));
    if (key === null || (stored === null && this.#known.isAbsent(key))) return;
    this.#known.forget(key);
    void this.#responses.write(PARTITION, {
      key,
      stored: null,
      body: null,
      follows: false,
      decide: remove,
      lost: () => {},
    });
  }

  /** Says something else of an answer, as long as it is the one that is stored. */
  async #describe(asked: StoredResponse, stored: StoredResponse, decide: Order['decide']): Promise<void> {
    const current = foundIn(await this.#responses.find(PARTITION, asked.key));
    if (!current || !isSameRevision(current.revision, asked.revision)) return;
    this.#known.note(stored);
    void this.#responses.write(PARTITION, {
      key: asked.key,
      stored,
      body: null,
      follows: true,
      decide,
      lost: () => {},
    });
  }

  async #incoming(
    invocation: Invocation,
    url: string,
    { answer, bytes, receivedAt, sender = null, finalUrl = null }: Received,
  ): Promise<Omit<StoredResponse, 'revision'>> {
    const key = await this.#keyOf(invocation, url);
    return {
      key,
      url,
      ...(sender === null ? {} : { sender }),
      // Of another origin's answer nothing is ever validated.
      ...(sender === null && finalUrl !== null ? { finalUrl } : {}),
      status: answer.status,
      headers: storableHeaders(answer.headers, invocation.policy.secretHeaders),
      receivedAt,
      digest: await this.#digestInTurn(key, bytes),
      size: bytes.byteLength,
    };
  }

  /** After that of the answer before it: a short one, which takes less time, would overtake it. */
  async #digestInTurn(key: string, bytes: ArrayBuffer): Promise<string> {
    const before = this.#digests.get(key);
    const digest = after(before, digestInParts(new Uint8Array(bytes), this.#system));
    this.#digests.set(key, digest);
    try {
      return await digest;
    } finally {
      if (this.#digests.get(key) === digest) this.#digests.delete(key);
    }
  }

  /** Which answers there are at all: nobody looks for the others. In slices, between which others have their turn. */
  async #learn(): Promise<void> {
    const learning = this.#known.beginToLearn();
    let keys: Lookup<readonly string[]>;
    let last: string | null = null;
    do {
      keys = await this.#responses.keys(PARTITION, last, SLICE);
      const found: readonly string[] = foundIn(keys) ?? [];
      for (const key of found) learning.add(key);
      last = found.at(-1) ?? null;
      await this.#system.pause();
    } while (keys.kind === 'found');
    this.#known.endLearning(learning, keys.kind === 'absent');
  }

  async #find(key: string): Promise<StoredResponse | null> {
    const found = foundIn(await this.#responses.find(PARTITION, key));
    if (!found) return null;
    this.#lineages.heed(ordinalOf(found.revision.lineage));
    this.#known.note(found);
    return found;
  }

  /** What the next answer follows; null where it begins a line of its own, younger than this one. */
  #following(current: StoredResponse | null): StoredResponse | null {
    if (current) this.#lineages.heed(ordinalOf(current.revision.lineage));
    return current && this.isBehind(current) ? null : current;
  }

  async #keyOf(invocation: Invocation, url: string): Promise<string> {
    const { headers, policy } = invocation;
    const made = policy.transform ? await this.#textOf(policy.transform) : '';
    const { credentials } = policy;
    const varying = (credentials === 'same-origin' ? '' : credentials) + pageSetHeaders(headers) + made;
    if (varying === '') return cacheKey(url, '');
    const salt = await this.#saltNow();
    return cacheKey(url, await this.#system.digest(new TextEncoder().encode(salt + varying)));
  }

  /**
   * It is asked for every time, since a database that was deleted meanwhile has a new one. Where that fails or is late, the
   * one from before most likely holds: an answer must be stored, or what is older forgotten, all the same (invariant 8).
   */
  async #saltNow(): Promise<string> {
    try {
      this.#salt = await this.#responses.salt(PARTITION, this.#system.uuid());
    } catch (error) {
      if (this.#salt === null) throw error;
    }
    return this.#salt;
  }
}

function isTaken({ take }: Received): boolean {
  return take?.() ?? true;
}

/** What the work comes to, once what was begun before it is over, however that ended. */
async function after<T>(before: Promise<T> | undefined, work: Promise<T>): Promise<T> {
  const [, result] = await Promise.allSettled([before, work]);
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}

async function orElse<T>(otherwise: T, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch {
    return otherwise;
  }
}

function remove(): Change {
  return { kind: 'remove' };
}
