import type { Progress } from './delivery.ts';
import { headerValue } from './header.ts';
import type { Header } from './header.ts';
import type { Invocation } from './invocation.ts';
import type { Outcome } from './outcome.ts';
import { bytes, flag, list, numberBetween, numberFrom, orNull, text, variants } from './shape.ts';
import type { Shape } from './shape.ts';

/**
 * Sends the first requests of a page that has no worker yet: on a first visit, its script has to be fetched, installed
 * and activated. What came of them is handed to the first engine that answers, so that nothing is asked for twice.
 */
export interface EarlyEngine {
  /** The origin that would be asked; null if the URL is refused. */
  originOf(invocation: Invocation): string | null;
  send(invocation: Invocation, watch: EarlyWatch): EarlyRequest;
}

/** True for what needs nothing but a server: no function of a worker, and nothing that is stored. */
export function isForAnyEngine({ headers, policy }: Invocation): boolean {
  const asksNobody = /\bonly-if-cached\b/i.test(headerValue(headers, 'cache-control') ?? '');
  return !policy.transform && policy.cache !== 'cache-only' && !asksNobody;
}

/** False where the app gives credentials for it: the worker asks for them, for all tabs (credentialed-exchange.ts). */
export function needsNobody(
  engine: EarlyEngine,
  provides: readonly string[],
  { headers, policy, ...invocation }: Invocation,
): boolean {
  if (provides.length === 0 || policy.credentials === 'omit') return true;
  const origin = engine.originOf({ ...invocation, headers, policy });
  return headerValue(headers, 'authorization') !== null || !provides.includes(origin ?? '');
}

export interface EarlyRequest {
  /** Never rejects. */
  readonly result: Promise<EarlyResult>;
  /** Ends it with the code `aborted`. */
  readonly abort: () => void;
}

/** What the page wants to hear of a request. */
export interface EarlyWatch {
  readonly sent?: (status: number, headers: readonly Header[]) => void;
  readonly progress?: (progress: Progress) => void;
}

export type EarlyResult =
  | { readonly kind: 'ended'; readonly outcome: Outcome; readonly early: EarlyAnswer | null }
  /** It failed, and the next engine may repeat it after so many milliseconds. `early`: the write, if it may be done. */
  | { readonly kind: 'left'; readonly wait: number; readonly early: EarlyAnswer | null };

/** What an engine has to know of a request that was sent before it. */
export type EarlyAnswer =
  | {
      readonly kind: 'read';
      readonly invocation: Invocation;
      readonly status: number;
      readonly headers: readonly Header[];
      readonly bytes: ArrayBuffer;
      /** Milliseconds of the epoch. */
      readonly receivedAt: number;
      /** Milliseconds from the request to the answer's headers. */
      readonly delay: number;
      /** The URL that a redirect led to; null if there was none. */
      readonly finalUrl: string | null;
      /** The origin that a redirect led to, if that is not the one asked; otherwise null. */
      readonly sender: string | null;
    }
  /** A write that may be done: what is stored of what it changes is outdated. */
  | {
      readonly kind: 'write';
      readonly invocation: Invocation;
      /** Those of the answer. */
      readonly headers: readonly Header[];
      /** False where its server has not said that it is done. */
      readonly isDone: boolean;
    };

/** The shape of it in a message, of those of its parts. */
export function earlyAnswer(invocation: Shape<Invocation>, header: Shape<Header>): Shape<EarlyAnswer> {
  return variants<EarlyAnswer>({
    read: {
      invocation,
      status: numberBetween(200, 599),
      headers: list(header),
      bytes,
      receivedAt: numberFrom(0),
      delay: numberFrom(0),
      finalUrl: orNull(text),
      sender: orNull(text),
    },
    write: { invocation, headers: list(header), isDone: flag },
  });
}
