import type { Header } from '../../shared/header.ts';
import { isSafe, REPLACING } from '../../shared/invocation.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { unreachable } from '../../shared/unreachable.ts';
import type { Arrived, Cache, StoredResponse } from '../cache/cache.ts';
import type { ReadOutcome } from '../contracts/read-body.ts';
import { suspectOf } from '../contracts/portal.ts';
import type { Suspect } from '../contracts/portal.ts';
import type { Exchanged } from '../exchange/exchange.ts';
import { failed, nothing, portal, unreadable } from './failures.ts';
import type { FreshAnswers } from './fresh-answers.ts';
import { forTheWhole } from './request-context.ts';
import type {
  AnsweredExchange,
  FailedExchange,
  RequestContext,
  UnmodifiedExchange,
} from './request-context.ts';
import type { Ours, StoredAnswers } from './stored-answers.ts';
import { headerValue } from '../../shared/header.ts';
import { mayBeDone } from '../../shared/outcome.ts';
import type { Outcome } from '../../shared/outcome.ts';

export interface ServerAnswersPorts {
  readonly cache: Cache;
  /** True if the answer is a captive portal's. */
  readonly looksLikePortal: (suspect: Suspect) => boolean;
  /** The result of the work, or null if that takes long. */
  readonly soon: <T>(work: Promise<T | null>) => Promise<T | null>;
}

/** What was known when the request went out. */
export interface Known {
  readonly peeking: Promise<StoredResponse | null>;
  /** The stored answer whose validators went along; null if none did. */
  readonly validated: StoredResponse | null;
  /** The headers of the request, after the worker's hook, without validators. */
  readonly sent: readonly Header[];
}

/** What becomes of an exchange: its answer, the stored one in its place, or another request. */
export class ServerAnswers {
  readonly #ports: ServerAnswersPorts;
  readonly #fresh: FreshAnswers;
  readonly #stored: StoredAnswers;
  readonly #again: (context: RequestContext) => Promise<ReadOutcome>;

  /** `again` makes the request another time. */
  constructor(
    ports: ServerAnswersPorts,
    fresh: FreshAnswers,
    stored: StoredAnswers,
    again: (context: RequestContext) => Promise<ReadOutcome>,
  ) {
    this.#ports = ports;
    this.#fresh = fresh;
    this.#stored = stored;
    this.#again = again;
  }

  async conclude(
    context: RequestContext,
    exchanged: Exchanged,
    { peeking, validated, sent }: Known,
  ): Promise<ReadOutcome> {
    const { cache } = this.#ports;
    if (exchanged.kind !== 'failed') cache.failures.forget(context.request.url);
    switch (exchanged.kind) {
      case 'answered':
        return this.#take(context, await this.#before(context, peeking), { ...exchanged, sent });
      case 'not-modified':
        return this.#confirm(context, await peeking, { ...exchanged, sent });
      case 'failed': {
        if (validated && mayBeMisled(context.invocation, exchanged)) void cache.suspect(validated);
        const { arrived, ...failure } = exchanged;
        if (arrived) await this.#heed(context, { ...failure, arrived }, { peeking, sent });
        return this.#stored.orFailed(context, failure, sent);
      }
      default:
        return unreachable(exchanged);
    }
  }

  /** After a refusal nothing of what it was about is served any more, unless it is a captive portal's. */
  async #heed(
    context: RequestContext,
    { arrived, ...refusal }: FailedExchange & { readonly arrived: Arrived },
    { peeking, sent }: Omit<Known, 'validated'>,
  ): Promise<void> {
    const { invocation, url, request, read, page, asksForNews, clearings } = context;
    const { answer } = refusal;
    if (!answer || !isSafe(invocation.method)) return;
    const { cache, soon, looksLikePortal } = this.#ports;
    const before = await soon(peeking);
    const isPortals = looksLikePortal(
      suspectOf(answer, refusal.request?.headers ?? [], before && before.headers),
    );
    const speaks = !asksForNews && (read ? !read.isOutrun : page !== null);
    if (speaks && isWithdrawn(invocation.method, refusal)) {
      // It may have been made since.
      const isGone = GONE.includes(answer.status) && !read?.isOutdated;
      if (isPortals) void cache.outdateAll(url);
      else await soon(cache.withdraw(invocation, url, sent, read?.asked, isGone).then(nothing));
    }
    const isNewest = read !== null && !read.isOvertaken && !read.isOutdated && clearings === cache.clearings;
    if (isNewest && !isPortals && request.url === url)
      cache.failures.note(invocation, url, sent, refusal, arrived);
  }

  /** What an answer is compared with. A call that is answered does not wait long for that. */
  #before({ page }: RequestContext, peeking: Promise<StoredResponse | null>): Promise<StoredResponse | null> {
    return page === null ? peeking : this.#ports.soon(peeking);
  }

  /** A fresh answer is transformed, compared with the one before, stored and told. */
  async #take(
    context: RequestContext,
    before: StoredResponse | null,
    exchanged: AnsweredExchange,
  ): Promise<ReadOutcome> {
    const { request, answer, bytes, sent } = exchanged;
    const { read } = context;
    const { headers } = answer;
    const suspect = {
      asked: request.headers,
      before: before && before.headers,
      headers,
      size: bytes.byteLength,
    };
    if (this.#ports.looksLikePortal(suspect)) return failed(portal(exchanged), request);
    const made = await this.#fresh.transform(context, exchanged);
    if (made.kind === 'given-up') return failed(made.failure, request, made.answer);
    const compared = await this.#fresh.compare(context, before, made);
    if (compared.kind === 'given-up') return failed(compared.failure, request);
    if (compared.kind === 'unreadable') return unreadable(compared, made);
    const remembered = await this.#fresh.remember(context, before, made, compared.derivation);
    const ours = { before, request, sent };
    if (!remembered) return this.#yield(context, ours);
    // It is stored by now but not told, and a 304 would only confirm it.
    if (read?.isOvertaken) return this.#yield(forTheWhole(context), ours);
    read?.taken(remembered.revision);
    return this.#fresh.answered(context, made, compared, remembered);
  }

  /** The server says that the stored answer is still current. */
  async #confirm(
    context: RequestContext,
    stored: StoredResponse | null,
    exchanged: UnmodifiedExchange,
  ): Promise<ReadOutcome> {
    const { read } = context;
    const ours = { before: stored, request: exchanged.request, sent: exchanged.sent };
    if (read && !read.take()) return this.#yield(context, ours);
    const outcome = await this.#stored.confirmed(context, stored, exchanged);
    if (read?.isOvertaken) return this.#yield(context, ours);
    if (!stored || !outcome) return this.#again(forTheWhole(context));
    const confirming = { ...exchanged, holds: () => !read?.isOutdated };
    const freshened = this.#ports.cache.freshen(context.invocation, stored, confirming);
    // The page's next call finds it as this one says.
    if (context.page !== null) await context.limit.within(freshened, nothing);
    if (read?.isOvertaken) return this.#yield(context, ours);
    read?.taken(stored.revision);
    return outcome;
  }

  /** Drops an answer that may be outdated; tells the newer one if that is stored, and asks again otherwise. */
  async #yield(context: RequestContext, ours: Ours): Promise<ReadOutcome> {
    const { read, limit } = context;
    const outrunBy = read?.outrunBy ?? null;
    read?.drop();
    const newer = outrunBy && (await limit.within(outrunBy.result, nothing));
    const outcome = newer && (await this.#stored.newer(context, newer, ours));
    // Meanwhile a write may have finished, or a still newer answer have come.
    return !outcome || read?.outrunBy !== outrunBy ? this.#again(context) : outcome;
  }
}

/** True if it may have been a redirect to another origin, which takes no validators without a preflight. */
function mayBeMisled({ policy }: Invocation, { failure }: FailedExchange): boolean {
  return failure.code === 'network' && policy.origins.length > 0;
}

/** Statuses that say of a URL that nothing is there, or not for this user. */
const GONE = [404, 410];
const REFUSED = [401, 403, ...GONE];

/**
 * True if what is stored for the URL must not be served any more: it is deleted, or this user may not read it. A write
 * that is refused says nothing about what may be read.
 */
export function isWithdrawn(method: string, outcome: Outcome<unknown>): boolean {
  if (outcome.kind === 'answered') return method === 'DELETE';
  const { failure } = outcome;
  if (method === 'OPTIONS') return false;
  const statuses = isSafe(method) ? REFUSED : GONE;
  if (failure.code === 'http') return statuses.includes(failure.status);
  return method === 'DELETE' && isUnread(outcome);
}

/** True if the server has done it, and only its answer cannot be read. A portal's page is no answer of the server. */
function isUnread({ failure, answer, request }: Extract<Outcome<unknown>, { kind: 'failed' }>): boolean {
  if (request === null) return false;
  const isOfApp = failure.code === 'function' || failure.code === 'schema';
  return isOfApp || (failure.code === 'parse' && answer !== null);
}

/**
 * The URLs whose stored answers may be older than what their server has by now. Of a write that may be done: its own, and what
 * `Location` and `Content-Location` name on the same origin (RFC 9111 section 4.4). Of one that is refused for its version: its own.
 */
export function outdatedBy(method: string, url: string, outcome: Outcome<unknown>): string[] {
  if (isSafe(method)) return [];
  if (mayHaveAnother(outcome)) return [url];
  if (!mayBeDone(outcome)) return [];
  const headers = outcome.answer?.headers ?? [];
  const named = ['location', 'content-location'].flatMap((name) => headerValue(headers, name) ?? []);
  return [url, ...new Set(named.flatMap((reference) => onSameOrigin(url, reference)))];
}

/** The version that a write said as its server refused it, which may have another one; null where that is not so. */
export function refusedVersion(outcome: Outcome<unknown>): string | null {
  return mayHaveAnother(outcome) ? saidVersion(outcome) : null;
}

/** True if the server refuses to change a version, since it has another one. A 409 that does not name its version may mean that. */
function mayHaveAnother(outcome: Outcome<unknown>): boolean {
  const { kind, answer } = outcome;
  if (kind === 'answered' || answer === null) return false;
  const isOther = headerValue(answer.headers, 'etag') !== saidVersion(outcome);
  return answer.status === 412 || (answer.status === 409 && isOther);
}

function saidVersion({ request }: Outcome<unknown>): string | null {
  return headerValue(request?.headers ?? [], 'if-match');
}

/** The ETag of what a write has made of its URL, empty where its server does not say that; null if it may not have been done. */
export function versionMadeBy(method: string, outcome: Outcome<unknown>): string | null {
  if (outcome.kind === 'failed' && !isUnread(outcome)) return null;
  const headers = REPLACING.includes(method) ? outcome.answer?.headers : [];
  return headerValue(headers ?? [], 'etag') ?? '';
}

/** True if they name the same, however their characters are written (RFC 3986 section 6.2.2). */
export function isSameUrl(one: string, other: string): boolean {
  return one === other || normalized(one) === normalized(other);
}

/** As it is written, and as it is usually written. */
function onSameOrigin(url: string, reference: string): string[] {
  if (!URL.canParse(reference, url)) return [];
  const named = new URL(reference, url);
  // Reads are known by their URLs without a fragment.
  named.hash = '';
  return named.origin === new URL(url).origin ? [named.href, normalized(named.href)] : [];
}

function normalized(url: string): string {
  return url.replaceAll(/%[\da-f]{2}/gi, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : encoded.toUpperCase();
  });
}
