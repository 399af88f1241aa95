import type { EarlyAnswer } from '../../shared/early.ts';
import type { Failure } from '../../shared/failure.ts';
import type { Header } from '../../shared/header.ts';
import { isSafe } from '../../shared/invocation.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { mayBeDone } from '../../shared/outcome.ts';
import type { Outcome, Revision } from '../../shared/outcome.ts';
import type { RowsAnswer, RowsQuery } from '../../shared/part.ts';
import type { Base } from '../address/expansion.ts';
import type { Cache, Plan } from '../cache/cache.ts';
import { asksForPart } from '../contracts/byte-range.ts';
import { addHeaders, NO_ADDITION } from '../contracts/engine-request.ts';
import type { CallRequest, TickRequest } from '../contracts/engine-request.ts';
import type { CredentialsPort } from '../contracts/credentials.ts';
import type { ReadAnswered, ReadOutcome } from '../contracts/read-body.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { AskingOrder, isWrite } from './asking-order.ts';
import type { Read } from './asking-order.ts';
import { CredentialedExchange } from './credentialed-exchange.ts';
import type { Configured, Asked, RequestContext, Sent } from './request-context.ts';
import { outcomeOf } from './early-engine.ts';
import { failed, heldUp, nothing, wentWrong } from './failures.ts';
import { FreshAnswers } from './fresh-answers.ts';
import type { FreshAnswersPorts } from './fresh-answers.ts';
import { Preliminary, askedByCall, askedByTick, inOrder, noting, withSecrets } from './request-context.ts';
import { Requests } from './requests.ts';
import {
  ServerAnswers,
  isSameUrl,
  isWithdrawn,
  outdatedBy,
  refusedVersion,
  versionMadeBy,
} from './server-answers.ts';
import type { ServerAnswersPorts } from './server-answers.ts';
import { StoredAnswers } from './stored-answers.ts';
import type { StoredAnswersPorts } from './stored-answers.ts';
import { suspectOf } from '../contracts/portal.ts';
import { Unasked } from './unasked.ts';
import type { UnaskedPorts } from './unasked.ts';

export interface EngineModules
  extends FreshAnswersPorts, StoredAnswersPorts, UnaskedPorts, ServerAnswersPorts {
  readonly cache: Cache;
  readonly exchange: Exchange;
  /** What pages give for an origin. */
  readonly credentials: CredentialsPort;
  /** The app's hook may change a request right before it is sent. */
  readonly configure: (invocation: Invocation, url: string) => Promise<Configured>;
  /** Where the answers lie that a success of this invocation makes stale. */
  readonly invalidatedBy: (invocation: Invocation) => readonly Base[];
  readonly isBelow: (url: string, base: Base) => boolean;
  /** What these URLs show has changed: who follows them asks again. */
  readonly invalidated: (isMeant: (url: string) => boolean) => void;
  readonly note: (outcome: Outcome<unknown>, asked: Pick<Asked, 'askedAt' | 'held'>) => void;
}

/**
 * The way of one request: find its URL, look at what is stored, ask the server, store and tell the answer. Answers are
 * stored under what the page asked, without what the worker's hook or a loop's cursor adds.
 */
export class Engine {
  readonly #modules: EngineModules;
  readonly #order = new AskingOrder();
  readonly #exchange: CredentialedExchange;
  readonly #fresh: FreshAnswers;
  readonly #stored: StoredAnswers;
  readonly #unasked: Unasked;
  readonly #requests: Requests;

  constructor(modules: EngineModules) {
    this.#modules = modules;
    this.#exchange = new CredentialedExchange(modules.exchange, modules.credentials);
    this.#fresh = new FreshAnswers(modules);
    this.#stored = new StoredAnswers(modules, (...request) => this.#wouldAsk(...request));
    this.#unasked = new Unasked(modules, this.#stored);
    // What is asked for once more is not from before a clearing meanwhile.
    const again = (context: RequestContext): Promise<ReadOutcome> =>
      this.#ask({ ...context, clearings: modules.cache.clearings });
    const answers = new ServerAnswers(modules, this.#fresh, this.#stored, again);
    this.#requests = new Requests({ ...modules, exchange: this.#exchange }, this.#order, answers, {
      limitOfAll: (...of) => modules.exchange.limitOfAll(...of),
      noted: (...request) => this.#noted(...request),
      settle: (...outcome) => this.#settle(...outcome),
    });
  }

  /** Serves a page's call; never rejects. */
  call(request: CallRequest): Promise<ReadOutcome> {
    const { asked, sent } = noting(askedByCall(request, this.#modules.now()), this.#modules.now);
    return this.#noted(asked, sent, this.#serve(asked));
  }

  /** Makes one request of a loop; never rejects. */
  tick(request: TickRequest): Promise<ReadOutcome> {
    const { asked, sent } = noting(askedByTick(request, this.#modules.now()), this.#modules.now);
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

  /** Takes over what a page has asked by itself, before this engine was there, in that order. Never rejects. */
  async adopt(answers: readonly EarlyAnswer[]): Promise<void> {
    await Promise.all(answers.map((early, index) => this.#adopt(early, answers.slice(index + 1))));
  }

  /** `later`: what came after it. A read from before a write may say what that has changed. */
  async #adopt(early: EarlyAnswer, later: readonly EarlyAnswer[]): Promise<void> {
    const { invocation } = early;
    const url = this.#urlOf(invocation);
    if (url === null) return;
    if (early.kind === 'read') {
      const writes = later.flatMap((each) =>
        each.kind === 'write' ? (this.#urlOf(each.invocation) ?? []) : [],
      );
      if (writes.some((written) => isSameUrl(written, url))) return;
      // It is in the order while it is being stored: a write that ends meanwhile bars it.
      const read = this.#order.begin(invocation, NO_ADDITION, url, false);
      await this.#fresh.adopt(early, url, () => read.isOutdated || writes.length > 0);
      return read.end();
    }
    this.#settle(invocation.method, url, outcomeOf(early));
    if (early.isDone) this.#invalidate(invocation);
    this.#requests.written(url);
  }

  #urlOf(invocation: Invocation): string | null {
    const located = this.#modules.locate(invocation, []);
    return located.kind === 'refused' ? null : located.url;
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
  async #noted(
    asked: Pick<Asked, 'invocation' | 'askedAt' | 'held'>,
    sent: Sent,
    serving: Promise<ReadOutcome>,
  ): Promise<ReadOutcome> {
    const failing = (error: unknown): Outcome => failed(wentWrong(asked.invocation, error), null);
    const outcome = await serving.catch(failing);
    if (sent.at !== null) this.#modules.note(outcome, asked);
    return dated(outcome, sent.at ?? asked.askedAt);
  }

  /** Locates the URL, and keeps the request in the asking order until it is answered. */
  async #serve({ addition, signal, tellFirst, ...asked }: Asked): Promise<ReadOutcome> {
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
    const write = isWrite(invocation, page) ? this.#order.beginWrite(url) : null;
    const begin = (): Read => this.#order.begin(invocation, addition, url, held);
    const read = invocation.method === 'GET' ? begin() : null;
    const preliminary = read && tellFirst && new Preliminary({ read, begin, tell: tellFirst });
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
        preliminary,
        clearings: cache.clearings,
        isForTheWhole: false,
        isShared: false,
      });
      isDone = mayBeDone(outcome);
      // Before anything is asked again because of it.
      const endedAt = this.#modules.now();
      // A cursor that is refused says nothing of what the URL shows without it. A shared exchange speaks for itself.
      const speaks = !asked.asksForNews && (read ? page === null && !read.isOvertaken : page !== null);
      if (speaks) this.#settle(invocation.method, url, outcome);
      if (write && outcome.kind === 'answered') this.#invalidate(invocation);
      return write && outcome.kind === 'answered' ? { ...outcome, endedAt } : outcome;
    } finally {
      limit.lift();
      preliminary?.end();
      read?.end();
      write?.end(isDone);
      if (write) this.#requests.written(url);
    }
  }

  /** What is stored, and what is on its way, may not outlast this outcome. */
  #settle(method: string, url: string, outcome: ReadOutcome): void {
    const { cache } = this.#modules;
    const isGone = isWithdrawn(method, outcome);
    // What a read that is refused has selected is withdrawn by `ServerAnswers`.
    if (isGone && isSafe(method)) this.#order.bar(url);
    if (isSafe(method)) return;
    const isRemoved = isGone && !this.#isOfPortal(outcome);
    if (isRemoved) void cache.removeAll(url);
    const refused = refusedVersion(outcome);
    if (refused !== null) cache.noteRefused(url, refused);
    const made = isRemoved ? '' : versionMadeBy(method, outcome);
    const outdated = isGone ? [url, ...outdatedBy(method, url, outcome)] : outdatedBy(method, url, outcome);
    for (const each of new Set(outdated)) {
      // Before it is outdated, since it is stored with that.
      if (made !== null) cache.noteMade(each, each === url ? made : '');
      if (!isRemoved || each !== url) void cache.outdateAll(each);
      this.#order.barAll((other) => isSameUrl(each, other));
    }
  }

  #isOfPortal({ answer, request }: ReadOutcome): boolean {
    return answer !== null && this.#modules.looksLikePortal(suspectOf(answer, request?.headers ?? [], null));
  }

  /** What the app says that this success has changed is stale, and asked for again where somebody follows it. */
  #invalidate(invocation: Invocation): void {
    const { cache, invalidatedBy, isBelow, invalidated } = this.#modules;
    const bases = invalidatedBy(invocation);
    if (bases.length === 0) return;
    const isMeant = (url: string): boolean => bases.some((base) => isBelow(url, base));
    for (const base of bases) void cache.outdateAll(base);
    this.#order.barAll(isMeant);
    invalidated(isMeant);
  }

  /** Peeks at the stored answer, configures and sends the request, and handles its result. */
  async #ask(context: RequestContext): Promise<ReadOutcome> {
    const { invocation, url, request, limit, isForTheWhole } = context;
    // A page that enters the back/forward cache ends its loops; a transaction here would keep the page out of it.
    if (limit.failure) return failed(limit.failure, null);
    const refused = await this.#fresh.refuse(context);
    if (refused) return failed(refused, null);
    const { cache } = this.#modules;
    if (cache.asksNobody(invocation)) return this.#unasked.serveOnly(context, () => this.#askedNow(context));
    const peeking = limit.within(cache.peek(invocation, url), nothing);
    const known = await this.#unasked.known(context, peeking);
    const configured = await this.#configure(context);
    if (configured.kind === 'refused') return failed(configured.failure, null);
    const expected = this.#exchange.expected(configured.invocation, request.url);
    const looking = withSecrets(context, expected);
    const { headers: sent } = expected;
    const fit = await cache.fitOf(looking.invocation, known, sent);
    const plan = isForTheWhole ? FOR_THE_WHOLE : cache.plan(invocation, known, fit);
    const served = await this.#serveUnasked(looking, plan, sent);
    if (served) return served;
    // A storage that is late may have something yet.
    if (plan.kind === 'ask' && (plan.first || !known))
      void context.preliminary?.tell(() => this.#unasked.first(looking, peeking, sent));
    const refusal = isForTheWhole ? null : cache.failures.find(invocation, request.url, sent);
    if (refusal) return this.#stored.orFailed(looking, refusal, sent);
    const validates = plan.kind === 'ask' && plan.validate;
    const attempt = { configured: configured.invocation, expected, peeking, known, fit, validates };
    return this.#requests.send(context, attempt);
  }

  /** The stored answer, or the part of it that is asked for; null if the server is to be asked. */
  async #serveUnasked(
    looking: RequestContext,
    plan: Plan,
    sent: readonly Header[],
  ): Promise<ReadOutcome | null> {
    if (asksForPart(looking.invocation)) return this.#unasked.servePart(looking, sent);
    return plan.kind === 'ask' ? null : this.#unasked.serve(looking, sent);
  }

  /** The request as it would be sent now, or why it would not be. */
  async #askedNow(context: Pick<RequestContext, 'request' | 'limit'>): Promise<Invocation | Failure> {
    const configured = await this.#configure(context);
    if (configured.kind === 'refused') return configured.failure;
    return this.#exchange.expected(configured.invocation, context.request.url);
  }

  /** The same of a request that is not made, within the time that it would have. */
  async #wouldAsk(invocation: Invocation, url: string): Promise<Invocation | Failure> {
    const limit = this.#modules.exchange.limit(invocation, url, new AbortController().signal);
    const asked = await this.#askedNow({ request: { invocation, url }, limit });
    limit.lift();
    return asked;
  }

  /** The app's hook has no more time than the request: a token that never comes must not hold a call (invariant 9). */
  async #configure({
    request: { invocation, url },
    limit,
  }: Pick<RequestContext, 'request' | 'limit'>): Promise<Configured> {
    if (limit.failure) return { kind: 'refused', failure: limit.failure };
    return limit.within(this.#modules.configure(invocation, url), (failure) => ({
      kind: 'refused',
      failure: heldUp(invocation, failure),
    }));
  }
}

/** A stored answer, and that of a shared exchange, says itself when it was asked for. */
function dated(outcome: ReadOutcome, asOf: number): ReadOutcome {
  const isDated = outcome.kind !== 'answered' || outcome.servedFrom === 'cache' || outcome.asOf !== undefined;
  return isDated ? outcome : { ...outcome, asOf };
}

const FOR_THE_WHOLE: Plan = { kind: 'ask', validate: false, first: null };
