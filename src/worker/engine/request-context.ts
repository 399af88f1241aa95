import type { Addressee, Delivery } from '../../shared/delivery.ts';
import { headerValue, withoutHeader, assertSettable, removedFrom, withHeader } from '../../shared/header.ts';
import type { Header } from '../../shared/header.ts';
import type { Invocation, Policy } from '../../shared/invocation.ts';
import type { Revision } from '../../shared/outcome.ts';
import type { EventInterest } from '../../shared/protocol.ts';
import type { StoredResponse, Plan } from '../cache/cache.ts';
import { NO_ADDITION } from '../contracts/engine-request.ts';
import type { Addition, CallRequest, TickRequest } from '../contracts/engine-request.ts';
import type { ReadAnswered, Reading, TakeEarly } from '../contracts/read-body.ts';
import type { Exchanged, Limit, Validators, Watch } from '../exchange/exchange.ts';
import type { Read, Write } from './asking-order.ts';
import type { Failure } from '../../shared/failure.ts';

/** A call or a tick, in the terms of the steps that both go through. */
export interface Asked {
  /** Answers are stored under this. */
  readonly invocation: Invocation;
  /** The page whose call it is; null for a loop, which all its pages share. */
  readonly page: string | null;
  readonly addition: Addition;
  readonly reading: Reading;
  /** The revision of the previous answer if that is compared but not stored; otherwise null. */
  readonly volatileRevision: Revision | null;
  /** True if the server holds the request until there is news. */
  readonly held: boolean;
  /** True if an answer without content says that nothing is new: the request says since when, or is held. */
  readonly asksForNews: boolean;
  /** True if the answer is told before it is stored. */
  readonly writeBehind: boolean;
  readonly watch: Watch;
  /** Tells the page a stored answer before the server's; null for a loop. */
  readonly tellFirst: ((answer: ReadAnswered) => void) | null;
  /** Takes rows of a long answer while it is read; null if nobody wants them. */
  readonly takeEarly: TakeEarly | null;
  /** True where it is not to be sent without what a provider gives. */
  readonly needsCredentials: boolean;
  readonly signal: AbortSignal;
  /** Milliseconds of the epoch. */
  readonly askedAt: number;
}

export interface RequestContext extends Omit<Asked, 'addition' | 'signal' | 'askedAt' | 'tellFirst'> {
  /** The URL of the invocation, without the addition. */
  readonly url: string;
  /** The invocation with its addition, as it is sent. */
  readonly request: { readonly invocation: Invocation; readonly url: string };
  /** The one limit that all steps share until the last byte of the answer. */
  readonly limit: Limit;
  /** Its turn among the reads of its URL; null if the method is not GET. */
  readonly read: Read | null;
  /** Its turn among the writes to its URL; null if it is not a write. */
  readonly write: Write | null;
  /** What its page may be told before the answer; null for a loop and for other methods than GET. */
  readonly preliminary: Preliminary | null;
  /** How often the cache had been cleared when it was last asked for. */
  readonly clearings: number;
  /** True if the server is asked for the whole answer, whatever is stored. */
  readonly isForTheWhole: boolean;
  /** True for the one request of all calls that ask for the same. */
  readonly isShared: boolean;
}

/** `sent`: the headers of the request, after the worker's hook, without the validators of the stored answer. */
export type AnsweredExchange = Extract<Exchanged, { readonly kind: 'answered' }> & {
  readonly sent: readonly Header[];
};
export type UnmodifiedExchange = Extract<Exchanged, { readonly kind: 'not-modified' }> & {
  readonly sent: readonly Header[];
};
export type FailedExchange = Extract<Exchanged, { readonly kind: 'failed' }>;

/** The page parses the answer itself, and does not wait for the database. */
export function askedByCall(call: CallRequest, askedAt: number): Asked {
  const { invocation, page, tellFirst, takeEarly, needsCredentials = false, signal } = call;
  return {
    invocation,
    page,
    addition: NO_ADDITION,
    reading: 'checked',
    volatileRevision: null,
    held: false,
    asksForNews: false,
    writeBehind: true,
    watch: watchOf(call),
    tellFirst,
    takeEarly,
    needsCredentials,
    signal,
    askedAt,
  };
}

/** A loop asks by its own rule, whatever is fresh; a repetition would come earlier than that allows (invariant 12). */
export function askedByTick(tick: TickRequest, askedAt: number): Asked {
  const { invocation, addition, reading, held, writeBehind, takeEarly, signal } = tick;
  return {
    invocation: { ...invocation, policy: { ...invocation.policy, retry: 0, revalidate: true } },
    page: null,
    addition,
    reading: reading.kind,
    volatileRevision: reading.kind === 'revised' ? reading.volatileRevision : null,
    held,
    asksForNews: held || addition.query.length + addition.headers.length > 0,
    writeBehind,
    watch: watchOf(tick),
    tellFirst: null,
    takeEarly,
    needsCredentials: false,
    signal,
    askedAt,
  };
}

/** Notes when a request has gone out last, in milliseconds of the epoch; null as long as none has. */
export interface Sent {
  at: number | null;
}

/** The same, with a note of when a request goes out. */
export function noting(asked: Asked, now: () => number): { readonly asked: Asked; readonly sent: Sent } {
  const sent: Sent = { at: null };
  const asking = (): void => void (sent.at = now());
  return { asked: { ...asked, watch: { ...asked.watch, asking } }, sent };
}

interface Asker {
  readonly interest: EventInterest;
  readonly say: (step: (to: Addressee) => Delivery) => void;
}

/** Watches the steps that a page listens for, and those that the page needs if the worker dies meanwhile. */
function watchOf({ interest, say }: Asker): Watch {
  return {
    waiting: (wait) => say((to) => ({ kind: 'waiting', to, wait })),
    ...(interest.sent && { sent: (status, headers) => say((to) => ({ kind: 'sent', to, status, headers })) }),
    ...(interest.progress && { progress: (progress) => say((to) => ({ kind: 'progress', to, progress })) }),
  } satisfies Watch;
}

/** Notes when the read is asked for. For a held request that is when its answer comes, since the answer is that new. */
export function inOrder(read: Read, held: boolean, watch: Watch): Watch {
  if (!held) {
    const asking: Watch['asking'] = () => {
      read.ask();
      watch.asking?.();
    };
    return { ...watch, asking };
  }
  const sent: Watch['sent'] = (status, headers) => {
    read.ask();
    watch.sent?.(status, headers);
  };
  return { ...watch, sent };
}

/**
 * Null if the answer came from another origin than the one asked: neither origin may learn the other's validators, and
 * they would cause a preflight on a redirect from one to the other.
 */
export function validatorsOf({ headers, sender }: StoredResponse): Validators | null {
  if (sender !== undefined) return null;
  return { etag: headerValue(headers, 'etag'), lastModified: headerValue(headers, 'last-modified') };
}

/** The same, where what is secret in `asked` is secret too: an answer may repeat it. */
export function withSecrets(context: RequestContext, asked: Invocation): RequestContext {
  const { invocation } = context;
  const { secretHeaders } = asked.policy;
  if (secretHeaders === invocation.policy.secretHeaders) return context;
  return { ...context, invocation: { ...invocation, policy: { ...invocation.policy, secretHeaders } } };
}

/** The same request without conditions. */
export function forTheWhole(context: RequestContext): RequestContext {
  const { request } = context;
  const headers = withoutHeader(request.invocation.headers, 'if-none-match');
  return {
    ...context,
    isForTheWhole: true,
    request: { ...request, invocation: { ...request.invocation, headers } },
  };
}

export interface PreliminaryPorts {
  /** The call's own read. */
  readonly read: Read;
  /** Begins a read of the same URL. */
  readonly begin: () => Read;
  readonly tell: (answer: ReadAnswered) => void;
}

/** The stored answer that a call is told while its server is asked: at most one, and none after the server's answer. */
export class Preliminary {
  readonly #ports: PreliminaryPorts;
  #isBegun = false;
  #isOver = false;

  constructor(ports: PreliminaryPorts) {
    this.#ports = ports;
  }

  /**
   * Tells what is made unless it comes too late, after a newer answer or a write to its URL. Only the first making
   * counts: a call that asks again has been told. Call it before the request goes out.
   */
  async tell(make: () => Promise<ReadAnswered | null>): Promise<void> {
    const { read, begin, tell } = this.#ports;
    if (this.#isBegun || read.isOvertaken) return;
    this.#isBegun = true;
    // It never asks, so anything that is taken from now on overtakes it.
    const making = begin();
    const answer = await make().catch(() => null);
    if (answer && !this.#isOver && !making.isOvertaken) tell(answer);
    making.end();
  }

  /** The call has its answer. */
  end(): void {
    this.#isOver = true;
  }
}

/** How the stored answer stands that is told first; null if none is. A storage that was late may have a fresh one. */
export function firstBy(plan: Plan, { storedFirst = false }: Policy): 'fresh' | 'stale' | null {
  if (plan.kind === 'ask') return plan.first;
  if (plan.kind === 'refuse' || !storedFirst) return null;
  return plan.stale ? 'stale' : 'fresh';
}

/** A request as the worker's own hook sees it, after all that the page has set. */
export interface WorkerRequest {
  readonly action: string;
  readonly method: string;
  /** Absolute and expanded. */
  readonly url: string;
  getRequestHeader(name: string): string | null;
  /** @throws TypeError where the name or the value cannot be sent. */
  setRequestHeader(name: string, value: string): void;
  removeRequestHeader(name: string): void;
}

/**
 * Looks at every request right before it is sent, and may change it. It may be asynchronous; its time counts towards
 * the `timeout` of the call.
 */
export type ConfigureWorkerRequest = (request: WorkerRequest) => void | Promise<void>;

export type Configured =
  | { readonly kind: 'configured'; readonly invocation: Invocation }
  | { readonly kind: 'refused'; readonly failure: Failure };

/** Runs the hook of an app's own worker; what it throws is a failure of the call. */
export async function configure(
  hook: ConfigureWorkerRequest,
  invocation: Invocation,
  url: string,
): Promise<Configured> {
  const { action, method } = invocation;
  let { headers } = invocation;
  try {
    await hook({
      action,
      method,
      url,
      getRequestHeader: (name) => headerValue(headers, name),
      setRequestHeader: (name, value) => {
        assertSettable(name, value);
        headers = withHeader(headers, name, value.trim());
      },
      removeRequestHeader: (name) => {
        headers = removedFrom(headers, name);
      },
    });
    return { kind: 'configured', invocation: { ...invocation, headers } };
  } catch (error) {
    const message = `The worker's configureRequest refused '${action}': ${String(error)}`;
    return { kind: 'refused', failure: { code: 'protocol', message } };
  }
}
