import type { CredentialsReason, CredentialsReply } from '../../shared/credentials.ts';
import { messageOf } from '../../shared/failure.ts';
import type { Header } from '../../shared/header.ts';
import { LIMITS } from '../../shared/limits.ts';
import { isRecord } from '../../shared/shape.ts';
import type { RequestHeaders } from '../resource/action.ts';
import { settable } from '../resource/prepare.ts';
import type { OriginReport } from '../../shared/delivery.ts';
import type { OriginStatus } from '../../shared/inspection.ts';

/** What a provider is asked for. */
export interface CredentialsRequest {
  /** For requests to this origin, such as `https://api.example.com`. */
  readonly origin: string;
  /** `first`: the worker has none. `expired`: four fifths of their time are over. `refused`: a server answered 401. */
  readonly reason: CredentialsReason;
}

export interface ProvidedCredentials {
  /** Sent with each request to the origin, where the request has no header of that name yet. */
  readonly headers: RequestHeaders;
  /** Milliseconds of the epoch. The provider is asked again before (default: only after a 401). */
  readonly expiresAt?: number | undefined;
}

/** Gives the headers that a server wants to see, for all tabs. What it throws is the failure of the calls that wait. */
export type CredentialsProvider = (
  request: CredentialsRequest,
) => ProvidedCredentials | Promise<ProvidedCredentials>;

/** Options of `connection.credentials`. */
export interface CredentialsOptions {
  /** Origins to which the headers are sent (default: the page's own). Others must be among those of `connect`. */
  readonly origins?: readonly string[];
}

interface Provider {
  readonly give: CredentialsProvider;
  readonly origins: readonly string[];
}

/** The providers of one connection. Of two for the same origin the one that was added last is asked. */
export class Providers {
  readonly #changed: (origins: readonly string[]) => void;
  #all: readonly Provider[] = [];

  /** `changed` gets the origins for which there is a provider. */
  constructor(changed: (origins: readonly string[]) => void) {
    this.#changed = changed;
  }

  /** Returns the function that removes it. */
  add(give: CredentialsProvider, origins: readonly string[]): () => void {
    const provider: Provider = { give, origins };
    if (new Set([...this.#origins, ...origins]).size > LIMITS.credentialOrigins)
      throw new RangeError(`Providers are for at most ${LIMITS.credentialOrigins} origins`);
    // What an earlier one gave for these origins counts no more.
    if (this.#all.length > 0) this.#changed(this.#origins.filter((origin) => !origins.includes(origin)));
    this.#set([...this.#all, provider]);
    return () => {
      if (this.#all.includes(provider)) this.#set(this.#all.filter((each) => each !== provider));
    };
  }

  /** Never rejects. */
  async ask(request: CredentialsRequest): Promise<CredentialsReply> {
    const provider = this.#all.findLast(({ origins }) => origins.includes(request.origin));
    try {
      if (!provider) throw new TypeError('The provider was removed');
      return givenBy(await provider.give(request));
    } catch (error) {
      return { kind: 'failed', message: messageOf(error).slice(0, LIMITS.credentialSize) };
    }
  }

  get #origins(): string[] {
    return [...new Set(this.#all.flatMap(({ origins }) => origins))];
  }

  #set(providers: readonly Provider[]): void {
    this.#all = providers;
    this.#changed(this.#origins);
  }
}

/** @throws TypeError or RangeError where that cannot be sent. */
function givenBy(given: ProvidedCredentials): CredentialsReply {
  if (!isRecord(given) || !isRecord(given.headers))
    throw new TypeError('A credentials provider must give { headers, expiresAt }');
  const { headers, expiresAt = null } = given;
  if (expiresAt !== null && !(Number.isFinite(expiresAt) && expiresAt >= 0))
    throw new TypeError("'expiresAt' of credentials must be milliseconds of the epoch");
  return { kind: 'given', headers: checked(headers), expiresAt };
}

function checked(given: RequestHeaders): readonly Header[] {
  const headers = settable(given);
  const size = headers.flat().join('').length;
  if (headers.length > LIMITS.credentialHeaders || size > LIMITS.credentialSize)
    throw new RangeError(
      `Credentials have at most ${LIMITS.credentialHeaders} headers of ${LIMITS.credentialSize} characters`,
    );
  return headers;
}

/** The status of an origin has changed. */
export class OriginEvent extends Event {
  readonly origin: string;
  /** Null where the status is no longer known: nobody has asked the origin for an hour. */
  readonly status: OriginStatus | null;

  constructor(origin: string, status: OriginStatus | null) {
    super('origins');
    this.origin = origin;
    this.status = status;
  }
}

/** The worker's reports about origins. They survive a worker instance: the next one knows nothing yet. */
export class Origins {
  #known: ReadonlyMap<string, OriginStatus> = new Map();

  /** A new map after every change: a map that the app holds never changes. */
  get known(): ReadonlyMap<string, OriginStatus> {
    return this.#known;
  }

  /** Takes a report; returns null where it says nothing new, as after every greeting. */
  take({ origin, status }: OriginReport): OriginEvent | null {
    const now = status === 'unknown' ? null : status;
    if (now === (this.#known.get(origin) ?? null)) return null;
    const others = [...this.#known].filter(([each]) => each !== origin);
    this.#known = new Map(now === null ? others : [...others, [origin, now]]);
    return new OriginEvent(origin, now);
  }
}
