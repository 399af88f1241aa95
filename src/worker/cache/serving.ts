import type { CacheLifetimes, CachePolicy, Invocation, Policy } from '../../shared/invocation.ts';
import type { Failure } from '../../shared/failure.ts';
import { directivesOf, secondsOf } from '../contracts/storing.ts';
import type { Directives } from '../contracts/storing.ts';
import type { StoredResponse } from '../contracts/response-store.ts';
import { saysNoCache } from './freshness.ts';
import type { Freshness } from './freshness.ts';

/** How a request is served, given the stored answer, if any. */
export type Plan =
  /** `stale`: the stored answer is not fresh. `orAsk`: the server is asked if its body is gone. */
  | { readonly kind: 'serve'; readonly stale: boolean; readonly orAsk: boolean }
  /**
   * The server is asked. `validate`: the validators of the stored answer go along. `first`: how the stored answer stands
   * that is told meanwhile; null if none is.
   */
  | { readonly kind: 'ask'; readonly validate: boolean; readonly first: 'fresh' | 'stale' | null }
  /** Only what is stored may be served, and nothing is. */
  | { readonly kind: 'refuse' };

/** A stored answer that may be served. Its freshness and origin are looked at only where they decide. */
interface Candidate {
  readonly freshness: Freshness;
  /** Bytes of the body. */
  readonly size: number;
  /** True if it is of the page's own origin: elsewhere validators may cause a preflight. */
  readonly isOwn: boolean;
}

export function candidateOf(
  { documentUrl }: Invocation,
  { size, url }: StoredResponse,
  freshness: () => Freshness,
): Candidate {
  return {
    get freshness() {
      return freshness();
    },
    size,
    get isOwn() {
      return new URL(url).origin === new URL(documentUrl).origin;
    },
  };
}

/** Bytes from which on confirming a stored answer costs a call less than getting it again. */
const WORTH_VALIDATING = 16_384;

/** The lifetimes that the app gives to answers whose servers say nothing. */
export function lifetimesOf(policy: CachePolicy): CacheLifetimes | null {
  return typeof policy === 'object' ? policy : null;
}

/** True if the server is not to be asked: by the policy, or by the request itself (RFC 9111 section 5.2.1.7). */
export function asksNobody({ headers, policy }: Invocation): boolean {
  return policy.cache === 'cache-only' || directivesOf(headers).has('only-if-cached');
}

export function planOf(invocation: Invocation, stored: Candidate | null): Plan {
  const plan = ownPlanOf(invocation, stored);
  if (asksNobody(invocation)) return plan.kind === 'serve' ? { ...plan, orAsk: false } : { kind: 'refuse' };
  return plan.kind === 'ask' && stored ? { ...plan, first: plan.first ?? firstOf(invocation, stored) } : plan;
}

/**
 * Whether the stored answer is told while its server is asked: the page wants that. `strict`
 * forbids what its server wants validated first.
 */
function firstOf({ policy }: Invocation, { freshness }: Candidate): 'fresh' | 'stale' | null {
  if (!policy.storedFirst) return null;
  if (isFresh(freshness)) return 'fresh';
  return policy.cache === 'strict' && freshness.isStrict ? null : 'stale';
}

/** Decides by the policy, the request's own directives and the freshness of the stored answer; null if there is none. */
function ownPlanOf({ headers, policy: { cache, revalidate } }: Invocation, stored: Candidate | null): Plan {
  if (cache === 'cache-only')
    return stored ? { kind: 'serve', stale: !isFresh(stored.freshness), orAsk: false } : { kind: 'refuse' };
  if (!stored || revalidate) return { kind: 'ask', validate: revalidate || cache === 'strict', first: null };
  const ask: Plan = { kind: 'ask', validate: cache === 'strict' || isWorthValidating(stored), first: null };
  if (cache === 'network-first') return ask;
  const { freshness } = stored;
  if (cache === 'cache-first') return { kind: 'serve', stale: !isFresh(freshness), orAsk: true };
  const directives = directivesOf(headers);
  if (saysNoCache(headers, directives)) return ask;
  const { age, lifetime } = freshness;
  const isOldEnough = age > (secondsOf(directives, 'max-age') ?? Infinity);
  const isNearEnd = lifetime - age < (secondsOf(directives, 'min-fresh') ?? -Infinity);
  if (isOldEnough || isNearEnd) return ask;
  if (isFresh(freshness)) return { kind: 'serve', stale: false, orAsk: true };
  if (isStaleEnough(directives, freshness)) return { kind: 'serve', stale: true, orAsk: true };
  return mayStandMeanwhile(freshness) ? { ...ask, first: 'stale' } : ask;
}

function isWorthValidating(stored: Candidate): boolean {
  return stored.size >= WORTH_VALIDATING && stored.isOwn;
}

export function isFresh({ age, lifetime, isReusable }: Freshness): boolean {
  return isReusable && lifetime > age;
}

/** The page takes an answer that is stale by that much (`max-stale`), unless its server forbids that. */
function isStaleEnough(directives: Directives, { age, lifetime, isReusable, isStrict }: Freshness): boolean {
  const most = directives.get('max-stale') === true ? Infinity : secondsOf(directives, 'max-stale');
  return isReusable && !isStrict && most !== null && age - lifetime <= most;
}

/** True if it may be told while its server is asked (RFC 5861 section 3), unless its server forbids that. */
function mayStandMeanwhile({
  age,
  lifetime,
  staleWhileRevalidate,
  isReusable,
  isStrict,
}: Freshness): boolean {
  return isReusable && !isStrict && age < lifetime + staleWhileRevalidate;
}

/** Statuses of a server that fails for now (RFC 5861 section 4). */
const FAILING = [500, 502, 503, 504];

/**
 * True if the stored answer stands for this failure: the network is gone, or the server fails for now. What may be told
 * while the server is asked stands for a server that then fails: the page has been told it.
 */
export function standsFor(
  failure: Failure,
  { cache, revalidate }: Pick<Policy, 'cache' | 'revalidate'>,
  freshness: Freshness,
): boolean {
  if (cache === 'network-only') return false;
  if (failure.code === 'http') {
    const { age, lifetime, staleIfError, staleWhileRevalidate, isStrict, isReusable } = freshness;
    const grace = Math.max(staleIfError, revalidate ? 0 : staleWhileRevalidate);
    const mayStand = isReusable && !isStrict && age < lifetime + grace && grace > 0;
    return FAILING.includes(failure.status) && mayStand;
  }
  if (failure.code !== 'network' && failure.code !== 'offline') return false;
  return cache !== 'strict' || !freshness.isStrict || isFresh(freshness);
}
