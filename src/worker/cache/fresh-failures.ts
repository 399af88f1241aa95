import { headerValue, pageSetHeaders, withHeader } from '../../shared/header.ts';
import type { Header } from '../../shared/header.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { LIMITS } from '../../shared/limits.ts';
import type { Failed } from '../../shared/outcome.ts';
import { RecentlyUsed } from '../../shared/recently-used.ts';
import { directivesOf, mayBeStored } from '../contracts/storing.ts';
import { ageOf, freshnessOf } from './freshness.ts';
import { keyWithin } from './keys.ts';
import { isPartial } from './received.ts';
import type { Below } from './sweeps.ts';
import { isTellable } from './selection.ts';

/** Statuses that are about who asks, or about this moment: the next request may have another answer. */
const PASSING = [401, 403, 407, 408, 425, 429];

/** The policies by which a fresh answer spares the request. */
const SPARING: readonly unknown[] = ['default', 'strict'];

/** Requests with other headers to one URL whose refusals are kept. */
const MOST_OF_A_URL = 8;

interface Kept {
  readonly key: string;
  readonly failed: Failed;
  readonly url: string;
  readonly headers: readonly Header[];
  readonly status: number;
  readonly receivedAt: number;
  readonly delay: number;
  /** Bytes, about. */
  readonly size: number;
}

/** When a refusal came. */
export interface Arrived {
  /** Milliseconds of the epoch. */
  readonly receivedAt: number;
  /** Milliseconds from the request to that. */
  readonly delay: number;
  /** The URL that a redirect led to; null if there was none. */
  readonly finalUrl: string | null;
}

/**
 * Refusals that their servers let be reused (RFC 9111 section 3), such as a 404 with `max-age`. They are in memory alone:
 * a refusal must never replace a good answer that is stored, and is soon got again.
 */
export class FreshFailures {
  readonly #now: () => number;
  readonly #isIdentified: boolean;
  /** By URL, as it is in keys. */
  readonly #kept = new RecentlyUsed<string, readonly Kept[]>(LIMITS.refusals, (all) => sum(all));

  constructor(now: () => number, isIdentified: boolean) {
    this.#now = now;
    this.#isIdentified = isIdentified;
  }

  /** `sent`: the headers of the request, as they were sent; the refusal is for requests with all of the same. */
  note(invocation: Invocation, url: string, sent: readonly Header[], failed: Failed, arrived: Arrived): void {
    const { answer, failure } = failed;
    if (!answer || invocation.method !== 'GET') return;
    const [within, key] = [keyWithin(url), keyOf(invocation, sent)];
    // What was said before is told no more, whatever becomes of this.
    const before = this.#kept.peek(within) ?? [];
    const others = before.filter((each) => each.key !== key && this.#isFresh(each));
    if (others.length > 0) this.#kept.set(within, others);
    else this.#kept.delete(within);
    // What a redirect led to says of its lifetime is about another URL.
    if (failure.code !== 'http' || arrived.finalUrl !== null) return;
    if (PASSING.includes(failure.status) || isPartial(invocation, answer)) return;
    if (!mayBeStored(invocation, answer.headers)) return;
    if (!isTellable(answer.headers, invocation.policy.secretHeaders, this.#isIdentified)) return;
    const { status, headers } = answer;
    const { receivedAt, delay } = arrived;
    const kept = {
      key,
      failed: copyOf(failed),
      url,
      headers,
      status,
      receivedAt,
      delay,
      size: sizeOf(failed),
    };
    if (this.#isFresh(kept)) this.#kept.set(within, [...others.slice(1 - MOST_OF_A_URL), kept]);
  }

  /** The refusal that is fresh for this request, as it is told; null if there is none, or the server is to be asked. */
  find(invocation: Invocation, url: string, sent: readonly Header[]): Failed | null {
    const { method, headers, policy } = invocation;
    const isSparing = SPARING.includes(policy.cache) || typeof policy.cache === 'object';
    if (method !== 'GET' || policy.revalidate || !isSparing) return null;
    if (directivesOf(headers).size > 0 || headerValue(headers, 'pragma') !== null) return null;
    const key = keyOf(invocation, sent);
    const kept = this.#kept.get(keyWithin(url))?.find((each) => each.key === key);
    return kept && this.#isFresh(kept) ? this.#told(kept) : null;
  }

  /** Its server has said something else since, or a write has changed what is said of this URL, or below this base. */
  forget(target: string | Below): void {
    if (typeof target === 'string') this.#kept.delete(keyWithin(target));
    else
      for (const url of this.#kept.keys())
        if (target.prefixes.some((prefix) => url.startsWith(prefix))) this.#kept.delete(url);
  }

  forgetAll(): void {
    this.#kept.clear();
  }

  #told(kept: Kept): Failed {
    const failed = copyOf(kept.failed);
    const age = ageOf(kept, this.#now());
    const headers = withHeader(kept.headers, 'age', `${Math.floor(age)}`);
    return { ...failed, answer: failed.answer && { ...failed.answer, headers }, servedFrom: 'cache', age };
  }

  #isFresh(kept: Kept): boolean {
    const { lifetime, age, isReusable } = freshnessOf(kept, this.#now());
    return isReusable && lifetime > age;
  }
}

/** Bytes that are told may be transferred to the page. */
function copyOf(failed: Failed): Failed {
  const { answer } = failed;
  if (answer?.body.kind !== 'bytes') return failed;
  return { ...failed, answer: { ...answer, body: { ...answer.body, bytes: answer.body.bytes.slice(0) } } };
}

function keyOf({ policy }: Invocation, sent: readonly Header[]): string {
  return JSON.stringify([policy.credentials, policy.transform ?? [], pageSetHeaders(sent)]);
}

function sum(all: readonly Kept[]): number {
  return all.reduce((bytes, { size }) => bytes + size, 0);
}

function sizeOf({ answer }: Failed): number {
  const body = answer?.body;
  const size =
    body?.kind === 'bytes' ? body.bytes.byteLength : (body?.size ?? JSON.stringify(body?.value ?? '').length);
  return size + 1_024 + (answer?.headers.flat().join('').length ?? 0);
}
