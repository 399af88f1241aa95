import { headerValue } from '../../shared/header.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { mayBeDone } from '../../shared/outcome.ts';
import type { Outcome, Revision, SentRequest } from '../../shared/outcome.ts';
import type { RowsAnswer, RowsQuery } from '../../shared/part.ts';
import { unreachable } from '../../shared/unreachable.ts';
import type { Cache, Plan, StoredResponse } from '../cache/cache.ts';
import { addHeaders } from '../contracts/engine-request.ts';
import type { CallRequest, TickRequest } from '../contracts/engine-request.ts';
import type { ReadAnswered, ReadOutcome } from '../contracts/read-body.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { Suspect } from '../exchange/portal.ts';
import { AskingOrder, isWrite } from './asking-order.ts';
import type { Configured } from './configure.ts';
import { failed, heldUp, nothing, notStored, portal, unreadable, wentWrong } from './failures.ts';
import { FreshAnswers } from './fresh-answers.ts';
import type { FreshAnswersPorts } from './fresh-answers.ts';
import { askedByCall, askedByTick, forTheWhole, inOrder, validatorsOf, noting } from './request-context.ts';
import type {
  AnsweredExchange,
  Asked,
  FailedExchange,
  RequestContext,
  Sent,
  UnmodifiedExchange,
} from './request-context.ts';
import { StoredAnswers } from './stored-answers.ts';
import type { StoredAnswersPorts } from './stored-answers.ts';
import { isWithdrawn, outdatedBy } from './withdrawn.ts';

export interface EngineModules extends FreshAnswersPorts, StoredAnswersPorts {
  readonly cache: Cache;
  readonly exchange: Exchange;
  /** The app's hook may change a request right before it is sent. */
  readonly configure: (invocation: Invocation, url: string) => Promise<Configured>;
  /** True if the answer is a captive portal's. */
  readonly looksLikePortal: (suspect: Suspect) => boolean;
  /** The result of the work, or null if that takes long. */
  readonly soon: <T>(work: Promise<T | null>) => Promise<T | null>;
  readonly note: (outcome: Outcome<unknown>, asked: Pick<Asked, 'askedAt' | 'held'>) => void;
}

/**
 * The way of one request: find its URL, look at what is stored, ask the server, store and tell the answer. Answers are
 * stored under what the page asked, without what the worker's hook or a loop's cursor adds.
 */
export class Engine {
  readonly #modules: EngineModules;
  readonly #order = new AskingOrder();
  readonly #fresh: FreshAnswers;
  readonly #stored: StoredAnswers;

  constructor(modules: EngineModules) {
    this.#modules = modules;
    this.#fresh = new FreshAnswers(modules);
    this.#stored = new StoredAnswers(modules);
  }

  /** Serves a page's call; never rejects. */
  call(request: CallRequest): Promise<ReadOutcome> {
    const { asked, sent } = noting(askedByCall(request, this.#modules.now()));
    return this.#noted(asked, sent, this.#serve(asked));
  }

  /** Makes one request of a loop; never rejects. */
  tick(request: TickRequest): Promise<ReadOutcome> {
    const { asked, sent } = noting(askedByTick(request, this.#modules.now()));
    return this.#noted(asked, sent, this.#serve(asked));
  }

  /** The newest stored answer, without asking for it; null if there is none. Never rejects. */
  newest(invocation: Invocation): Promise<ReadAnswered | null> {
    return this.#stored.newest(invocation);
  }

  /** Rows of the list at a pointer into the stored answer. Never rejects. */
  part(invocation: Invocation, part: RowsQuery): Promise<RowsAnswer> {
    return this.#stored.part(invocation, part);
  }

  /** From now on nothing is compared with this revision. */
  forget(volatileRevision: Revision): void {
    this.#modules.revisions.forget(volatileRevision);
  }

  /** Reads under way. */
  get reads(): number {
    return this.#order.size;
  }

  /** An outcome without a request says nothing of the server. */
  async #noted(asked: Asked, sent: Sent, serving: Promise<ReadOutcome>): Promise<ReadOutcome> {
    const failing = (error: unknown): Outcome => failed(wentWrong(asked.invocation, error), null);
    const outcome = await serving.catch(failing);
    if (sent.is) this.#modules.note(outcome, asked);
    return outcome;
  }

  /** Locates the URL, and keeps the request in the asking order until it is answered. */
  async #serve({ addition, signal, ...asked }: Asked): Promise<ReadOutcome> {
    const { locate, exchange, cache } = this.#modules;
    const { invocation, page, held, watch } = asked;
    const located = locate(invocation, []);
    if (located.kind === 'refused') return failed(located.failure, null);
    const target = addition.query.length === 0 ? located : locate(invocation, addition.query);
    if (target.kind === 'refused') return failed(target.failure, null);
    const { url } = located;
    const headers = addHeaders(invocation.headers, addition.headers);
    const request = { invocation: { ...invocation, headers }, url: target.url };
    const limit = exchange.limit(invocation, target.url, signal);
    const read = invocation.method === 'GET' ? this.#order.begin(invocation, addition, url, held) : null;
    const write = isWrite(invocation, page) ? this.#order.beginWrite(url) : null;
    const { clearings } = cache;
    const watched = read ? inOrder(read, held, watch) : watch;
    let isDone = true;
    try {
      const outcome = await this.#ask({
        ...asked,
        watch: watched,
        url,
        request,
        limit,
        read,
        write,
        clearings,
        isForTheWhole: false,
      });
      isDone = mayBeDone(outcome);
      // A cursor that is refused says nothing of what the URL shows without it.
      const speaks = !asked.asksForNews && !read?.isOvertaken && (read !== null || page !== null);
      if (speaks) this.#settle(invocation.method, url, outcome);
      return outcome;
    } finally {
      limit.lift();
      read?.end();
      write?.end(isDone);
    }
  }

  /** What is stored, and what is on its way, may not outlast this outcome. */
  #settle(method: string, url: string, outcome: ReadOutcome): void {
    const { cache } = this.#modules;
    const gone = isWithdrawn(method, outcome) ? [url] : [];
    const outdated = outdatedBy(method, url, outcome).filter((each) => !gone.includes(each));
    for (const each of gone) void cache.removeAll(each);
    for (const each of outdated) void cache.outdateAll(each);
    for (const each of [...gone, ...outdated]) this.#order.bar(each);
  }

  /** Peeks at the stored answer, configures and sends the request, and handles its result. */
  async #ask(context: RequestContext): Promise<ReadOutcome> {
    const { invocation, url, request, watch, limit, reading, write, page: owner, isForTheWhole } = context;
    // A page that enters the back/forward cache ends its loops; a transaction here would keep the page out of it.
    if (limit.failure) return failed(limit.failure, null);
    const refused = await this.#fresh.refuse(context);
    if (refused) return failed(refused, null);
    const { cache, exchange } = this.#modules;
    const peeking = limit.within(cache.peek(invocation, url), nothing);
    const known = await this.#known(context, peeking);
    const configured = await this.#configure(context);
    if (configured.kind === 'refused') return failed(configured.failure, null);
    const { isBespoke } = configured;
    const plan = isForTheWhole ? FOR_THE_WHOLE : cache.plan(invocation, known, isBespoke);
    const served = plan.kind === 'ask' ? null : await this.#serveStored(context, isBespoke);
    if (served) return served;
    const isToValidate = plan.kind === 'ask' && plan.validate;
    const validators = isToValidate && known && !cache.isBehind(known) ? validatorsOf(known) : null;
    const storedTag = known && headerValue(known.headers, 'etag');
    const { url: target } = request;
    const sent = configured.invocation;
    const order = { invocation: sent, url: target, validators, storedTag, reading, owner, write };
    const exchanged = await exchange.send(order, watch, limit);
    switch (exchanged.kind) {
      case 'answered':
        return this.#take(context, await this.#before(context, peeking), { ...exchanged, isBespoke });
      case 'not-modified':
        return this.#confirm(context, await peeking, { ...exchanged, isBespoke });
      case 'failed':
        if (known && validators && mayBeMisled(invocation, exchanged)) void cache.suspect(known);
        return this.#stored.orFailed(context, exchanged, isBespoke);
      default:
        return unreachable(exchanged);
    }
  }

  /** What an answer is compared with. A call that is answered does not wait long for that. */
  #before({ page }: RequestContext, peeking: Promise<StoredResponse | null>): Promise<StoredResponse | null> {
    return page === null ? peeking : this.#modules.soon(peeking);
  }

  /** What is stored. A call does not wait long for that: a storage that is late must not hold it. */
  async #known(
    { invocation, isForTheWhole }: RequestContext,
    peeking: Promise<StoredResponse | null>,
  ): Promise<StoredResponse | null> {
    if (isForTheWhole) return null;
    const { cache, revalidate } = invocation.policy;
    return revalidate || PATIENT.includes(cache) ? peeking : this.#modules.soon(peeking);
  }

  /** Serves what is stored by now: another engine may have written since. Null if the server is to be asked. */
  async #serveStored(context: RequestContext, isBespoke: boolean): Promise<ReadOutcome | null> {
    const { invocation, url, limit, read } = context;
    const { cache } = this.#modules;
    const stored = await this.#known(context, limit.within(cache.recall(invocation, url), nothing));
    const plan = cache.plan(invocation, stored, isBespoke);
    if (plan.kind === 'ask') return null;
    const isServed = stored !== null && plan.kind === 'serve';
    const outcome = isServed ? await this.#stored.served(context, stored, plan.stale) : null;
    // A write may have been done meanwhile.
    if (plan.kind === 'serve' && plan.orAsk) return read?.isOvertaken ? null : outcome;
    return outcome ?? failed(limit.failure ?? notStored(invocation), null);
  }

  /** The app's hook has no more time than the request: a token that never comes must not hold a call (invariant 9). */
  async #configure({ request: { invocation, url }, limit }: RequestContext): Promise<Configured> {
    if (limit.failure) return { kind: 'refused', failure: limit.failure };
    return limit.within(this.#modules.configure(invocation, url), (failure) => ({
      kind: 'refused',
      failure: heldUp(invocation, failure),
    }));
  }

  /** A fresh answer is transformed, compared with the one before, stored and told. */
  async #take(
    context: RequestContext,
    before: StoredResponse | null,
    exchanged: AnsweredExchange,
  ): Promise<ReadOutcome> {
    const { request, answer, bytes } = exchanged;
    const { read } = context;
    const { headers } = answer;
    const suspect = {
      asked: request.headers,
      before: before && before.headers,
      headers,
      size: bytes.byteLength,
    };
    if (this.#modules.looksLikePortal(suspect)) return failed(portal(exchanged), request);
    const made = await this.#fresh.transform(context, exchanged);
    if (made.kind === 'given-up') return failed(made.failure, request);
    const compared = await this.#fresh.compare(context, before, made);
    if (compared.kind === 'given-up') return failed(compared.failure, request);
    if (compared.kind === 'unreadable') return unreadable(compared, made);
    const remembered = await this.#fresh.remember(context, before, made, compared.derivation);
    if (!remembered) return this.#yield(context, before, request);
    // It is stored by now but not told, and a 304 would only confirm it.
    if (read?.isOvertaken) return this.#yield(forTheWhole(context), before, request);
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
    if (read && !read.take()) return this.#yield(context, stored, exchanged.request);
    const outcome = await this.#stored.confirmed(context, stored, exchanged);
    if (read?.isOvertaken) return this.#yield(context, stored, exchanged.request);
    if (!stored || !outcome) return this.#ask(forTheWhole(context));
    read?.taken(stored.revision);
    const freshened = this.#modules.cache.freshen(context.invocation, stored, exchanged);
    // The page's next call finds it as this one says.
    if (context.page !== null) await context.limit.within(freshened, nothing);
    return outcome;
  }

  /** Drops an answer that may be outdated; tells the newer one if that is stored, and asks again otherwise. */
  async #yield(
    context: RequestContext,
    before: StoredResponse | null,
    request: SentRequest,
  ): Promise<ReadOutcome> {
    const { read, limit } = context;
    const outrunBy = read?.outrunBy ?? null;
    read?.drop();
    const newer = outrunBy && (await limit.within(outrunBy.result, nothing));
    const outcome = newer && (await this.#stored.newer(context, newer, before, request));
    // Meanwhile a write may have finished, or a still newer answer have come.
    return !outcome || read?.outrunBy !== outrunBy ? this.#ask(context) : outcome;
  }
}

/** Policies by which what is stored may be the answer without the server's consent. */
const PATIENT: readonly unknown[] = ['strict', 'cache-first', 'cache-only'];

const FOR_THE_WHOLE: Plan = { kind: 'ask', validate: false };

/** True if it may have been a redirect to another origin, which takes no validators without a preflight. */
function mayBeMisled({ policy }: Invocation, { failure }: FailedExchange): boolean {
  return failure.code === 'network' && policy.origins.length > 0;
}
