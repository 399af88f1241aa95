import type { Failure } from '../../shared/failure.ts';
import type { Header } from '../../shared/header.ts';
import type { Invocation } from '../../shared/invocation.ts';
import type { Cache, StoredResponse } from '../cache/cache.ts';
import { askingForWhole, asksForPart, mayBeCut } from '../contracts/byte-range.ts';
import type { ReadAnswered, ReadOutcome } from '../contracts/read-body.ts';
import { failed, notStored, nothing } from './failures.ts';
import { firstBy, withSecrets } from './request-context.ts';
import type { RequestContext } from './request-context.ts';
import type { StoredAnswers } from './stored-answers.ts';

export interface UnaskedPorts {
  readonly cache: Cache;
  /** The result of the work, or null if that takes long. */
  readonly soon: <T>(work: Promise<T | null>) => Promise<T | null>;
}

/** Policies by which what is stored may be the answer without the server's consent. */
const PATIENT: readonly unknown[] = ['strict', 'cache-first', 'cache-only'];

/** Looks at what is stored, and serves it where the server need not be asked. */
export class Unasked {
  readonly #ports: UnaskedPorts;
  readonly #stored: StoredAnswers;

  constructor(ports: UnaskedPorts, stored: StoredAnswers) {
    this.#ports = ports;
    this.#stored = stored;
  }

  /** What is stored. A call does not wait long for that: a storage that is late must not hold it. */
  async known(
    { invocation, isForTheWhole }: RequestContext,
    peeking: Promise<StoredResponse | null>,
  ): Promise<StoredResponse | null> {
    if (isForTheWhole) return null;
    const { cache, revalidate } = invocation.policy;
    return revalidate || PATIENT.includes(cache) ? peeking : this.#ports.soon(peeking);
  }

  /**
   * Serves what is stored, or fails: the server is not to be asked. The app's hook is, by `askedNow`, only where nothing
   * else tells whose answer that is. Then `askedNow` returns the invocation as it would be sent, or a failure.
   */
  async serveOnly(
    context: RequestContext,
    askedNow: () => Promise<Invocation | Failure>,
  ): Promise<ReadOutcome> {
    const { invocation, url, limit } = context;
    const { cache } = this.#ports;
    const isPart = asksForPart(invocation);
    const whole = isPart ? askingForWhole(invocation) : invocation;
    const stored = await limit.within(cache.recall(whole, url), nothing);
    const asked = stored && cache.isOfSomebody(stored) ? await askedNow() : null;
    if (asked && 'code' in asked) return failed(asked, null);
    const looking = asked ? withSecrets(context, asked) : context;
    const sent = asked && asked.headers;
    const served = await (isPart ? this.servePart(looking, sent) : this.serve(looking, sent));
    return served ?? failed(limit.failure ?? notStored(invocation), null);
  }

  /**
   * Serves what is stored by now: another engine may have written since. Null if the server is to be asked. `sent`: the
   * headers of the request, after the app's hook; null if that has not run.
   */
  async serve(context: RequestContext, sent: readonly Header[] | null): Promise<ReadOutcome | null> {
    const { invocation, url, limit, read } = context;
    const { cache } = this.#ports;
    const stored = await this.known(context, limit.within(cache.recall(invocation, url), nothing));
    const plan = cache.plan(invocation, stored, await cache.fitOf(invocation, stored, sent));
    if (plan.kind === 'ask') return null;
    const isServed = stored !== null && plan.kind === 'serve';
    const outcome = isServed ? await this.#stored.served(context, stored, plan.stale) : null;
    // A write may have been done meanwhile.
    if (plan.kind === 'serve' && plan.orAsk) return read?.isOvertaken ? null : outcome;
    return outcome ?? failed(limit.failure ?? notStored(invocation), null);
  }

  /**
   * Cuts the part that is asked for from a stored, whole answer that may be served. Null if the server is to be asked.
   * `sent`: as for `serve`.
   */
  async servePart(context: RequestContext, sent: readonly Header[] | null): Promise<ReadOutcome | null> {
    const { invocation, url, limit, read } = context;
    if (!mayBeCut(invocation, url)) return null;
    const { cache } = this.#ports;
    const whole = askingForWhole(invocation);
    const recalling = limit.within(cache.recall(whole, url), nothing);
    const stored = await this.known({ ...context, invocation: whole }, recalling);
    const plan = cache.plan(whole, stored, await cache.fitOf(whole, stored, sent));
    if (!stored || plan.kind !== 'serve') return null;
    const outcome = await this.#stored.servedPart(context, stored, plan.stale);
    // A write may have been done meanwhile.
    return plan.orAsk && read?.isOvertaken ? null : outcome;
  }

  /** The stored answer, if it is told before the server's. It may be read while the server is asked. */
  async first(
    context: RequestContext,
    peeking: Promise<StoredResponse | null>,
    sent: readonly Header[],
  ): Promise<ReadAnswered | null> {
    const { invocation } = context;
    const { cache } = this.#ports;
    const stored = await peeking;
    const plan = cache.plan(invocation, stored, await cache.fitOf(invocation, stored, sent));
    const first = firstBy(plan, invocation.policy);
    if (!stored || !first) return null;
    const outcome = await this.#stored.served(context, stored, first === 'stale');
    // The page knows whether it has had this very answer.
    return outcome?.kind === 'answered' ? { ...outcome, changed: true } : null;
  }
}
