import type { Header } from '../../shared/header.ts';
import type { CacheInspection } from '../../shared/inspection.ts';
import type { Failure } from '../../shared/failure.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { isSameRevision } from '../../shared/outcome.ts';
import { ABSENT, foundIn, lookUp, orElse } from '../contracts/response-store.ts';
import type { Change, Lookup, ResponseStore, StoredResponse } from '../contracts/response-store.ts';
import type { System } from '../platform/system.ts';
import { confirmBy, isAsGood, redescribed, Lineages, Lines, UNKNOWN_SENDER } from './change.ts';
import type { Confirmation, Confirming } from './change.ts';
import { FreshFailures } from './fresh-failures.ts';
import { Finder } from './finder.ts';
import { Keys, keysWithin } from './keys.ts';
import { Known } from './known.ts';
import { NewerVersions, versionIn } from './newer-versions.ts';
import { Orders } from './orders.ts';
import { isTaken, NOT_STORED, isCacheable, isPartial, isStorable } from './received.ts';
import type { Making, Received, Remembered } from './received.ts';
import { ageOf, freshnessOf } from './freshness.ts';
import type { Freshness } from './freshness.ts';
import { asksNobody, candidateOf, isFresh, lifetimesOf, planOf, standsFor } from './serving.ts';
import type { Plan } from './serving.ts';
import { Selection, isTellable } from './selection.ts';
import type { Fit } from './selection.ts';
import { Signposts } from './signposts.ts';
import { forbidsStoring, storableHeaders } from '../contracts/storing.ts';
import { Sweeps } from './sweeps.ts';
import type { Below } from './sweeps.ts';

export { isOfAnother } from './change.ts';
export type { Arrived } from './fresh-failures.ts';
export type { Received, Remembered } from './received.ts';
export type { Fit } from './selection.ts';
export type { Plan } from './serving.ts';
export type { ResponseStore, StoredResponse } from '../contracts/response-store.ts';

/**
 * The private cache of answers to GET (RFC 9111). A storage that fails makes no read fail. `orders.ts` orders writes,
 * `known.ts` spares reads of the database, `received.ts` says what may be stored, `keys.ts` under which key, and
 * `selection.ts` for which requests.
 */
export class Cache {
  readonly #system: Pick<System, 'clock' | 'pause'>;
  readonly #responses: ResponseStore;
  readonly #finder: Finder;
  readonly #selection: Selection;
  readonly #isIdentified: boolean;
  readonly #orders: Orders;
  readonly #known = new Known();
  readonly #newer = new NewerVersions();
  /** When everything was cleared last, in milliseconds of the epoch. */
  clearedAt: number = -Infinity;
  readonly #sweeps: Sweeps;
  /** Refusals that are fresh. */
  readonly failures: FreshFailures;
  /** True if only what is stored may be served. */
  readonly asksNobody: typeof asksNobody = asksNobody;
  readonly ageOf: typeof ageOf = ageOf;
  readonly #lines: Lines;
  readonly #lineages: Lineages;

  /**
   * `textOf` returns the text of the functions that an answer has gone through. `isIdentified`: somebody is signed in,
   * so that answers are theirs whatever cookie or token goes along.
   */
  constructor(
    system: Pick<System, 'clock' | 'digest' | 'uuid' | 'pause'>,
    responses: ResponseStore,
    textOf: (functions: readonly string[]) => Promise<string> = async (names) => JSON.stringify(names),
    isIdentified = false,
  ) {
    this.#system = system;
    this.#responses = responses;
    this.#isIdentified = isIdentified;
    this.#selection = new Selection(system, isIdentified);
    this.failures = new FreshFailures(() => system.clock.now(), isIdentified);
    this.#lines = new Lines(system.uuid);
    this.#lineages = new Lineages(
      () => system.clock.now(),
      () => this.#lines.next(),
    );
    this.#sweeps = new Sweeps({
      keys: (after, limit) => responses.keys(after, limit),
      within: (url) => keysWithin(responses, url),
      find: responses.hidesUrls ? (key) => responses.find(key) : null,
      remove: (key) => this.#orders.remove(key),
      outdate: (key) => this.#orders.outdate(key),
    });
    const { removal, outdating } = this.#sweeps;
    const shared = {
      system,
      responses,
      keys: new Keys(system, this.#sweeps.naming(responses), textOf, isIdentified),
      known: this.#known,
      lineages: this.#lineages,
      removal,
    };
    const signposts = new Signposts({ ...shared, now: () => system.clock.now() });
    this.#finder = new Finder({ ...shared, signposts, sweeps: this.#sweeps });
    this.#orders = new Orders({
      ...shared,
      signposts,
      selection: this.#selection,
      lines: this.#lines,
      outdating,
      newer: this.#newer,
    });
  }

  /** The stored answer for this call, however old; null if there is none or the policy uses no cache. */
  async recall(invocation: Invocation, url: string): Promise<StoredResponse | null> {
    if (!isCacheable(invocation)) return null;
    return await orElse(null, async () => (await this.#finder.recall(invocation, url)).stored);
  }

  /** The same from what this worker instance knows; the database is asked only for what it does not know. */
  async peek(invocation: Invocation, url: string): Promise<StoredResponse | null> {
    if (!isCacheable(invocation)) return null;
    return await orElse(null, async () => (await this.#finder.peek(invocation, url)).stored);
  }

  /**
   * The ETag of the newest version that a request with these headers has seen of the URL, however it was read, or that a write of ours
   * has made; empty where it has none, or that is not known. As it is stored by now. Never rejects.
   */
  lastVersion(invocation: Invocation, url: string): Promise<Lookup<string>> {
    return lookUp(async () => {
      if (this.#newer.of(url) !== null) return this.#newer.of(url);
      const found = await this.#finder.newest(invocation, url);
      if (found.kind === 'unknown') throw found.error;
      return this.#versionOf(url, foundIn(found));
    });
  }

  /** The same as far as this worker instance knows; null where it knows of nothing. Never rejects. */
  async lastKnownVersion(invocation: Invocation, url: string): Promise<string | null> {
    const known = await orElse(ABSENT, () => this.#finder.newestKnown(invocation, url));
    return this.#versionOf(url, foundIn(known));
  }

  /** A write of ours has made a version of what the URL names. `tag`: its ETag; empty where nobody has said that. */
  noteMade(url: string, tag: string): void {
    this.#newer.note(url, tag);
  }

  /** A write of ours was refused that said this version, since its server may have another. */
  noteRefused(url: string, tag: string): void {
    this.#newer.refuse(url, tag);
  }

  /** True where nothing was seen of the URL since, as far as this worker instance knows. */
  isRefused(url: string, tag: string): boolean {
    return this.#newer.isRefused(url, tag);
  }

  #versionOf(url: string, stored: StoredResponse | null): string | null {
    return this.#newer.of(url) ?? (stored && versionIn(stored));
  }

  /** Null if it is gone, or was replaced since `stored` was recalled. */
  async body(stored: StoredResponse): Promise<ArrayBuffer | null> {
    const body = await this.#responses.body(stored);
    // It has been cleared away, or replaced by another engine.
    if (body.kind === 'absent') this.#known.lose(stored);
    return foundIn(body);
  }

  /** False if it is gone, was replaced since it was recalled, or the storage cannot tell. */
  async isCurrent(stored: StoredResponse): Promise<boolean> {
    const current = await this.#responses.find(stored.key);
    if (current.kind === 'unknown') return false;
    const isStored = current.kind === 'found' && isSameRevision(current.value.revision, stored.revision);
    const isIt = isStored && !this.#sweeps.removal.covers(stored.key);
    if (!isIt) this.#known.lose(stored);
    if (current.kind === 'found') this.#known.note(current.value);
    return isIt;
  }

  /**
   * Stores an answer if it may be stored, and returns at once what will be stored: nothing told waits for the database.
   * `stored` is what `recall` gave before the request. Null if the answer must not be taken. Never rejects.
   */
  async remember(
    invocation: Invocation,
    url: string,
    stored: StoredResponse | null,
    received: Received,
    { derivation = null, counts = true, isPatient = false, clearings = this.clearings }: Making = {},
  ): Promise<Remembered | null> {
    if (!isTaken(received)) return null;
    if (isPartial(invocation, received.answer)) return NOT_STORED;
    const see = (): void => {
      if (invocation.method === 'GET' && clearings === this.clearings)
        this.#newer.see(invocation, url, received);
    };
    if (!isCacheable(invocation)) {
      see();
      // This answer is told, so the stored one is older than what a page knows.
      if (invocation.method === 'GET' && !counts) void this.outdateAll(url);
      return NOT_STORED;
    }
    if (isStorable(invocation, received.answer, this.#isIdentified)) {
      const making = { derivation, counts, isPatient, clearings };
      const remembered = await orElse(NOT_STORED, () =>
        this.#orders.store(invocation, url, stored, received, making),
      );
      if (remembered !== NOT_STORED) return remembered;
    }
    see();
    // An answer older than one that is not stored must not be served after it (invariant 8).
    const selected = stored ?? (await orElse(null, () => this.#finder.selected(invocation, url)));
    if (selected) this.#orders.supersede(selected, url, received);
    return NOT_STORED;
  }

  /**
   * The server refuses this request: what is stored for it is removed. What is stored for requests with other headers or
   * credentials must be validated. `sent`: the headers of the request as they were sent; `asked`: its number among the
   * reads, since an answer to a later one stays; `isGone`: nothing is there. Never rejects.
   */
  async withdraw(
    invocation: Invocation,
    url: string,
    sent: readonly Header[],
    asked: number = Infinity,
    isGone: boolean = false,
  ): Promise<void> {
    const selected = await orElse(null, () => this.#finder.selected(invocation, url));
    const { stored = null } = selected ?? {};
    const isOfOthers = stored && (await this.fitOf(invocation, stored, sent)) === 'other';
    // Whoever may not read it now has seen that version all the same.
    const seen = isGone ? null : await this.lastKnownVersion(invocation, url);
    if (seen === null) this.#newer.forget(url);
    else this.#newer.note(url, seen);
    if (selected && !isOfOthers) this.#orders.supersede(selected, url, { asked });
    void this.#sweeps.outdate(url);
  }

  /** The stored answer as a 304 describes it (RFC 9111 section 3.2). */
  confirmed(stored: StoredResponse, confirmation: Omit<Confirmation, 'marks'>): StoredResponse {
    const change = confirmBy(stored, stored, confirmation);
    return change.kind === 'describe' ? change.stored : stored;
  }

  /** After a 304: the stored answer is as good as new (RFC 9111 section 4.3.4). Never rejects. */
  async freshen(invocation: Invocation, stored: StoredResponse, confirming: Confirming): Promise<void> {
    const { holds = () => true, sent, headers, ...rest } = confirming;
    const { secretHeaders } = invocation.policy;
    // Nobody can tell any more which requests it fits, or it is not to be stored any more.
    if (forbidsStoring(headers) || !isTellable(headers, secretHeaders, this.#isIdentified))
      return void this.#orders.remove(stored.key);
    // A loop's read has ended by the time that this is decided.
    const since = this.#sweeps.outdating.watch(stored.key);
    const marks = await this.#selection.marksOf(stored.headers, invocation, sent, stored);
    const confirmation = { ...rest, marks, headers: storableHeaders(headers, secretHeaders) };
    const decide = (now: StoredResponse | null): Change => confirmBy(now, stored, confirmation);
    const fresh = decide(stored);
    if (fresh.kind === 'describe' && !isAsGood(stored, fresh.stored))
      await this.#orders.describe(stored.key, decide, () => holds() && !since.isMeant);
    if (holds() && !since.isMeant) this.#newer.forget(stored.url);
    since.end();
  }

  /** The next request validates nothing: a redirect may have led this one to another origin. Never rejects. */
  async suspect(stored: StoredResponse): Promise<void> {
    const suspected = { ...stored, sender: UNKNOWN_SENDER };
    await this.#orders.describe(stored.key, (now) => redescribed(now, suspected));
  }

  /** Whether it is for a request with the headers `sent`; null if the worker's hook has not run. Never rejects. */
  async fitOf(
    invocation: Invocation,
    stored: StoredResponse | null,
    sent: readonly Header[] | null,
  ): Promise<Fit> {
    if (stored === null) return 'other';
    return await orElse('other', () => this.#selection.fitOf(stored, invocation, sent));
  }

  /** True if nobody is signed in, and only the headers that the worker's hook or a provider adds tell whose it is. */
  isOfSomebody(stored: StoredResponse): boolean {
    return this.#selection.needsSent(stored);
  }

  /** How a request is served, given the stored answer and whether it is for that. */
  plan(invocation: Invocation, stored: StoredResponse | null, fit: Fit): Plan {
    if (!stored || fit === 'other') return planOf(invocation, null);
    const candidate = candidateOf(invocation, stored, () => this.#freshnessOf(invocation, stored, fit));
    return planOf(invocation, candidate);
  }

  /** Whether its server, or the app, says that it is fresh now. */
  standingOf(invocation: Invocation, stored: StoredResponse): 'fresh' | 'stale' {
    return isFresh(this.#freshnessOf(invocation, stored, 'same')) ? 'fresh' : 'stale';
  }

  /** True if the stored answer is served in the place of this failure. */
  standsFor(invocation: Invocation, stored: StoredResponse, failure: Failure, fit: Fit): boolean {
    if (fit === 'other') return false;
    return standsFor(failure, invocation.policy, this.#freshnessOf(invocation, stored, fit));
  }

  #freshnessOf({ policy }: Invocation, stored: StoredResponse, fit: Fit): Freshness {
    const isOutdated = fit === 'unproven' || this.isOutdated(stored);
    return freshnessOf({ ...stored, isOutdated }, this.#system.clock.now(), lifetimesOf(policy.cache));
  }

  /** True if a write may have changed since what it says. */
  isOutdated(stored: StoredResponse): boolean {
    return stored.isOutdated === true || this.#sweeps.outdating.covers(stored.key);
  }

  /** No answer stored for this URL, or below this base, is fresh until its server confirms it. Never rejects. */
  outdateAll(target: string | Below): Promise<void> {
    this.failures.forget(target);
    return this.#sweeps.outdate(target);
  }

  /** Removes all that is stored for a URL, whatever headers it was asked with; none of it is served now. Never rejects. */
  removeAll(url: string): Promise<void> {
    this.failures.forget(url);
    return this.#sweeps.remove(url);
  }

  /** A page knows a lineage of this ordinal: what it is told from now on is younger. */
  heed(ordinal: number): void {
    this.#lineages.heed(ordinal);
  }

  /** True if an answer must be asked for whole, since its revision may be older than what some page knows. */
  isBehind({ revision }: StoredResponse): boolean {
    return this.#lineages.isBehind(revision);
  }

  /** Resolves once all that was begun so far is stored, or will not be soon. Never rejects. */
  async settled(): Promise<void> {
    await this.#sweeps.ended();
    await this.#responses.settled();
  }

  /** How often everything has been cleared. */
  get clearings(): number {
    return this.#orders.clearings;
  }

  /** Forgets every answer, including those on their way; rejects if the storage fails. */
  async clear(): Promise<void> {
    this.clearedAt = this.#system.clock.now();
    this.failures.forgetAll();
    this.#newer.clear();
    await this.#orders.clear();
    this.#sweeps.clear();
  }

  inspect(): Promise<CacheInspection> {
    return this.#responses.inspect();
  }
}
