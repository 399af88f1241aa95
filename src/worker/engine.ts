import type { Failure } from '../shared/failure.ts';
import { headerValue, redacted, withoutHeader } from '../shared/header.ts';
import type { Header } from '../shared/header.ts';
import type { Invocation } from '../shared/invocation.ts';
import type { Answered, Outcome, SentRequest } from '../shared/outcome.ts';
import { unreachable } from '../shared/unreachable.ts';
import { addHeaders, NO_ADDITION } from './addition.ts';
import type { Addition } from './addition.ts';
import type { Located } from './address/address.ts';
import type { Cache, StoredResponse } from './cache/cache.ts';
import type { Configured } from './configure.ts';
import type { Exchange, Exchanged, Limit, Validators, Watch } from './exchange/exchange.ts';

type AnsweredExchange = Extract<Exchanged, { readonly kind: 'answered' }>;
type UnmodifiedExchange = Extract<Exchanged, { readonly kind: 'not-modified' }>;
type FailedExchange = Extract<Exchanged, { readonly kind: 'failed' }>;

/** The rooms that an invocation passes through. */
export interface EngineRooms {
  readonly locate: (invocation: Invocation, parameters: Addition['query']) => Located;
  readonly cache: Cache;
  /** The last word on a request before it is sent. */
  readonly configure: (invocation: Invocation, url: string) => Promise<Configured>;
  readonly exchange: Exchange;
  /** Whether headers are a captive portal's, beside those of the last good answer. */
  readonly looksLikePortal: (before: readonly Header[], now: readonly Header[]) => boolean;
  readonly now: () => number;
}

/** An invocation on its way, with the one limit that all its steps share until the last byte of its answer. */
interface Passage {
  /** What was asked for: what is stored goes by it. */
  readonly invocation: Invocation;
  readonly url: string;
  /** What is sent: the same with its addition. */
  readonly request: { readonly invocation: Invocation; readonly url: string };
  readonly watch: Watch;
  readonly limit: Limit;
}

/**
 * The way of one invocation: find its URL, recall what is stored, ask the server, remember what it said. What is stored
 * goes by what the page asked, neither by what the worker's own hook adds to it nor by a loop's place in a feed.
 */
export class Engine {
  readonly #rooms: EngineRooms;

  constructor(rooms: EngineRooms) {
    this.#rooms = rooms;
  }

  /** Serves one invocation, whose request says what is added to it as well; never rejects. */
  async invoke(
    invocation: Invocation,
    watch: Watch,
    signal: AbortSignal,
    addition: Addition = NO_ADDITION,
  ): Promise<Outcome> {
    const located = this.#rooms.locate(invocation, []);
    if (located.kind === 'refused') return failed(located.failure, null);
    const target = addition.query.length === 0 ? located : this.#rooms.locate(invocation, addition.query);
    if (target.kind === 'refused') return failed(target.failure, null);
    const headers = addHeaders(invocation.headers, addition.headers);
    const request = { invocation: { ...invocation, headers }, url: target.url };
    const limit = this.#rooms.exchange.limit(invocation, target.url, signal);
    try {
      return await this.#ask({ invocation, url: located.url, request, watch, limit });
    } finally {
      limit.lift();
    }
  }

  /** What is stored of an invocation's answer, without asking for it; null where nothing is. Never rejects. */
  async newest(invocation: Invocation): Promise<Answered | null> {
    const located = this.#rooms.locate(invocation, []);
    const stored =
      located.kind === 'located' ? await this.#rooms.cache.recall(invocation, located.url) : null;
    const body = stored && (await this.#rooms.cache.body(stored));
    if (!stored || !body) return null;
    const { method, headers, policy } = invocation;
    const request = { method, url: stored.url, headers: redacted(headers, policy.secretHeaders) };
    const outcome = this.#served(stored, body, 'cache', request);
    return outcome.kind === 'answered' ? { ...outcome, stale: false, changed: true } : null;
  }

  async #ask(passage: Passage): Promise<Outcome> {
    const { invocation, url, request, watch, limit } = passage;
    // A page on its way into the back/forward cache ends its loops: a transaction would cost it its place there.
    if (limit.failure) return failed(limit.failure, null);
    const stored = await limit.within(this.#rooms.cache.recall(invocation, url), nothing);
    const validators = stored && request.invocation.policy.revalidate ? validatorsOf(stored) : null;
    const configured = await this.#configure(passage);
    if (configured.kind === 'refused') return failed(configured.failure, null);
    const order = { invocation: configured.invocation, url: request.url, validators };
    const exchanged = await this.#rooms.exchange.send(order, watch, limit);
    switch (exchanged.kind) {
      case 'answered':
        return this.#remember(passage, stored, exchanged);
      case 'not-modified':
        return this.#confirm(passage, stored, exchanged);
      case 'failed':
        return this.#fallBack(passage, stored, exchanged);
      default:
        return unreachable(exchanged);
    }
  }

  /** The app's hook is given what time there is: a token that never comes must not hold the call (invariant 9). */
  async #configure({ request: { invocation, url }, limit }: Passage): Promise<Configured> {
    if (limit.failure) return { kind: 'refused', failure: limit.failure };
    return limit.within(this.#rooms.configure(invocation, url), (failure) => ({
      kind: 'refused',
      failure: heldUp(invocation, failure),
    }));
  }

  async #remember(
    { invocation, url }: Passage,
    stored: StoredResponse | null,
    exchanged: AnsweredExchange,
  ): Promise<Outcome> {
    const { answer, request } = exchanged;
    if (stored && this.#rooms.looksLikePortal(stored.headers, answer.headers))
      return failed(portal(exchanged), request);
    const { changed, revision } = await this.#rooms.cache.remember(invocation, url, stored, exchanged);
    return {
      kind: 'answered',
      answer,
      servedFrom: 'network',
      confirmed: false,
      stale: false,
      age: 0,
      changed,
      revision,
      request,
    };
  }

  /** The server says that what is stored is still current. */
  async #confirm(
    passage: Passage,
    stored: StoredResponse | null,
    exchanged: UnmodifiedExchange,
  ): Promise<Outcome> {
    const { request, limit } = passage;
    const body = stored && (await limit.within(this.#rooms.cache.body(stored), nothing));
    if (!body) {
      // The body is gone though its validators were there: ask for the whole.
      return this.#ask({
        ...passage,
        request: { ...request, invocation: unconditional(request.invocation) },
      });
    }
    await this.#rooms.cache.freshen(stored, exchanged.headers, exchanged.receivedAt);
    return this.#served(stored, body, 'network', exchanged.request);
  }

  /** Without a network, what is stored is better than nothing, and says so. */
  async #fallBack(
    { limit }: Passage,
    stored: StoredResponse | null,
    exchanged: FailedExchange,
  ): Promise<Outcome> {
    const { failure, answer, request } = exchanged;
    const cutOff = failure.code === 'network' || failure.code === 'offline';
    const body = cutOff && stored ? await limit.within(this.#rooms.cache.body(stored), nothing) : null;
    if (!stored || !body || !request) return { kind: 'failed', failure, answer, request };
    return this.#served(stored, body, 'cache', request);
  }

  #served(
    stored: StoredResponse,
    bytes: ArrayBuffer,
    servedFrom: 'network' | 'cache',
    request: SentRequest,
  ): Outcome {
    const { status, headers, revision } = stored;
    const parsed = this.#rooms.exchange.read(bytes, headers, status);
    if (parsed.kind === 'unreadable') return failed(parsed.failure, request);
    const confirmed = servedFrom === 'network';
    return {
      kind: 'answered',
      answer: { status, headers, body: parsed.body },
      servedFrom,
      confirmed,
      stale: !confirmed,
      age: confirmed ? 0 : this.#rooms.cache.ageOf(stored, this.#rooms.now()),
      changed: false,
      revision,
      request,
    };
  }
}

function validatorsOf({ headers }: StoredResponse): Validators {
  return { etag: headerValue(headers, 'etag'), lastModified: headerValue(headers, 'last-modified') };
}

function unconditional(invocation: Invocation): Invocation {
  const { policy, headers } = invocation;
  return {
    ...invocation,
    policy: { ...policy, revalidate: false },
    headers: withoutHeader(headers, 'if-none-match'),
  };
}

function failed(failure: Failure, request: SentRequest | null): Outcome {
  return { kind: 'failed', failure, answer: null, request };
}

/** What a storage that takes too long is good for. */
function nothing(): null {
  return null;
}

/** Of a time that is over it says where it went; whoever gave up knows why. */
function heldUp({ action }: Invocation, failure: Failure): Failure {
  if (failure.code !== 'timeout') return failure;
  return { ...failure, message: `The worker's configureRequest held up '${action}': ${failure.message}` };
}

/** A page of HTML where the last good answer was JSON comes from a captive portal or a proxy (invariant 4). */
function portal({ answer }: AnsweredExchange): Failure {
  const message =
    'The answer is HTML where JSON came before: something between here and the server answers for it';
  return {
    code: 'parse',
    message,
    status: answer.status,
    contentType: headerValue(answer.headers, 'content-type'),
  };
}
