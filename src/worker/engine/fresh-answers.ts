import type { EarlyAnswer } from '../../shared/early.ts';
import type { Failure } from '../../shared/failure.ts';
import { saysJson } from '../../shared/header.ts';
import { answeredNow, isSameRevision } from '../../shared/outcome.ts';
import type { Revision } from '../../shared/outcome.ts';
import type { Cache, Remembered, StoredResponse } from '../cache/cache.ts';
import type { DeltaFrom } from '../contracts/response-store.ts';
import type { PatchFrom, ReadAnswered, ReadBody, TakeEarly } from '../contracts/read-body.ts';
import type { Base, Compared, Diff } from '../diff/diff.ts';
import type { Exchange, Parsed } from '../exchange/exchange.ts';
import type { FunctionsPort } from '../functions/functions.ts';
import { givenUp, nothing } from './failures.ts';
import type { GivenUp } from './failures.ts';
import type { AnsweredExchange, RequestContext } from './request-context.ts';

export interface FreshAnswersPorts {
  readonly cache: Cache;
  readonly exchange: Exchange;
  readonly functions: FunctionsPort;
  /** Compares an answer with the previous one. */
  readonly revisions: Diff;
  readonly uuid: () => string;
}

type ComparedAnswer = Extract<Compared, { readonly kind: 'compared' }>;

const NO_CONTENT = 204;
const NOT_MODIFIED = 304;
const NOTHING_NEW: Remembered = { changed: false, revision: null, isStored: Promise.resolve(false) };

/** The steps from an answer as its server sent it to the answer that is told. */
export class FreshAnswers {
  readonly #ports: FreshAnswersPorts;

  constructor(ports: FreshAnswersPorts) {
    this.#ports = ports;
  }

  /** Why the answer could not be transformed, known before the request is sent; null if it can be, or need not be. */
  async refuse({ invocation, limit }: RequestContext): Promise<Failure | null> {
    const { transform } = invocation.policy;
    if (!transform) return null;
    return limit.within<Failure | null>(this.#ports.functions.refuse(transform), (failure) => failure);
  }

  /** The answer as if its server had sent the result of the app's functions. */
  async transform(context: RequestContext, exchanged: AnsweredExchange): Promise<AnsweredExchange | GivenUp> {
    if (!context.invocation.policy.transform) return exchanged;
    return context.limit.within(this.#transform(context, exchanged), givenUp);
  }

  async #transform(
    { invocation, reading }: RequestContext,
    exchanged: AnsweredExchange,
  ): Promise<AnsweredExchange | GivenUp> {
    const { functions, exchange } = this.#ports;
    const { answer } = exchanged;
    const made = await functions.transform(invocation, answer, exchanged.bytes);
    if (made.kind === 'failed') {
      const { failure, refused: value } = made;
      if (value === undefined) return givenUp(failure);
      return { ...givenUp(failure), answer: { ...answer, body: { kind: 'value', value } } };
    }
    if (made.kind === 'as-it-is') return exchanged;
    const { bytes } = made;
    const read = exchange.read(bytes, answer.headers, answer.status, reading);
    if (read.kind === 'unreadable') return givenUp(read.failure);
    return { ...exchanged, bytes, answer: { ...answer, body: read.body } };
  }

  /** Compares the answer with the previous one, if it is to be revised and both are JSON. */
  async compare(
    context: RequestContext,
    before: StoredResponse | null,
    { answer, bytes }: AnsweredExchange,
  ): Promise<Compared | GivenUp> {
    const { body, status, headers } = answer;
    if (body.kind !== 'json') return { kind: 'compared', body, derivation: null, document: null };
    const { revisions, exchange } = this.#ports;
    const parse = (): Parsed<ReadBody> => exchange.read(bytes, headers, status, 'parsed');
    const take = earlyOf(context);
    const comparing =
      context.reading === 'revised'
        ? revisions.compare(bytes, this.#baseOf(context, before), parse, take)
        : revisions.check(bytes, parse, take);
    return context.limit.within<Compared | GivenUp>(comparing, givenUp);
  }

  #baseOf({ limit, volatileRevision }: RequestContext, before: StoredResponse | null): Base | null {
    if (before && saysJson(before.headers)) {
      const bytes = (): Promise<ArrayBuffer | null> => limit.within(this.#ports.cache.body(before), nothing);
      return { revision: before.revision, bytes };
    }
    return volatileRevision && { revision: volatileRevision, bytes: async () => null };
  }

  /** Stores the answer. Null if it is dropped because a newer one was taken. */
  async remember(
    context: RequestContext,
    before: StoredResponse | null,
    exchanged: AnsweredExchange,
    derivation: DeltaFrom | null,
  ): Promise<Remembered | null> {
    const { invocation, url, page, asksForNews, writeBehind, read, clearings } = context;
    const { answer } = exchanged;
    // Nothing is new, so the stored state stays.
    const isNothing = asksForNews && answer.status === NO_CONTENT;
    if (isNothing || answer.status === NOT_MODIFIED) return NOTHING_NEW;
    // Bytes that are told may be transferred to the page, so the cache gets its own copy.
    const bytes = answer.body.kind === 'bytes' ? exchanged.bytes.slice(0) : exchanged.bytes;
    const received = {
      ...exchanged,
      bytes,
      ...(read && { take: () => read.take(), isOutdated: read.isOutdated, asked: read.asked }),
    };
    const isLoops = page === null;
    const making = { derivation, counts: isLoops, isPatient: isLoops && writeBehind, clearings };
    const remembered = await this.#ports.cache.remember(invocation, url, before, received, making);
    if (writeBehind || !remembered) return remembered;
    return (await remembered.isStored) ? remembered : { ...remembered, revision: null };
  }

  /** Stores an answer that came before this engine was there, unless a newer one is. It is older than all that was asked since. */
  async adopt(
    { invocation, status, headers, bytes, ...came }: Extract<EarlyAnswer, { readonly kind: 'read' }>,
    url: string,
    isOutdated: () => boolean,
  ): Promise<void> {
    const { cache } = this.#ports;
    const { clearings, clearedAt } = cache;
    // It was asked for before all was cleared.
    if (came.receivedAt - came.delay <= clearedAt) return;
    const before = await cache.peek(invocation, url);
    if (before && before.receivedAt >= came.receivedAt) return;
    const answer = { status, headers, body: null };
    const received = { ...came, answer, bytes, isOutdated: isOutdated(), asked: 0 };
    const remembered = await cache.remember(invocation, url, before, received, { counts: false, clearings });
    await remembered?.isStored;
  }

  /** The outcome that is told. Its bytes are kept, since the next answer is compared with them. */
  answered(
    context: RequestContext,
    { answer, request }: AnsweredExchange,
    compared: ComparedAnswer,
    { changed, revision }: Remembered,
  ): ReadAnswered {
    const body = revision ? compared.body : this.#withVolatileRevision(context, compared);
    if (revision) this.#ports.revisions.keep(revision, compared);
    return answeredNow({ ...answer, body }, request, { changed, revision });
  }

  /** An answer that is compared but not stored is kept in memory alone, under a revision of its own. */
  #withVolatileRevision({ volatileRevision: before }: RequestContext, compared: ComparedAnswer): ReadBody {
    const { revisions, uuid } = this.#ports;
    const { body, document } = compared;
    if (document === null || body.kind !== 'json') return body;
    const isSame = before !== null && isUnchanged(body.patchFrom, before);
    const volatileRevision = isSame
      ? before
      : { lineage: before?.lineage ?? uuid(), number: (before?.number ?? 0) + 1 };
    revisions.keep(volatileRevision, compared);
    return { ...body, volatileRevision };
  }
}

/** Tells rows while an answer is read, unless the request is over by then, or a newer answer was told. */
function earlyOf({ takeEarly, limit, read }: RequestContext): TakeEarly | null {
  return takeEarly && ((chunk) => (limit.failure || read?.isOvertaken ? undefined : takeEarly(chunk)));
}

/** True if nothing has changed since that very revision. */
function isUnchanged(patchFrom: PatchFrom | null, since: Revision): boolean {
  return patchFrom !== null && patchFrom.patch === null && isSameRevision(patchFrom.from, since);
}
