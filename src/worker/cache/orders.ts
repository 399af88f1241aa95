import { LIMITS } from '../../shared/limits.ts';
import { RecentlyUsed } from '../../shared/recently-used.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { ordinalOf } from '../../shared/outcome.ts';
import type {
  DeltaFrom,
  Change,
  Order,
  ResponseStore,
  StoredResponse,
  Lookup,
} from '../contracts/response-store.ts';
import { foundIn, UNNAMED } from '../contracts/response-store.ts';
import { digestInParts } from '../platform/sha256.ts';
import type { System } from '../platform/system.ts';
import { changeTo, isAsGood, redescribed, writtenBehind } from './change.ts';
import type { Known } from './known.ts';
import type { Lineages, Lines } from './change.ts';
import { askingOf, isSignpost } from './keys.ts';
import type { Keys } from './keys.ts';
import type { NewerVersions } from './newer-versions.ts';
import { isTaken, NOT_STORED, readable } from './received.ts';
import type { Making, Received, Remembered } from './received.ts';
import type { Selection } from './selection.ts';
import type { Signposts } from './signposts.ts';
import { storableHeaders } from '../contracts/storing.ts';
import type { Sweep } from './sweeps.ts';

export interface OrdersPorts {
  readonly system: Pick<System, 'digest' | 'pause'>;
  readonly responses: ResponseStore;
  readonly keys: Keys;
  readonly signposts: Signposts;
  readonly selection: Selection;
  readonly known: Known;
  readonly lines: Lines;
  readonly lineages: Lineages;
  readonly removal: Pick<Sweep, 'covers' | 'spare' | 'owe' | 'beginOwed'>;
  readonly outdating: Pick<Sweep, 'spare'>;
  readonly newer: Pick<NewerVersions, 'of' | 'forget'>;
}

interface Place {
  readonly key: string;
  /** True if a look-up has found that nothing is stored there. */
  readonly isAbsent?: boolean;
}

const DONE: Promise<boolean> = Promise.resolve(true);

/** What is stored is newer, and stays. */
const SUPERSEDED: Remembered = { ...NOT_STORED };

/**
 * Orders what the storage is to write. An order is noted in `known` at once, so that reads find the newest answer. The
 * storage carries it out later, and decides then what it means for what is stored by that time.
 */
export class Orders {
  readonly #ports: OrdersPorts;
  /** The digest of the latest answer by key, while it is being made. */
  readonly #digests = new Map<string, Promise<string>>();
  /** The number of the latest request that was answered, by key. */
  readonly #asked = new RecentlyUsed<string, number>(LIMITS.descriptions);
  #clearings = 0;
  /** How often an answer, or all, was removed. */
  #removals = 0;

  constructor(ports: OrdersPorts) {
    this.#ports = ports;
  }

  get clearings(): number {
    return this.#clearings;
  }

  /** Forgets every answer, including those on their way; rejects if the storage fails. */
  async clear(): Promise<void> {
    const { known, responses, lines } = this.#ports;
    this.#clearings += 1;
    this.#removals += 1;
    lines.abandon();
    known.forgetAll();
    // After the clearing, only answers told from now on are stored.
    const left = known.beginToLearn();
    try {
      await responses.clear();
    } catch (error) {
      known.endLearning(left, false);
      throw error;
    }
    // A read meanwhile may have noted an answer from before the clearing.
    known.forgetAll();
    known.endLearning(left, true);
  }

  /** Null if the answer must not be taken by the time its digest is known. */
  async store(
    invocation: Invocation,
    url: string,
    asked: StoredResponse | null,
    told: Received,
    { derivation, counts, isPatient, clearings }: Required<Making>,
  ): Promise<Remembered | null> {
    const { known, lines, lineages, responses, removal, outdating, newer } = this.#ports;
    const received = readable(invocation, url, told);
    const incoming = await this.#incoming(invocation, url, received);
    const { key } = incoming;
    if (!isTaken(received)) return null;
    if (clearings !== this.#clearings) return NOT_STORED;
    // No await from here to the order: what is told last must be stored last.
    if (!this.#isLatest(key, received)) return SUPERSEDED;
    const before = known.get(key) ?? (asked?.key === key ? asked : null);
    const followed = removal.covers(key) ? null : this.#following(before);
    removal.spare(key);
    removal.owe(url, key);
    outdating.spare(key);
    if (!incoming.isOutdated) newer.forget(url);
    const beginning = { lines, begin: () => lineages.begin() };
    const { changed, stored } = writtenBehind(followed, incoming, beginning, counts);
    const { revision } = stored;
    if (followed && !changed && isAsGood(followed, stored)) return { changed, revision, isStored: DONE };
    known.note(stored);
    const { bytes } = received;
    const isStored = responses.write({
      key,
      stored,
      body: bytes,
      follows: !changed || derivation !== null,
      isPatient,
      decide: (current) => this.#decide(current, stored, bytes, derivation),
      lost: () => this.#lose(stored),
    });
    return { changed, revision, isStored };
  }

  /** Changes the description of a stored answer by `decide`, which keeps another one, if that still `holds` then. */
  async describe(key: string, decide: Order['decide'], holds: () => boolean = () => true): Promise<void> {
    const found = foundIn(await this.#current(key));
    if (holds()) this.#redescribe(key, found, decide);
  }

  /** What is stored by now, with another look if something was removed meanwhile: it must not come back. */
  async #current(key: string): Promise<Lookup<StoredResponse>> {
    for (;;) {
      const removals = this.#removals;
      const found = await this.#ports.responses.find(key);
      if (removals === this.#removals) return found;
    }
  }

  #redescribe(key: string, found: StoredResponse | null, decide: Order['decide']): void {
    const { known, responses } = this.#ports;
    const change = decide(found);
    if (change.kind !== 'describe') return;
    const { stored } = change;
    known.note(stored);
    void responses.write({
      key,
      stored,
      body: null,
      follows: true,
      decide,
      lost: () => {},
    });
  }

  /**
   * A write may have changed what the answer says: it must be validated before it is fresh again. Resolves with false if
   * the storage cannot tell. Never rejects.
   */
  async outdate(key: string): Promise<boolean> {
    const found = await this.#current(key);
    if (found.kind !== 'found') return found.kind === 'absent';
    const { value } = found;
    const outdated = { ...value, ...this.#outdatedMarks(value.url) };
    if ((value.isOutdated && value.newer === outdated.newer) || isSignpost(key)) return true;
    this.#redescribe(key, value, (now) => redescribed(now, outdated));
    return true;
  }

  #outdatedMarks(url: string): Pick<StoredResponse, 'isOutdated' | 'newer'> {
    const newer = this.#ports.newer.of(url);
    return { isOutdated: true, ...(newer !== null && { newer }) };
  }

  /** Removes what is stored under the key. From now on no answer that was asked for before this one is stored there. */
  supersede({ key, isAbsent = false }: Place, url: string, received: Pick<Received, 'asked'>): void {
    const { removal, known } = this.#ports;
    if (!this.#isLatest(key, received)) return;
    removal.owe(url, key);
    // What was looked up may have come since.
    if (!isAbsent || known.get(key)) void this.remove(key);
  }

  /** It is not found from now on: resolves with true. */
  remove(key: string): Promise<boolean> {
    this.#removals += 1;
    this.#ports.known.forget(key);
    void this.#ports.responses.write({
      key,
      stored: null,
      body: null,
      follows: false,
      decide: () => ({ kind: 'remove' }),
      lost: () => {},
    });
    return DONE;
  }

  /** False if an answer under the same key that was asked for later has come. Notes this one otherwise. */
  #isLatest(key: string, { asked = Infinity }: Pick<Received, 'asked'>): boolean {
    if (asked < (this.#asked.get(key) ?? 0)) return false;
    if (asked !== Infinity) this.#asked.set(key, asked);
    return true;
  }

  #decide(
    current: StoredResponse | null,
    stored: StoredResponse,
    bytes: ArrayBuffer,
    derivation: DeltaFrom | null,
  ): Change {
    const isMadeUp = stored.key.startsWith(UNNAMED);
    // Nobody would find it again. What was stored before it must go all the same.
    if (isMadeUp) void this.#ports.removal.beginOwed();
    const change: Change = isMadeUp ? { kind: 'keep' } : changeTo(current, stored, bytes, derivation);
    if (change.kind === 'keep') this.#lose(stored);
    return change;
  }

  /** Another engine has stored something newer, or it cannot be stored. */
  #lose(stored: StoredResponse): void {
    this.#ports.known.lose(stored);
    this.#ports.lines.abandon();
  }

  /** The stored answer that the next one follows; null if the next one begins a younger lineage of its own. */
  #following(current: StoredResponse | null): StoredResponse | null {
    const { lineages } = this.#ports;
    if (current) lineages.heed(ordinalOf(current.revision.lineage));
    return current && lineages.isBehind(current.revision) ? null : current;
  }

  async #incoming(
    invocation: Invocation,
    url: string,
    {
      answer,
      bytes,
      receivedAt,
      sender = null,
      finalUrl = null,
      sent = invocation.headers,
      hidesVary = false,
      delay = 0,
      isOutdated = false,
    }: Received,
  ): Promise<Omit<StoredResponse, 'revision'>> {
    const { keys, signposts, selection, known } = this.#ports;
    const bare = await keys.bare(invocation, url);
    const key = await signposts.place(bare, url, askingOf(invocation), answer.headers);
    const marks = await selection.marksOf(answer.headers, invocation, sent, known.get(key));
    return {
      key,
      url,
      ...(sender === null ? {} : { sender }),
      // An answer of another origin is never validated.
      ...(sender === null && finalUrl !== null ? { finalUrl } : {}),
      ...marks,
      ...(hidesVary && { hidesVary }),
      ...(isOutdated && this.#outdatedMarks(url)),
      status: answer.status,
      headers: storableHeaders(answer.headers, invocation.policy.secretHeaders),
      receivedAt,
      ...(delay > 0 && { delay }),
      digest: await this.#digestInTurn(key, bytes),
      size: bytes.byteLength,
    };
  }

  /** Waits for the digest of the answer before: a short answer takes less time and would overtake it. */
  async #digestInTurn(key: string, bytes: ArrayBuffer): Promise<string> {
    const before = this.#digests.get(key);
    const digest = after(before, digestInParts(new Uint8Array(bytes), this.#ports.system));
    this.#digests.set(key, digest);
    try {
      return await digest;
    } finally {
      if (this.#digests.get(key) === digest) this.#digests.delete(key);
    }
  }
}

/** The result of the work, once the work before it has ended in any way. */
async function after<T>(before: Promise<T> | undefined, work: Promise<T>): Promise<T> {
  const [, result] = await Promise.allSettled([before, work]);
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}
