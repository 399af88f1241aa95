import type { Failure } from '../../shared/failure.ts';
import { headerValue, redacted } from '../../shared/header.ts';
import type { Header } from '../../shared/header.ts';
import type { Invocation } from '../../shared/invocation.ts';
import type { SentRequest } from '../../shared/outcome.ts';
import { areNone } from '../contracts/credentials.ts';
import type { Credentials, CredentialsPort, Provided } from '../contracts/credentials.ts';
import type { Exchange, Exchanged, Limit, Order, Watch } from '../exchange/exchange.ts';

/** A request before its credentials are known. */
export interface Uncredentialed {
  readonly invocation: Invocation;
  readonly url: string;
  /** What is to be sent, given the invocation as it is asked. */
  readonly order: (asked: Invocation) => Promise<Order>;
  /** True where it is not to be sent while nobody provides for its origin, unless it brings its own. */
  readonly needsCredentials: boolean;
  /** True if it must not be repeated any more: a newer write to its URL may be done. */
  readonly isOutdone: () => boolean;
}

/** How a request ended, and as what it was sent last: the names of headers that were added are among its secrets. */
export interface Credentialed {
  readonly exchanged: Exchanged;
  readonly asked: Invocation;
}

type Refused = Extract<Exchanged, { readonly kind: 'failed' }>;

const UNAUTHORIZED = 401;

/** Stands for credentials that nobody has given yet, so that what is stored is not taken for an answer to none. */
const UNKNOWN: Credentials = { headers: [['Authorization', '']] };

/**
 * Sends requests with what a page's provider gives for their origin, and once more after a 401, which says that the
 * request was not performed. A header that the request has already stays: whoever set it had this very request in mind.
 */
export class CredentialedExchange {
  readonly #exchange: Pick<Exchange, 'send'>;
  readonly #credentials: CredentialsPort;

  constructor(exchange: Pick<Exchange, 'send'>, credentials: CredentialsPort) {
    this.#exchange = exchange;
    this.#credentials = credentials;
  }

  /** As what the request would be sent by what is known now, without asking anybody. */
  expected(invocation: Invocation, url: string): Invocation {
    if (!this.#isFor(invocation, url)) return invocation;
    return authorized(invocation, this.#credentials.held(url) ?? UNKNOWN);
  }

  /** Never rejects, and settles at the latest when the limit is reached. */
  async send(request: Uncredentialed, watch: Watch, limit: Limit): Promise<Credentialed> {
    const { invocation, url } = request;
    const isFor = this.#isFor(invocation, url);
    const provided = isFor ? await inTime(limit, url, this.#credentials.provide(url)) : NONE;
    if (provided.kind === 'failed') return this.#unsent(request, provided.failure, null);
    const given = provided.kind === 'given' ? provided.credentials : null;
    if (lacks(request, given)) return this.#unsent(request, unprovidedFor(url), null);
    const asked = given ? authorized(invocation, given) : invocation;
    if (!given || asked === invocation) return this.#send(request, invocation, watch, limit);
    const first = await this.#send(request, asked, unlessRefused(watch), limit);
    return isRefused(first.exchanged) ? this.#again(request, given, first.exchanged, watch, limit) : first;
  }

  /** False if the request brings its own, is to have none, or nobody provides any. */
  #isFor(invocation: Invocation, url: string): boolean {
    return isOpen(invocation) && this.#credentials.isProvided(url);
  }

  async #send(
    { order }: Uncredentialed,
    asked: Invocation,
    watch: Watch,
    limit: Limit,
  ): Promise<Credentialed> {
    return { exchanged: await this.#exchange.send(await order(asked), watch, limit), asked };
  }

  /** Only the last answer is told: the first is where there is nothing new to send, or no need to any more. */
  async #again(
    request: Uncredentialed,
    given: Credentials,
    refused: Refused,
    watch: Watch,
    limit: Limit,
  ): Promise<Credentialed> {
    const { invocation, url } = request;
    const renewed = await inTime(limit, url, this.#credentials.renew(url, given));
    if (renewed.kind === 'failed') return this.#unsent(request, renewed.failure, refused.request);
    const isGiven = renewed.kind === 'given' && !lacks(request, renewed.credentials);
    if (isGiven && !request.isOutdone())
      return this.#send(request, authorized(invocation, renewed.credentials), watch, limit);
    watch.sent?.(UNAUTHORIZED, refused.answer?.headers ?? []);
    return { exchanged: refused, asked: authorized(invocation, given) };
  }

  /** Where that is for want of a network, it is described as if it had been sent: a stored answer may stand for it. */
  #unsent({ invocation, url }: Uncredentialed, failure: Failure, refused: SentRequest | null): Credentialed {
    const asked = this.expected(invocation, url);
    const { method, headers, policy } = asked;
    const wanted = { method, url, headers: redacted(headers, policy.secretHeaders) };
    const request = refused ?? (failure.code === 'offline' ? wanted : null);
    return { exchanged: { kind: 'failed', failure, answer: null, request }, asked };
  }
}

const NONE: Provided = { kind: 'none' };

/** True if what a provider gives may be added. */
function isOpen({ headers, policy }: Invocation): boolean {
  return policy.credentials !== 'omit' && headerValue(headers, 'authorization') === null;
}

/** True where it is not to be sent with no more than was given. */
function lacks({ needsCredentials, invocation }: Uncredentialed, given: Credentials | null): boolean {
  return needsCredentials && isOpen(invocation) && (given === null || areNone(given));
}

function unprovidedFor(url: string): Failure {
  return { code: 'credentials', message: `No page provides credentials for ${new URL(url).origin} now` };
}

/** The invocation with those of the headers that it does not have yet; itself if it has them all. */
function authorized(invocation: Invocation, credentials: Credentials): Invocation {
  const { headers, policy } = invocation;
  const added = credentials.headers.filter(([name]) => headerValue(headers, name) === null);
  if (added.length === 0) return invocation;
  const secretHeaders = [...policy.secretHeaders, ...added.map(([name]: Header) => name)];
  return { ...invocation, headers: [...headers, ...added], policy: { ...policy, secretHeaders } };
}

function isRefused(exchanged: Exchanged): exchanged is Refused {
  return (
    exchanged.kind === 'failed' &&
    exchanged.failure.code === 'http' &&
    exchanged.failure.status === UNAUTHORIZED
  );
}

/** Tells the steps of the request, but not those of an answer with 401. */
function unlessRefused(watch: Watch): Watch {
  let isRefusal = false;
  return {
    ...watch,
    ...(watch.sent && {
      sent: (status, headers) => {
        isRefusal = status === UNAUTHORIZED;
        if (!isRefusal) watch.sent?.(status, headers);
      },
    }),
    ...(watch.progress && { progress: (each) => (isRefusal ? undefined : watch.progress?.(each)) }),
  };
}

/** The provider has no more time than the request (invariant 9). */
async function inTime(limit: Limit, url: string, providing: Promise<Provided>): Promise<Provided> {
  return limit.within(providing, (failure) => ({ kind: 'failed', failure: lateFor(url, failure) }));
}

/** A timeout names the provider as its cause. A caller that gave up needs no such hint. */
function lateFor(url: string, failure: Failure): Failure {
  if (failure.code !== 'timeout') return failure;
  return { ...failure, message: `The credentials provider held up ${url}: ${failure.message}` };
}
