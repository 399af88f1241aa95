import { headerValue } from '../../shared/header.ts';
import type { Header } from '../../shared/header.ts';
import type { Invocation } from '../../shared/invocation.ts';
import type { Answer, Revision } from '../../shared/outcome.ts';
import type { DeltaFrom } from '../contracts/response-store.ts';
import { withVary, isTellable } from './selection.ts';
import { mayBeStored } from '../contracts/storing.ts';

/** An answer as it came from its server. */
export interface Received {
  readonly answer: Answer<unknown>;
  readonly bytes: ArrayBuffer;
  /** Milliseconds of the epoch. */
  readonly receivedAt: number;
  /** Milliseconds from the request to the answer's headers. */
  readonly delay?: number;
  /** The origin that sent it, if that is not the one asked; otherwise null or missing. */
  readonly sender?: string | null;
  /** The URL that a redirect led to; null or missing if there was none. */
  readonly finalUrl?: string | null;
  /** The headers of the request as they were sent, after the worker's hook; missing if they are the invocation's. */
  readonly sent?: readonly Header[];
  /** True if its origin keeps to itself which headers it has chosen it by. */
  readonly hidesVary?: boolean;
  /** True if it may be from before a write to its URL. */
  readonly isOutdated?: boolean;
  /** The number of its request: of two answers under one key the one that was asked for later stays. */
  readonly asked?: number;
  /**
   * Called when it is decided that this answer follows the stored one; may be called again. Returns false if an answer
   * that was asked for later came before it. If missing, it counts as true.
   */
  readonly take?: () => boolean;
}

export interface Making {
  /** The byte delta to store instead of the whole, if its base is still the stored revision. */
  readonly derivation?: DeltaFrom | null;
  /** True if it is the next answer of a loop, which runs in one engine alone. */
  readonly counts?: boolean;
  /** True where nothing waits for it to be stored: see `Order`. */
  readonly isPatient?: boolean;
  /** `Cache.clearings` when it was asked for: it is not stored if everything was cleared since. */
  readonly clearings?: number;
}

export interface Remembered {
  /** False if the bytes equal those stored before. */
  readonly changed: boolean;
  /** Null if the answer is not stored. */
  readonly revision: Revision | null;
  /** Resolves with true once it is stored; with false once it is known that it is not, or not soon. */
  readonly isStored: Promise<boolean>;
}

export const NOT_STORED: Remembered = { changed: true, revision: null, isStored: Promise.resolve(false) };

export function isTaken({ take }: Received): boolean {
  return take?.() ?? true;
}

/** The answer with the `Vary` that it is to be taken for, where its origin may keep that to itself. */
export function readable(
  { headers, documentUrl, policy }: Invocation,
  url: string,
  received: Received,
): Received {
  const { answer, sent = headers } = received;
  // A redirect may have led to another origin than the one that was asked.
  const isOwn = !received.sender && new URL(url).origin === new URL(documentUrl).origin;
  if (isOwn) return received;
  return {
    ...received,
    hidesVary: headerValue(answer.headers, 'vary') === null,
    answer: { ...answer, headers: withVary(answer.headers, sent, policy.secretHeaders) },
  };
}

/** True if a call may use the cache as it is. A part of an answer (RFC 9110 section 14) is not kept: see `byte-range.ts`. */
export function isCacheable({ method, headers, policy }: Invocation): boolean {
  return method === 'GET' && policy.cache !== 'network-only' && headerValue(headers, 'range') === null;
}

/** True if it says nothing of the whole: a part of it was asked for, or came. */
export function isPartial({ headers }: Invocation, { status }: Answer<unknown>): boolean {
  return status === 206 || headerValue(headers, 'range') !== null;
}

/** RFC 9111 section 3, for a private cache that keeps whole, successful answers. */
export function isStorable(invocation: Invocation, answer: Answer<unknown>, isIdentified: boolean): boolean {
  const { status } = answer;
  return (
    status >= 200 &&
    status < 300 &&
    mayBeStored(invocation, answer.headers) &&
    isTellable(answer.headers, invocation.policy.secretHeaders, isIdentified)
  );
}
