import { headerValue, redacted, pageSetHeaders } from '../../shared/header.ts';
import type { Invocation } from '../../shared/invocation.ts';
import type { Cache, Fit, StoredResponse } from '../cache/cache.ts';
import { NO_ADDITION } from '../contracts/engine-request.ts';
import type { ReadOutcome } from '../contracts/read-body.ts';
import type { Exchange, Order } from '../exchange/exchange.ts';
import type { AskingOrder } from './asking-order.ts';
import type { CredentialedExchange } from './credentialed-exchange.ts';
import { validatorsOf, withSecrets } from './request-context.ts';
import type { Asked, RequestContext, Sent } from './request-context.ts';
import type { ServerAnswers } from './server-answers.ts';
import { SharedExchanges } from './shared-exchanges.ts';
import type { SharedExchange } from './shared-exchanges.ts';

export interface RequestsPorts {
  readonly cache: Cache;
  readonly exchange: CredentialedExchange;
  /** Milliseconds of the epoch. */
  readonly now: () => number;
}

/** What the engine does with every request, shared or not. */
interface EngineSteps {
  readonly limitOfAll: Exchange['limitOfAll'];
  readonly noted: (
    asked: Pick<Asked, 'invocation' | 'askedAt' | 'held'>,
    sent: Sent,
    serving: Promise<ReadOutcome>,
  ) => Promise<ReadOutcome>;
  readonly settle: (method: string, url: string, outcome: ReadOutcome) => void;
}

/** What is known of a request that is to be sent. */
export interface Attempt {
  /** The invocation as the app's hook left it. */
  readonly configured: Invocation;
  /** As what it would be sent by what is known now of its credentials. */
  readonly expected: Invocation;
  readonly peeking: Promise<StoredResponse | null>;
  readonly known: StoredResponse | null;
  /** Whether what is known is for this request as it is expected to be sent. */
  readonly fit: Fit;
  /** True if the validators of the stored answer go along. */
  readonly validates: boolean;
}

/** Sends requests: one for all calls that ask for the same, and one for each tick and each write. */
export class Requests {
  readonly #ports: RequestsPorts;
  readonly #order: AskingOrder;
  readonly #answers: ServerAnswers;
  readonly #engine: EngineSteps;
  readonly #shared: SharedExchanges;

  constructor(ports: RequestsPorts, order: AskingOrder, answers: ServerAnswers, engine: EngineSteps) {
    this.#ports = ports;
    this.#order = order;
    this.#answers = answers;
    this.#engine = engine;
    this.#shared = new SharedExchanges(ports.now);
  }

  send(context: RequestContext, attempt: Attempt): Promise<ReadOutcome> {
    const isOfCall = context.read !== null && context.page !== null;
    return isOfCall && !context.isShared ? this.#share(context, attempt) : this.#exchange(context, attempt);
  }

  /** A write to this URL has ended, done or not. */
  written(url: string): void {
    this.#shared.close(new URL(url).origin);
  }

  async #exchange(
    context: RequestContext,
    attempt: Attempt,
    shared: SharedExchange | null = null,
  ): Promise<ReadOutcome> {
    const { request, watch, limit, needsCredentials } = context;
    const { configured: invocation, peeking } = attempt;
    const { url } = request;
    let validated: StoredResponse | null = null;
    const order = async (asked: Invocation): Promise<Order> => {
      const made = await this.#orderFor(context, attempt, asked);
      validated = made.validators && attempt.known;
      return made;
    };
    const uncredentialed = { invocation, url, order, needsCredentials, isOutdone: () => isOutdone(context) };
    const { exchanged, asked } = await this.#ports.exchange.send(uncredentialed, watch, limit);
    if (exchanged.kind === 'failed' && exchanged.answer === null) shared?.endUnanswered();
    const answering = { peeking, validated, sent: asked.headers };
    return this.#answers.conclude(withSecrets(context, asked), exchanged, answering);
  }

  /** Asks with the validators of the stored answer, if that is for this request with all that it is sent with. */
  async #orderFor(context: RequestContext, attempt: Attempt, asked: Invocation): Promise<Order> {
    const { cache } = this.#ports;
    const { request, reading, write, page: owner } = context;
    const { known, expected, validates } = attempt;
    const fitOf = (): Promise<Fit> =>
      cache.fitOf(withSecrets(context, asked).invocation, known, asked.headers);
    const fit = asked === expected ? attempt.fit : await fitOf();
    const stored = fit === 'other' ? null : known;
    const validators = validates && stored && !cache.isBehind(stored) ? validatorsOf(stored) : null;
    const storedTag = stored && headerValue(stored.headers, 'etag');
    return { invocation: asked, url: request.url, validators, storedTag, reading, owner, write };
  }

  /** A call that asks for the same as another one under way, of any page, shares its exchange. */
  #share(context: RequestContext, attempt: Attempt): Promise<ReadOutcome> {
    const { url, limit, watch, clearings, page } = context;
    const { configured } = attempt;
    const asked = exchangeKey(configured, context.request.url);
    const request = {
      method: configured.method,
      url: context.request.url,
      headers: redacted(configured.headers, configured.policy.secretHeaders),
    };
    const caller = { page, limit, watch, request };
    return this.#shared.join(new URL(url).origin, JSON.stringify([asked, clearings]), caller, (shared) => {
      const { invocation, held } = context;
      const of = { invocation, held, askedAt: this.#ports.now() };
      return this.#engine.noted(of, shared.sent, this.#sendForAll(context, attempt, shared));
    });
  }

  /** The exchange has a limit and a turn of its own: it goes on when the call that began it leaves. */
  async #sendForAll(context: RequestContext, attempt: Attempt, shared: SharedExchange): Promise<ReadOutcome> {
    const { invocation, url } = context;
    const limit = this.#engine.limitOfAll(invocation, url, shared.signal, () => shared.remaining);
    const read = this.#order.begin(invocation, NO_ADDITION, url, false);
    const watch = shared.follow(read);
    try {
      const forAll = { ...context, limit, read, watch, preliminary: null, isShared: true };
      const outcome = await this.#exchange(forAll, attempt, shared);
      if (!read.isOvertaken) this.#engine.settle(invocation.method, url, outcome);
      return outcome;
    } finally {
      limit.lift();
      read.end();
    }
  }
}

/** To repeat this write would undo a newer one. A POST adds to what others have added. */
function isOutdone({ write, invocation }: RequestContext): boolean {
  return write !== null && write.isOutdone && invocation.method !== 'POST';
}

/**
 * Names what a GET asks for: two with the same key can share one exchange. The invocation is as it is sent, after the
 * worker's own hook. All headers count: which of them the answer will vary with, only the answer says.
 */
export function exchangeKey({ headers, policy, documentUrl }: Invocation, url: string): string {
  const { timeout: _timeout, storedFirst: _storedFirst, ...deciding } = policy;
  return JSON.stringify([url, pageSetHeaders(headers), deciding, new URL(documentUrl).origin]);
}
