import type { Failure } from '../../shared/failure.ts';
import { redacted, saysJson } from '../../shared/header.ts';
import type { Header } from '../../shared/header.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { isSameRevision, mayBeDone } from '../../shared/outcome.ts';
import type { Revision, SentRequest } from '../../shared/outcome.ts';
import type { RowsQuery, RowsAnswer } from '../../shared/part.ts';
import { unreachable } from '../../shared/unreachable.ts';
import { addHeaders, NO_ADDITION } from '../contracts/addition.ts';
import type { Addition } from '../contracts/addition.ts';
import type { Located } from '../address/address.ts';
import { AskingOrder, isWrite } from './asking-order.ts';
import type { Read } from './asking-order.ts';
import type { Cache, Remembered, StoredResponse } from '../cache/cache.ts';
import type { DeltaFrom } from '../contracts/byte-delta.ts';
import type { Configured } from './configure.ts';
import type { FunctionsPort } from '../functions/port.ts';
import { failed, givenUp, heldUp, never, nothing, portal, unreadable, wentWrong } from './failures.ts';
import type { GivenUp } from './failures.ts';
import type { Exchange, Limit, Parsed, Watch } from '../exchange/exchange.ts';
import { forTheWhole, validatorsOf } from './request-context.ts';
import type {
  AnsweredExchange,
  FailedExchange,
  RequestOptions,
  RequestContext,
  UnmodifiedExchange,
} from './request-context.ts';
import type {
  Chunks,
  ReadAnswered,
  ReadBody,
  ReadOutcome,
  Reading,
  PatchFrom,
} from '../contracts/read-body.ts';
import type { Compared, Diff } from '../diff/diff.ts';

/** The rooms that an invocation passes through. */
export interface EngineModules {
  readonly locate: (invocation: Invocation, parameters: Addition['query']) => Located;
  readonly cache: Cache;
  /** The last word on a request before it is sent. */
  readonly configure: (invocation: Invocation, url: string) => Promise<Configured>;
  readonly exchange: Exchange;
  /** The app's own functions, which answers may go through. */
  readonly functions: FunctionsPort;
  /** What answers are compared with that are to be revised. */
  readonly revisions: Diff;
  /** Whether headers are a captive portal's, beside those of the last good answer. */
  readonly looksLikePortal: (before: readonly Header[], now: readonly Header[]) => boolean;
  /** Whether a 304 with these headers is about another answer than the stored one with those before it. */
  readonly isOfAnother: (stored: readonly Header[], confirming: readonly Header[]) => boolean;
  readonly now: () => number;
  readonly uuid: () => string;
}

/** What is stored, as it is to be told. */
interface StoredBody {
  readonly bytes: ArrayBuffer;
  readonly chunks: Chunks | null;
}

const NO_CONTENT = 204;
const NOTHING_NEW: Remembered = { changed: false, revision: null, isStored: Promise.resolve(false) };

/**
 * The way of one invocation: find its URL, recall what is stored, ask the server, remember what it said. What is stored
 * goes by what the page asked, neither by what the worker's own hook adds to it nor by a loop's place in a feed.
 */
export class Engine {
  readonly #modules: EngineModules;
  readonly #order = new AskingOrder();

  constructor(rooms: EngineModules) {
    this.#modules = rooms;
  }

  /** Reads on their way. */
  get reads(): number {
    return this.#order.size;
  }

  /** Serves one invocation; never rejects. */
  async invoke(
    invocation: Invocation,
    watch: Watch,
    signal: AbortSignal,
    manner: RequestOptions = {},
  ): Promise<ReadOutcome> {
    try {
      return await this.#serve(invocation, watch, signal, manner);
    } catch (error) {
      return failed(wentWrong(invocation, error), null);
    }
  }

  async #serve(
    invocation: Invocation,
    watch: Watch,
    signal: AbortSignal,
    {
      addition = NO_ADDITION,
      reading = 'parsed',
      held = false,
      writeBehind = false,
      volatileRevision = null,
      page = null,
    }: RequestOptions,
  ): Promise<ReadOutcome> {
    const located = this.#modules.locate(invocation, []);
    if (located.kind === 'refused') return failed(located.failure, null);
    const target = addition.query.length === 0 ? located : this.#modules.locate(invocation, addition.query);
    if (target.kind === 'refused') return failed(target.failure, null);
    const headers = addHeaders(invocation.headers, addition.headers);
    const request = { invocation: { ...invocation, headers }, url: target.url };
    const limit = this.#modules.exchange.limit(invocation, target.url, signal);
    const { url } = located;
    const read = invocation.method === 'GET' ? this.#order.begin(invocation, url, held) : null;
    const write = isWrite(invocation, page) ? this.#order.beginWrite(url) : null;
    let isDone = true;
    const { clearings } = this.#modules.cache;
    const passage = {
      invocation,
      url,
      request,
      watch,
      limit,
      reading,
      held,
      writeBehind,
      volatileRevision,
      page,
      read,
      write,
      clearings,
    };
    try {
      const outcome = await this.#ask(read ? { ...passage, watch: inOrder(read, held, watch) } : passage);
      isDone = mayBeDone(outcome);
      return outcome;
    } finally {
      limit.lift();
      read?.end();
      write?.end(isDone);
    }
  }

  /** What is stored of an invocation's answer, without asking for it; null where nothing is. Never rejects. */
  async newest(invocation: Invocation): Promise<ReadAnswered | null> {
    const stored = await this.#recall(invocation);
    const kept = stored && this.#modules.revisions.bytesOf(stored.revision);
    const bytes = kept ?? (stored && (await this.#modules.cache.body(stored)));
    if (!stored || !bytes) return null;
    const { method, headers, policy } = invocation;
    const request = { method, url: stored.url, headers: redacted(headers, policy.secretHeaders) };
    const body = { bytes, chunks: await this.#cut(stored, bytes, 'revised') };
    const outcome = this.#served(stored, body, 'cache', request, 'revised');
    return outcome.kind === 'answered' ? { ...outcome, stale: false, changed: true } : null;
  }

  /** Nothing is compared with it any more. */
  forget(mark: Revision): void {
    this.#modules.revisions.forget(mark);
  }

  /** Rows of the list at a pointer into what is stored of an invocation's answer. Never rejects. */
  async part(invocation: Invocation, part: RowsQuery): Promise<RowsAnswer> {
    const answer = await this.#part(invocation, part);
    // What was found may have been replaced before it was read.
    return answer.kind === 'not-stored' ? this.#part(invocation, part) : answer;
  }

  async #part(invocation: Invocation, part: RowsQuery): Promise<RowsAnswer> {
    const stored = await this.#recall(invocation);
    if (!stored) return { kind: 'not-stored' };
    if (!saysJson(stored.headers)) return { kind: 'no-list' };
    const { cache, functions, revisions } = this.#modules;
    const arranging = await functions.arrangementOf(part);
    if (arranging.kind === 'failed') return arranging;
    return revisions.part(stored.revision, part, arranging.arrangement, () => cache.body(stored));
  }

  async #recall(invocation: Invocation): Promise<StoredResponse | null> {
    const located = this.#modules.locate(invocation, []);
    return located.kind === 'located' ? this.#modules.cache.recall(invocation, located.url) : null;
  }

  async #ask(passage: RequestContext): Promise<ReadOutcome> {
    const { invocation, url, request, watch, limit, reading, write, page: owner } = passage;
    // A page on its way into the back/forward cache ends its loops: a transaction would cost it its place there.
    if (limit.failure) return failed(limit.failure, null);
    const { cache, functions } = this.#modules;
    const { transform } = invocation.policy;
    const refused = transform ? await limit.within(functions.refuse(transform), asItIs) : null;
    if (refused) return failed(refused, null);
    const looking = limit.within(cache.peek(invocation, url), nothing);
    // Where no validators go along, the request does not wait for the look.
    const known = request.invocation.policy.revalidate ? await looking : null;
    const validators = known && !cache.isBehind(known) ? validatorsOf(known) : null;
    const configured = await this.#configure(passage);
    if (configured.kind === 'refused') return failed(configured.failure, null);
    const order = { invocation: configured.invocation, url: request.url, validators, reading, owner, write };
    const exchanged = await this.#modules.exchange.send(order, watch, limit);
    switch (exchanged.kind) {
      case 'answered':
        return this.#remember(passage, await looking, exchanged);
      case 'not-modified':
        return this.#confirm(passage, await looking, exchanged);
      case 'failed':
        if (known && validators && mayBeMisled(passage, exchanged)) void cache.suspect(known);
        return this.#fallBack(passage, exchanged);
      default:
        return unreachable(exchanged);
    }
  }

  /** The app's hook is given what time there is: a token that never comes must not hold the call (invariant 9). */
  async #configure({ request: { invocation, url }, limit }: RequestContext): Promise<Configured> {
    if (limit.failure) return { kind: 'refused', failure: limit.failure };
    return limit.within(this.#modules.configure(invocation, url), (failure) => ({
      kind: 'refused',
      failure: heldUp(invocation, failure),
    }));
  }

  async #remember(
    passage: RequestContext,
    stored: StoredResponse | null,
    exchanged: AnsweredExchange,
  ): Promise<ReadOutcome> {
    const { invocation, limit } = passage;
    const { answer, request } = exchanged;
    if (stored && this.#modules.looksLikePortal(stored.headers, answer.headers))
      return failed(portal(exchanged), request);
    const transforming = invocation.policy.transform ? this.#transform(passage, exchanged) : null;
    const made = transforming
      ? await limit.within<AnsweredExchange | GivenUp>(transforming, givenUp)
      : exchanged;
    if (made.kind === 'given-up') return failed(made.failure, request);
    const comparing = this.#compare(passage, stored, made);
    const compared = await limit.within<Compared | GivenUp>(comparing, givenUp);
    if (compared.kind === 'unreadable') return unreadable(compared, made);
    if (compared.kind === 'given-up') return failed(compared.failure, request);
    const remembered = await this.#store(passage, stored, made, compared.derivation);
    if (!remembered) return this.#yield(passage, stored, request);
    // It is stored by now, but not told: a 304 would say no more than that.
    if (passage.read?.isOvertaken) return this.#yield(forTheWhole(passage), stored, request);
    const { changed, revision } = remembered;
    passage.read?.taken(revision);
    const body = this.#keep(passage, revision, compared);
    return {
      kind: 'answered',
      answer: { ...answer, body },
      servedFrom: 'network',
      confirmed: false,
      stale: false,
      age: 0,
      changed,
      revision,
      request,
    };
  }

  /** As if its server had sent what the functions make of it. */
  async #transform(
    { invocation, reading }: RequestContext,
    exchanged: AnsweredExchange,
  ): Promise<AnsweredExchange | GivenUp> {
    const { functions, exchange } = this.#modules;
    const { answer } = exchanged;
    const made = await functions.transform(invocation, answer, exchanged.bytes);
    if (made.kind === 'failed') return givenUp(made.failure);
    if (made.kind === 'as-it-is') return exchanged;
    const { bytes } = made;
    const read = exchange.read(bytes, answer.headers, answer.status, reading);
    if (read.kind === 'unreadable') return givenUp(read.failure);
    return { ...exchanged, bytes, answer: { ...answer, body: read.body } };
  }

  /** Null where the answer is not to be taken. */
  async #store(
    { invocation, url, held, writeBehind, read, reading, clearings }: RequestContext,
    stored: StoredResponse | null,
    exchanged: AnsweredExchange,
    derivation: DeltaFrom | null,
  ): Promise<Remembered | null> {
    const { cache } = this.#modules;
    const { answer } = exchanged;
    const received = read ? { ...exchanged, take: () => read.take() } : exchanged;
    // The state that it was held for is what is stored, and stays that.
    if (held && answer.status === NO_CONTENT) return NOTHING_NEW;
    // Bytes that are told may be handed over, and nobody has them then.
    const bytes = answer.body.kind === 'bytes' ? exchanged.bytes.slice(0) : exchanged.bytes;
    const remembered = await cache.remember(
      invocation,
      url,
      stored,
      { ...received, bytes },
      {
        derivation,
        counts: reading !== 'checked',
        clearings,
      },
    );
    if (writeBehind || !remembered) return remembered;
    return (await remembered.isStored) ? remembered : { ...remembered, revision: null };
  }

  /**
   * The answer may be from before a write, or before another answer: it is dropped. The other one is told in its place
   * where it is stored, else the server is asked again.
   */
  async #yield(
    passage: RequestContext,
    before: StoredResponse | null,
    request: SentRequest,
  ): Promise<ReadOutcome> {
    const { invocation, url, read, limit, reading } = passage;
    const outrunBy = read?.outrunBy ?? null;
    read?.drop();
    const newer = outrunBy && (await limit.within(outrunBy.result, nothing));
    const stored = newer && (await limit.within(this.#modules.cache.recall(invocation, url), nothing));
    if (!newer || !stored || !isSameRevision(stored.revision, newer)) return this.#ask(passage);
    const body = await this.#bodyOf(stored, limit, reading);
    // A write may have finished meanwhile, or a newer answer have come.
    if (!body || read?.outrunBy !== outrunBy) return this.#ask(passage);
    const changed = !before || !isSameRevision(before.revision, stored.revision);
    const outcome = this.#served(stored, body, 'network', request, reading);
    return outcome.kind === 'answered' ? { ...outcome, changed, confirmed: !changed } : outcome;
  }

  /** Keeps what the next answer is compared with. What is not stored is kept in memory alone, under a mark of its own. */
  #keep(
    { volatileRevision: before }: RequestContext,
    revision: Revision | null,
    compared: Extract<Compared, { readonly kind: 'compared' }>,
  ): ReadBody {
    const { revisions, uuid } = this.#modules;
    const { body, document } = compared;
    if (revision) revisions.keep(revision, compared);
    if (revision || document === null || body.kind !== 'json') return body;
    const isSame = before !== null && isUnchanged(body.patchFrom, before);
    const volatileRevision = isSame
      ? before
      : { lineage: before?.lineage ?? uuid(), number: (before?.number ?? 0) + 1 };
    revisions.keep(volatileRevision, compared);
    return { ...body, volatileRevision };
  }

  /** What an answer that is to be revised has in common with the one before, if that is JSON too. */
  async #compare(
    { reading, limit, volatileRevision }: RequestContext,
    stored: StoredResponse | null,
    { answer, bytes }: AnsweredExchange,
  ): Promise<Compared> {
    const { body, status, headers } = answer;
    if (body.kind !== 'json') return { kind: 'compared', body, derivation: null, document: null };
    const { revisions, exchange } = this.#modules;
    const parse = (): Parsed<ReadBody> => exchange.read(bytes, headers, status, 'parsed');
    if (reading !== 'revised') return revisions.check(bytes, parse);
    const before = stored && saysJson(stored.headers) ? stored : null;
    const base = before
      ? { revision: before.revision, bytes: () => limit.within(this.#modules.cache.body(before), nothing) }
      : volatileRevision && { revision: volatileRevision, bytes: async () => null };
    return revisions.compare(bytes, base, parse);
  }

  /** The server says that what is stored is still current. */
  async #confirm(
    passage: RequestContext,
    stored: StoredResponse | null,
    exchanged: UnmodifiedExchange,
  ): Promise<ReadOutcome> {
    const { limit, reading, read } = passage;
    if (read && !read.take()) return this.#yield(passage, stored, exchanged.request);
    const body =
      stored && this.#isAbout(stored, exchanged) ? await this.#bodyOf(stored, limit, reading) : null;
    if (read?.isOvertaken) return this.#yield(passage, stored, exchanged.request);
    // The body is gone though its validators were there, or is not what the server means.
    if (!stored || !body) return this.#ask(forTheWhole(passage));
    read?.taken(stored.revision);
    void this.#modules.cache.freshen(stored, exchanged.headers, exchanged.receivedAt);
    return this.#served(stored, body, 'network', exchanged.request, reading);
  }

  /** Whether a 304 is about what is stored: a validator belongs to the URL that a redirect led to. */
  #isAbout({ finalUrl, headers }: StoredResponse, confirming: UnmodifiedExchange): boolean {
    return (
      (finalUrl ?? null) === confirming.finalUrl && !this.#modules.isOfAnother(headers, confirming.headers)
    );
  }

  /** Without a network, what is stored is better than nothing, and says so. */
  async #fallBack(
    { invocation, url, limit, reading }: RequestContext,
    exchanged: FailedExchange,
  ): Promise<ReadOutcome> {
    const { failure, answer, request } = exchanged;
    const cutOff = failure.code === 'network' || failure.code === 'offline';
    // What was recalled before it was asked for may have been replaced since.
    const stored = cutOff ? await limit.within(this.#modules.cache.recall(invocation, url), nothing) : null;
    const body = stored && (await this.#bodyOf(stored, limit, reading));
    if (!stored || !body || !request) return { kind: 'failed', failure, answer, request };
    return this.#served(stored, body, 'cache', request, reading);
  }

  /**
   * What is compared with need not be read again; but it is not served once it has been replaced or cleared away, for a
   * newer one may have been told meanwhile (invariant 8).
   */
  async #bodyOf(stored: StoredResponse, limit: Limit, reading: Reading): Promise<StoredBody | null> {
    const { revisions, cache } = this.#modules;
    const kept = revisions.bytesOf(stored.revision);
    const bytes = kept ?? (await limit.within(cache.body(stored), nothing));
    if (!bytes) return null;
    const cutting = this.#cut(stored, bytes, reading);
    const chunks = cutting && (await limit.within(cutting, nothing));
    const isCurrent = (!kept && !cutting) || (await limit.within(cache.isCurrent(stored), never));
    return isCurrent ? { bytes, chunks } : null;
  }

  /** Null where it is short, or no JSON to be told as it is. */
  #cut(
    { revision, headers }: StoredResponse,
    bytes: ArrayBuffer,
    reading: Reading,
  ): Promise<Chunks | null> | null {
    return reading === 'parsed' || !saysJson(headers)
      ? null
      : this.#modules.revisions.chunks(revision, bytes);
  }

  #served(
    stored: StoredResponse,
    { bytes, chunks }: StoredBody,
    servedFrom: 'network' | 'cache',
    request: SentRequest,
    reading: Reading,
  ): ReadOutcome {
    const { status, headers, revision } = stored;
    // What is stored was found to be JSON when it came.
    const read = this.#modules.exchange.read(
      bytes,
      headers,
      status,
      reading === 'parsed' ? reading : 'revised',
    );
    if (read.kind === 'unreadable') return failed(read.failure, request);
    const confirmed = servedFrom === 'network';
    const { body } = read;
    return {
      kind: 'answered',
      answer: {
        status,
        headers,
        body: body.kind === 'json' ? { ...body, patchFrom: { from: revision, patch: null }, chunks } : body,
      },
      servedFrom,
      confirmed,
      stale: !confirmed,
      age: confirmed ? 0 : this.#modules.cache.ageOf(stored, this.#modules.now()),
      changed: false,
      revision,
      request,
    };
  }
}

/** Whether a redirect to another origin, which takes no validators without a preflight, looks like this. */
function mayBeMisled({ invocation }: RequestContext, { failure }: FailedExchange): boolean {
  return failure.code === 'network' && invocation.policy.origins.length > 0;
}

/** Has the read know when it is asked for. What the server holds is as new as its answer. */
function inOrder(read: Read, held: boolean, watch: Watch): Watch {
  if (!held) return { ...watch, asking: () => read.ask() };
  const sent: Watch['sent'] = (status, headers) => {
    read.ask();
    watch.sent?.(status, headers);
  };
  return { ...watch, sent };
}

function asItIs(failure: Failure): Failure {
  return failure;
}

/** Whether the step says that nothing has changed since that state, rather than since another. */
function isUnchanged(step: PatchFrom | null, since: Revision): boolean {
  return step !== null && step.patch === null && isSameRevision(step.from, since);
}
