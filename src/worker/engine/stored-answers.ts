import type { Failure } from '../../shared/failure.ts';
import { redacted, saysJson, withHeader } from '../../shared/header.ts';
import type { Header } from '../../shared/header.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { isSameRevision } from '../../shared/outcome.ts';
import type { Revision, SentRequest } from '../../shared/outcome.ts';
import type { RowsAnswer, RowsQuery } from '../../shared/part.ts';
import type { Located } from '../address/expansion.ts';
import type { Cache, StoredResponse } from '../cache/cache.ts';
import { askingForWhole, asksForPart, cut, mayBeCut } from '../contracts/byte-range.ts';
import type { Addition } from '../contracts/engine-request.ts';
import type { Chunks, ReadAnswered, ReadOutcome, Reading } from '../contracts/read-body.ts';
import type { Diff } from '../diff/diff.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { FunctionsPort } from '../functions/functions.ts';
import { failed, never, nothing } from './failures.ts';
import type { FailedExchange, RequestContext, UnmodifiedExchange } from './request-context.ts';

export interface StoredAnswersPorts {
  readonly locate: (invocation: Invocation, parameters: Addition['query']) => Located;
  readonly cache: Cache;
  readonly exchange: Exchange;
  readonly functions: FunctionsPort;
  readonly revisions: Diff;
  /** True if a 304 with the headers `confirming` is about another answer than the stored one. */
  readonly isOfAnother: (stored: readonly Header[], confirming: readonly Header[]) => boolean;
  readonly now: () => number;
}

/** A request whose own answer is dropped. */
export interface Ours {
  /** What was stored when it went out. */
  readonly before: StoredResponse | null;
  readonly request: SentRequest;
  /** Its headers, after the app's hook. */
  readonly sent: readonly Header[];
}

/** The invocation after the app's hook and the credentials provider, or why it would not be sent. */
type AskedNow = (invocation: Invocation, url: string) => Promise<Invocation | Failure>;

interface StoredBody {
  readonly bytes: ArrayBuffer;
  readonly chunks: Chunks | null;
}

/** Serves stored answers: in place of a fresh one, or when no fresh one is asked for. */
export class StoredAnswers {
  readonly #ports: StoredAnswersPorts;
  readonly #askedNow: AskedNow;

  /** `askedNow` returns the invocation as it would be sent now. */
  constructor(ports: StoredAnswersPorts, askedNow: AskedNow) {
    this.#ports = ports;
    this.#askedNow = askedNow;
  }

  /** The newest stored answer, as it is; null if there is none. Never rejects. */
  async newest(invocation: Invocation): Promise<ReadAnswered | null> {
    const { cache, revisions } = this.#ports;
    const stored = await this.#recall(invocation);
    const bytes = stored && (revisions.bytesOf(stored.revision) ?? (await cache.body(stored)));
    if (!stored || !bytes) return null;
    const { method, headers, policy } = invocation;
    const request = { method, url: stored.url, headers: redacted(headers, policy.secretHeaders) };
    const body = { bytes, chunks: await this.#cut(stored, bytes, 'revised') };
    const outcome = this.#serve(stored, body, cache.standingOf(invocation, stored), request, 'revised');
    return outcome.kind === 'answered' ? { ...outcome, changed: true } : null;
  }

  /** Rows of the list at a pointer into the stored answer. Never rejects. */
  async part(invocation: Invocation, part: RowsQuery): Promise<RowsAnswer> {
    const answer = await this.#part(invocation, part);
    // The answer may have been replaced between finding and reading it.
    return answer.kind === 'not-stored' ? this.#part(invocation, part) : answer;
  }

  async #part(invocation: Invocation, part: RowsQuery): Promise<RowsAnswer> {
    const stored = await this.#recall(invocation);
    if (!stored) return { kind: 'not-stored' };
    if (!saysJson(stored.headers)) return { kind: 'no-list' };
    const { cache, functions, revisions } = this.#ports;
    const arranging = await functions.arrangementOf(part);
    if (arranging.kind === 'failed') return arranging;
    return revisions.part(stored.revision, part, arranging.arrangement, () => cache.body(stored));
  }

  async #recall(invocation: Invocation): Promise<StoredResponse | null> {
    const { locate, cache } = this.#ports;
    const located = locate(invocation, []);
    if (located.kind === 'refused') return null;
    const stored = await cache.recall(invocation, located.url);
    const asked = stored && cache.isOfSomebody(stored) ? await this.#askedNow(invocation, located.url) : null;
    if (asked && 'code' in asked) return null;
    const looking = asked ? { ...invocation, policy: asked.policy } : invocation;
    const fit = await cache.fitOf(looking, stored, asked && asked.headers);
    return fit === 'other' ? null : stored;
  }

  /** After a 304. Null if the body is gone though its validators were there, or if the server means another answer. */
  async confirmed(
    context: RequestContext,
    stored: StoredResponse | null,
    exchanged: UnmodifiedExchange,
  ): Promise<ReadOutcome | null> {
    if (!stored || !this.#isAbout(stored, exchanged)) return null;
    const body = await this.#bodyOf(context, stored);
    const described = this.#ports.cache.confirmed(stored, exchanged);
    return body && this.#serve(described, body, 'confirmed', exchanged.request, context.reading);
  }

  /** A validator belongs to the URL that a redirect led to. */
  #isAbout({ finalUrl, headers }: StoredResponse, confirming: UnmodifiedExchange): boolean {
    const isSameUrl = (finalUrl ?? null) === confirming.finalUrl;
    return isSameUrl && !this.#ports.isOfAnother(headers, confirming.headers);
  }

  /** Serves this revision to a request asked before it, if it is still the stored one, and for that request. */
  async newer(
    context: RequestContext,
    revision: Revision,
    { before, request, sent }: Ours,
  ): Promise<ReadOutcome | null> {
    const { invocation, url, limit, reading } = context;
    const { cache } = this.#ports;
    const stored = await limit.within(cache.recall(invocation, url), nothing);
    if (!stored || !isSameRevision(stored.revision, revision)) return null;
    // The app's hook may have made two requests of what the page asks alike.
    if ((await cache.fitOf(invocation, stored, sent)) === 'other') return null;
    const body = await this.#bodyOf(context, stored);
    if (!body) return null;
    const changed = !before || !isSameRevision(before.revision, stored.revision);
    const outcome = this.#serve(stored, body, 'confirmed', request, reading);
    return outcome.kind === 'answered' ? { ...outcome, changed, confirmed: !changed } : outcome;
  }

  /** Serves the stored answer without a request. Null if its body is gone. */
  async served(
    context: RequestContext,
    stored: StoredResponse,
    stale: boolean,
    request: SentRequest = this.#requestOf(context),
  ): Promise<ReadOutcome | null> {
    const body = await this.#bodyOf(context, stored);
    return body && this.#serve(stored, body, stale ? 'stale' : 'fresh', request, context.reading);
  }

  /** The part of the stored answer that is asked for. Null if only the server can tell, or its body is gone. */
  async servedPart(
    context: RequestContext,
    stored: StoredResponse,
    stale: boolean,
    request: SentRequest = this.#requestOf(context),
  ): Promise<ReadOutcome | null> {
    const { headers } = context.invocation;
    // What another origin has sent may have been compressed, which it need not let anybody read.
    if (stored.sender !== undefined) return null;
    const body = await this.#bodyOf({ ...context, reading: 'parsed' }, stored);
    const part = body && cut(headers, { ...stored, bytes: body.bytes });
    if (!part) return null;
    const described = { ...stored, status: part.status, headers: part.headers };
    const whole = { bytes: part.bytes, chunks: null };
    const outcome = this.#serve(described, whole, stale ? 'stale' : 'fresh', request, 'parsed');
    // A part has no revision: nothing is compared with it.
    return outcome.kind === 'answered' ? { ...outcome, revision: null } : outcome;
  }

  #requestOf({ invocation, url }: RequestContext): SentRequest {
    const { method, headers, policy } = invocation;
    return { method, url, headers: redacted(headers, policy.secretHeaders) };
  }

  /** Where the network or the server fails, serves the stored answer if it may stand for that, and marks it stale. */
  async orFailed(
    context: RequestContext,
    exchanged: FailedExchange,
    sent: readonly Header[],
  ): Promise<ReadOutcome> {
    const { url, limit } = context;
    const { failure, request } = exchanged;
    const { cache } = this.#ports;
    const isPart = asksForPart(context.invocation) && mayBeCut(context.invocation, url);
    const invocation = isPart ? askingForWhole(context.invocation) : context.invocation;
    // A loop waits out its server's failure, and has told the stored answer already.
    const isCutOff = failure.code === 'network' || failure.code === 'offline';
    const mayStand = isCutOff || (failure.code === 'http' && context.page !== null);
    // The stored answer may have been replaced since the request began.
    const recalled = mayStand ? await limit.within(cache.recall(invocation, url), nothing) : null;
    const fit = await cache.fitOf(invocation, recalled, sent);
    const stored = recalled && cache.standsFor(invocation, recalled, failure, fit) ? recalled : null;
    if (!stored || !request) return exchanged;
    const served = isPart
      ? this.servedPart(context, stored, true, request)
      : this.served(context, stored, true, request);
    return (await served) ?? exchanged;
  }

  /** Kept bytes need not be read again, but serve only while current: newer ones may have been told (invariant 8). */
  async #bodyOf({ limit, reading }: RequestContext, stored: StoredResponse): Promise<StoredBody | null> {
    const { revisions, cache } = this.#ports;
    const kept = revisions.bytesOf(stored.revision);
    const bytes = kept ?? (await limit.within(cache.body(stored), nothing));
    if (!bytes) return null;
    const cutting = this.#cut(stored, bytes, reading);
    const chunks = cutting && (await limit.within(cutting, nothing));
    const isCurrent = (!kept && !cutting) || (await limit.within(cache.isCurrent(stored), never));
    return isCurrent ? { bytes, chunks } : null;
  }

  /** Null if the answer is short, or is not told as JSON. */
  #cut(
    { revision, headers }: StoredResponse,
    bytes: ArrayBuffer,
    reading: Reading,
  ): Promise<Chunks | null> | null {
    if (reading === 'parsed' || !saysJson(headers)) return null;
    return this.#ports.revisions.chunks(revision, bytes);
  }

  #serve(
    stored: StoredResponse,
    { bytes, chunks }: StoredBody,
    standing: 'confirmed' | 'fresh' | 'stale',
    request: SentRequest,
    reading: Reading,
  ): ReadOutcome {
    const { status, headers, revision } = stored;
    const { exchange, cache, now } = this.#ports;
    // Stored JSON was checked when it came.
    const read = exchange.read(bytes, headers, status, reading === 'parsed' ? 'parsed' : 'revised');
    if (read.kind === 'unreadable') return failed(read.failure, request);
    const { body } = read;
    const confirmed = standing === 'confirmed';
    const age = confirmed ? 0 : cache.ageOf(stored, now());
    return {
      kind: 'answered',
      answer: {
        status,
        headers: confirmed ? headers : withHeader(headers, 'age', String(Math.floor(age))),
        body: body.kind === 'json' ? { ...body, patchFrom: { from: revision, patch: null }, chunks } : body,
      },
      servedFrom: confirmed ? 'network' : 'cache',
      confirmed,
      stale: standing === 'stale',
      age,
      changed: false,
      revision,
      request,
      ...(!confirmed && { asOf: stored.receivedAt - (stored.delay ?? 0) }),
    };
  }
}
