import type { Header } from '../../shared/header.ts';
import type { CacheInspection } from '../../shared/inspection.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { newLine } from '../../shared/line.ts';
import { isSameRevision } from '../../shared/outcome.ts';
import type { Answer, Revision } from '../../shared/outcome.ts';
import type { Derivation } from '../byte-change.ts';
import { digestInParts } from '../digest-in-parts.ts';
import type { System } from '../system.ts';
import { changeBy, changeTo, confirmBy, isAsGood, toldAhead } from './change.ts';
import { cacheKey, pageSetHeaders } from './key.ts';
import { Known } from './known.ts';
import type { Change, ResponseStore, StoredResponse } from './response-store.ts';
import { isCacheable, isStorable, storableHeaders } from './storable.ts';

export { isOfAnother } from './change.ts';
export { looksLikePortal } from './portal.ts';
export type { ResponseStore, StoredResponse } from './response-store.ts';

/** An answer as it came from its server. */
export interface Received {
  readonly answer: Answer<unknown>;
  readonly bytes: ArrayBuffer;
  /** Milliseconds of the epoch. */
  readonly receivedAt: number;
  /**
   * Called when it is decided that this answer follows the one that is stored: false where one that was asked for later
   * has come before it. May be called again. Missing for true.
   */
  readonly take?: () => boolean;
}

export interface Remembered {
  /** False where the bytes equal those stored before. */
  readonly changed: boolean;
  /** Null where the answer is not stored. */
  readonly revision: Revision | null;
}

/** Whose answers these are: one identity for now. */
const PARTITION = 'default';

const NOT_STORED: Remembered = { changed: true, revision: null };

/** The private cache of answers to GET (RFC 9111). What its storage cannot do never fails a read. */
export class Cache {
  readonly #system: Pick<System, 'digest' | 'uuid' | 'pause'>;
  readonly #responses: ResponseStore;
  readonly #textOf: (functions: readonly string[]) => Promise<string>;
  readonly #known = new Known();
  /** Resolves when all writes are done that nobody waited for. */
  #written: Promise<unknown> = Promise.resolve();
  #hasAsked = false;
  /** The digest of the answer that came last, by key, as long as it is made. */
  readonly #digests = new Map<string, Promise<string>>();

  /** `textOf` says what the functions are that an answer has gone through. */
  constructor(
    system: Pick<System, 'digest' | 'uuid' | 'pause'>,
    responses: ResponseStore,
    textOf: (functions: readonly string[]) => Promise<string> = async (names) => JSON.stringify(names),
  ) {
    this.#system = system;
    this.#responses = responses;
    this.#textOf = textOf;
  }

  /** What is stored for this call, however old; null where nothing is or the policy does without. */
  async recall(invocation: Invocation, url: string): Promise<StoredResponse | null> {
    if (!isCacheable(invocation)) return null;
    return await orElse(null, async () => this.#find(await this.#keyOf(invocation, url)));
  }

  /** The same as far as this life of the worker knows; only what it does not is looked up. */
  async glance(invocation: Invocation, url: string): Promise<StoredResponse | null> {
    if (!isCacheable(invocation)) return null;
    return await orElse(null, async () => {
      const key = await this.#keyOf(invocation, url);
      if (!this.#hasAsked) void this.#learn();
      return this.#known.get(key) ?? (this.#known.isAbsent(key) ? null : this.#find(key));
    });
  }

  /** Null where it is gone, or has been replaced since `stored` was recalled. */
  async body(stored: StoredResponse): Promise<ArrayBuffer | null> {
    return await orElse(null, () => this.#responses.body(PARTITION, stored));
  }

  /** False where it is gone, has been replaced since it was recalled, or nobody can say. */
  async isCurrent({ key, revision }: StoredResponse): Promise<boolean> {
    const current = await orElse(null, () => this.#responses.find(PARTITION, key));
    return current !== null && isSameRevision(current.revision, revision);
  }

  /**
   * Stores an answer where it may be; `stored` is what `recall` gave before it was asked for. `derivation` spares storing
   * the whole, where its revision is still the one that is stored. Null where the answer was not to be taken.
   */
  async remember(
    invocation: Invocation,
    url: string,
    stored: StoredResponse | null,
    received: Received,
    derivation: Derivation | null = null,
  ): Promise<Remembered | null> {
    if (!isTaken(received)) return null;
    if (!isCacheable(invocation)) return NOT_STORED;
    const remembered = isStorable(invocation, received.answer)
      ? await orElse(NOT_STORED, () => this.#store(invocation, url, received, derivation))
      : NOT_STORED;
    if (remembered === null) return null;
    // What is older than an answer that could not be stored must not be served after it (invariant 8).
    if (remembered.revision === null && stored) await this.#remove(stored.key);
    return remembered;
  }

  /**
   * The same for who does not wait until it is stored: says what will be, which `settled` waits for. What cannot be stored
   * then is as if it had been cleared away.
   */
  async rememberAhead(
    invocation: Invocation,
    url: string,
    stored: StoredResponse | null,
    received: Received,
  ): Promise<Remembered | null> {
    if (!isTaken(received)) return null;
    if (!isCacheable(invocation)) return NOT_STORED;
    if (isStorable(invocation, received.answer)) {
      const remembered = await orElse(NOT_STORED, () => this.#storeAhead(invocation, url, stored, received));
      if (remembered !== NOT_STORED) return remembered;
    }
    if (stored) this.#follow(this.#remove(stored.key));
    return NOT_STORED;
  }

  /** After a 304: the stored answer is as good as new (RFC 9111 section 4.3.4). Never rejects. */
  async freshen(stored: StoredResponse, headers: readonly Header[], receivedAt: number): Promise<void> {
    const fresh = confirmBy(stored, stored, headers, receivedAt);
    if (fresh.kind === 'describe' && isAsGood(stored, fresh.stored)) return;
    const write = this.#update(stored.key, (current) => confirmBy(current, stored, headers, receivedAt));
    this.#follow(write);
    await orElse(null, () => write);
  }

  /** What was begun so far is done. Never rejects. */
  async settled(): Promise<void> {
    await this.#written;
  }

  /** Forgets every answer; rejects where the storage fails. */
  async clear(): Promise<void> {
    this.#known.clear();
    await this.#responses.clear(PARTITION);
    this.#known.clear();
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
    received: Received,
    derivation: Derivation | null,
  ): Promise<Remembered | null> {
    const { bytes, receivedAt } = received;
    const incoming = await this.#incoming(invocation, url, received);
    const line = newLine(receivedAt, this.#system.uuid());
    const change = await this.#update(incoming.key, (current) =>
      isTaken(received) ? changeBy(current, incoming, bytes, line, derivation) : { kind: 'keep' },
    );
    if (change.kind === 'keep') return null;
    return { changed: change.kind !== 'describe', revision: change.stored.revision };
  }

  async #storeAhead(
    invocation: Invocation,
    url: string,
    asked: StoredResponse | null,
    received: Received,
  ): Promise<Remembered | null> {
    const incoming = await this.#incoming(invocation, url, received);
    const { key } = incoming;
    if (!isTaken(received)) return null;
    // From here to the write nothing else may come between: what is told last is to be stored last.
    const known = this.#known.get(key) ?? asked;
    const { changed, stored } = toldAhead(known, incoming, this.#system.uuid());
    if (known && !changed && isAsGood(known, stored)) return { changed, revision: stored.revision };
    this.#known.note(stored);
    const write = this.#update(key, (current) => changeTo(current, stored, received.bytes));
    this.#follow(write.catch(() => this.#remove(key)));
    return { changed, revision: stored.revision };
  }

  async #incoming(
    invocation: Invocation,
    url: string,
    { answer, bytes, receivedAt }: Received,
  ): Promise<Omit<StoredResponse, 'revision'>> {
    const key = await this.#keyOf(invocation, url);
    return {
      key,
      url,
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

  /** Which answers there are at all: nobody looks for the others. */
  async #learn(): Promise<void> {
    this.#hasAsked = true;
    const keys = await orElse(null, () => this.#responses.keys(PARTITION));
    if (keys) this.#known.learn(keys);
  }

  async #find(key: string): Promise<StoredResponse | null> {
    const found = await this.#responses.find(PARTITION, key);
    if (found) this.#known.note(found);
    return found;
  }

  async #update(key: string, decide: (current: StoredResponse | null) => Change): Promise<Change> {
    const change = await this.#responses.update(PARTITION, key, decide);
    if (change.kind !== 'keep') this.#known.note(change.stored);
    return change;
  }

  async #remove(key: string): Promise<void> {
    this.#known.forget(key);
    await orElse(undefined, () => this.#responses.remove(PARTITION, key));
    this.#known.forget(key);
  }

  #follow(write: Promise<unknown>): void {
    const before = this.#written;
    const ended = orElse(null, () => write);
    this.#written = before.then(() => ended);
  }

  /** The salt is asked for every time: a database that was deleted meanwhile has a new one. */
  async #keyOf(invocation: Invocation, url: string): Promise<string> {
    const { headers, policy } = invocation;
    const made = policy.transform ? await this.#textOf(policy.transform) : '';
    const varying = pageSetHeaders(headers) + made;
    if (varying === '') return cacheKey(url, '');
    const salt = await this.#responses.salt(PARTITION, this.#system.uuid());
    return cacheKey(url, await this.#system.digest(new TextEncoder().encode(salt + varying)));
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
