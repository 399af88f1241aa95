import type { Invocation } from '../../shared/invocation.ts';
import { pageSetHeaders } from '../../shared/header.ts';
import { LIMITS } from '../../shared/limits.ts';
import type { Pace } from '../../shared/pace.ts';
import type { EventInterest, LoopDeclaration } from '../../shared/protocol.ts';
import type { Link } from './link.ts';
import type { Call } from './notice.ts';
import type { Prepared } from './prepare.ts';

/** A loop as it was asked for. */
export interface LoopOrder {
  readonly action: string;
  /** The loop that the same action with the same parameters replaces. */
  readonly key: string;
  readonly pace: Pace;
  /** Makes the request afresh, as at the start and at every restart. */
  readonly prepare: (link: Link) => LoopRequest;
  readonly interest: () => EventInterest;
  /** True where an answer that has not changed makes no event. */
  readonly isQuiet: boolean;
}

/** A loop's request, and how it keeps its place. */
export interface LoopRequest {
  readonly prepared: Prepared;
  readonly call: LoopCall;
  readonly place?: LoopPlace;
  /** The call of its request to catch up. */
  readonly catchUp?: LoopCall | null;
}

export type LoopPlace = Pick<LoopDeclaration, 'cursor' | 'wait' | 'spread'>;

/** When a loop asks first, and whether it does so though a loop of another page asks for the same. */
export type Start = Pick<LoopDeclaration, 'firstIn' | 'restart' | 'replaces'>;

/** The call that all ticks of a loop share; each has an id of its own. */
export type LoopCall = Omit<Call, 'id'>;

/**
 * A text that names what a loop asks. Two texts differ wherever the worker keeps two loops (`worker/loops/loops.ts`): the
 * second knows nothing of what the first has told.
 */
export function loopQuestion(
  { kind }: LoopDeclaration['pace'],
  invocation: Invocation,
  { cursor, wait }: Pick<LoopDeclaration, 'cursor' | 'wait'>,
): string {
  const { baseUrl, template, documentUrl, headers, body } = invocation;
  // An app that navigates by `history.pushState` changes the document's URL, but not where an absolute one leads.
  const isAbsolute = /^(?:\/|\w+:)/.test(baseUrl || template);
  const asked = {
    ...invocation,
    documentUrl: isAbsolute || documentUrl,
    headers: pageSetHeaders(headers),
    body: 'bytes' in body ? String(new Uint8Array(body.bytes)) : body,
  };
  // The request to catch up is made of the loop's own parameters, headers and base URL.
  return JSON.stringify([kind, asked, { ...cursor, catchUp: cursor?.catchUp?.template }, wait]);
}

/** True where both ask the worker for the same steps. That a loop is quiet never changes. */
export function isSameInterest(one: EventInterest, other: EventInterest): boolean {
  return (
    one.started === other.started &&
    one.sent === other.sent &&
    one.progress === other.progress &&
    one.body === other.body
  );
}

/** @throws RangeError where a poll would ask too often. */
export function assertInterval(action: string, interval: number): void {
  if (Number.isFinite(interval) && interval >= LIMITS.pollInterval) return;
  throw new RangeError(`Interval of '${action}' must be at least ${LIMITS.pollInterval} ms, got ${interval}`);
}
