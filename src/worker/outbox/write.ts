import { CONDITIONS, headerValue, withHeader, withoutHeader } from '../../shared/header.ts';
import type { Header } from '../../shared/header.ts';
import { REPLACING, sizeOfRequestBody } from '../../shared/invocation.ts';
import type { Invocation, RequestBody } from '../../shared/invocation.ts';
import { leftOut } from '../../shared/outbox.ts';
import type { Decided, Decision, Ticket, WriteReport } from '../../shared/outbox.ts';
import { unreachable } from '../../shared/unreachable.ts';
import { mayBeStored, sizeOfAnswer, storableFailure, tellableFailure } from '../contracts/storing.ts';
import type { NewWrite, WaitingWrite } from '../contracts/outbox-store.ts';
import { hurried } from './attempts.ts';
import { saidVersion, saysVersion, strongTag } from './changed-version.ts';
import { withKey } from '../contracts/idempotency-key.ts';
import { temporaryIdsIn } from '../contracts/temporary-ids.ts';

// A write from its ticket to its request, and as pages are told of it.

/** The most bytes of a body that is told to every page, and of that of an answer that is stored. */
const TOLD = 65_536;

/**
 * `now` is in milliseconds of the epoch. `isProvided`: a page provides credentials for its origin. The body of the invocation is stored
 * apart.
 */
export function newWrite(
  ticket: Ticket,
  invocation: Invocation,
  matches: string | null,
  now: number,
  isProvided = false,
): NewWrite {
  return {
    entry: ticket.entry,
    // The page may have set one itself, which is sent as it is.
    key: headerValue(invocation.headers, 'idempotency-key') ?? ticket.key,
    resource: ticket.resource,
    action: ticket.action,
    lane: ticket.lane,
    version: 0,
    invocation: { ...invocation, body: { kind: 'none' } },
    state: 'queued',
    attempts: 0,
    mayBeDone: false,
    failures: 0,
    notBefore: 0,
    floor: 0,
    failure: null,
    queuedAt: now,
    temporaryId: ticket.creates?.temporaryId ?? null,
    idAt: ticket.creates?.at ?? null,
    givenId: null,
    uses: temporaryIdsIn(invocation, invocation.body),
    answer: null,
    url: null,
    matches,
    endedAt: null,
    unclearSince: null,
    busySince: null,
    isShown: ticket.isShown ?? false,
    needsCredentials: isProvided,
  };
}

/**
 * What an attempt sends. Its attempts are counted here, so that none is repeated unseen, and no stored answer stands for it.
 */
export function requestOf({ invocation, key, matches }: WaitingWrite, body: RequestBody): Invocation {
  const asked = withVersion(withKey(invocation, key), matches);
  return { ...asked, body, policy: { ...invocation.policy, retry: 0, cache: 'default' } };
}

/** It says which version it changes, where that is known. */
export function withVersion(invocation: Invocation, matches: string | null): Invocation {
  if (matches === null) return invocation;
  return { ...invocation, headers: withHeader(invocation.headers, 'If-Match', matches) };
}

/** True where somebody has decided about a write since it was looked at, so that its server may have another version. */
function isOutdated(write: WaitingWrite, { version }: Edit | Discard): boolean {
  return version !== undefined && version !== write.version;
}

export type Edit = Extract<Decision, { readonly kind: 'edit' }>;
type Discard = Extract<Decision, { readonly kind: 'discard' }>;

/** What an edited write goes to. */
export interface Target {
  /** The URL of an invocation, by the ids that servers have given; null where it may not be asked. */
  readonly urlOf: (invocation: Invocation) => string | null;
  /** The ETag of the stored answer that it is to change, where its page does not say that; null where none is known. */
  readonly matches: string | null;
  /** True where a server has refused that, and nothing was seen of it since, as far as is known. */
  readonly isRefused: boolean;
}

/** No other decision needs one. */
const NO_TARGET: Target = { urlOf: () => null, matches: null, isRefused: false };

/** The key of an edit is its own: a page that has not heard that it was made says it again to the next worker. */
function isMade(write: WaitingWrite, { key }: Edit): boolean {
  return write.key === key;
}

/** Why a write stays as it is. */
export function refusalOf(write: WaitingWrite, decision: Decision): Decided {
  if (decision.kind === 'retry' || (decision.kind === 'edit' && isMade(write, decision))) return 'decided';
  return isOutdated(write, decision) ? 'changed' : 'sent';
}

/**
 * What becomes of it by somebody's decision; the same where it stays as it is: what its server may have is not edited, since it
 * would be performed twice, once as it was. `now` is in milliseconds of the epoch.
 */
export function decided(
  write: WaitingWrite,
  decision: Decision,
  now: number,
  target: Target = NO_TARGET,
): WaitingWrite {
  switch (decision.kind) {
    case 'discard':
      return isOutdated(write, decision) ? write : discarded(write, now);
    case 'retry':
      return hurried(write);
    case 'edit':
      if (write.mayBeDone || write.state === 'sending') return write;
      if (isMade(write, decision) || isOutdated(write, decision)) return write;
      return edited(write, decision, target);
    default:
      return unreachable(decision);
  }
}

/** It is never sent. `now` is in milliseconds of the epoch. */
export function discarded(write: WaitingWrite, now: number): WaitingWrite {
  return { ...write, state: 'discarded', failure: null, answer: null, endedAt: now };
}

/**
 * Of a conflict, the version that the server has is the one that it replaces. No condition of the page goes along: it has refused that
 * version, and would do so again. An edit by somebody who knows nothing of the conflict replaces nothing: it comes to conflict again.
 */
function edited(
  write: WaitingWrite,
  { key, params, contentType, isOfConflict = true }: Edit,
  { urlOf, matches: stored, isRefused }: Target,
): WaitingWrite {
  const { invocation, state, floor } = write;
  const asked = { ...invocation, params: params ?? invocation.params };
  // Another URL has other versions.
  const isMoved = urlOf(asked) !== urlOf(invocation);
  const isConflict = state === 'conflict' && !isMoved;
  const isReplacing = isConflict && isOfConflict;
  const { headers: kept } = isReplacing ? withoutConditions(invocation) : invocation;
  const rekeyed = withoutHeader(kept, 'idempotency-key');
  const next = {
    ...asked,
    headers: contentType === null ? rekeyed : withType(rekeyed, contentType),
  };
  const seen = saysVersion(next) ? stored : null;
  // What is stored of a conflict by now may be the version that the server has.
  const known = isConflict ? null : seen;
  return {
    ...hurried(write),
    // To its server it is another write, and it wants to be left alone by all.
    floor,
    notBefore: floor,
    key,
    invocation: next,
    matches: isMoved ? seen : isReplacing ? versionIn(write, seen, isRefused) : (write.matches ?? known),
    // Of a conflict it is known which version it changes, or that none is named: that is not looked up any more.
    attempts: isConflict ? write.attempts : 0,
    failure: null,
    answer: null,
  };
}

/**
 * The version that the server has, as it has said. Where it has named none, what was read since is what somebody has seen; null where
 * that is still the version which the server has refused. A 409 may be about something else: it refuses no version that was read since.
 */
function versionIn(write: WaitingWrite, stored: string | null, isRefused: boolean): string | null {
  const { invocation, answer } = write;
  const named = invocation.method === 'POST' ? null : strongTag(answer?.headers);
  if (named !== null || stored !== saidVersion(write)) return named ?? stored;
  return isRefused || answer?.status === 412 ? null : stored;
}

/** It says nothing any more of the version that it is about. */
export function withoutConditions(invocation: Invocation): Invocation {
  return { ...invocation, headers: CONDITIONS.reduce(withoutHeader, invocation.headers) };
}

function withType(headers: readonly Header[], contentType: string): readonly Header[] {
  return contentType === ''
    ? withoutHeader(headers, 'content-type')
    : withHeader(headers, 'Content-Type', contentType);
}

/** A write to what an earlier one has just changed: it changes the version that this has made. The same where it does so already. */
export function rebased(write: WaitingWrite, done: WaitingWrite): WaitingWrite {
  const isNamed = REPLACING.includes(done.invocation.method);
  const matches = isNamed ? strongTag(done.answer?.headers) : null;
  return matches === write.matches ? write : { ...write, matches };
}

/** Headers of an answer that are stored. Any other may repeat a secret, which a provider has given or the page has set. */
const STORED: readonly string[] = ['content-type', 'etag', 'last-modified', 'location', 'retry-after'];

/** As it is stored: no secrets, and not the body of an answer that is long, or that must not be stored. */
export function lean(write: WaitingWrite): WaitingWrite {
  const { answer, failure, invocation } = write;
  return {
    ...write,
    failure: failure && storableFailure(failure),
    answer: answer && {
      ...answer,
      headers: answer.headers.filter(([name]) => STORED.includes(name.toLowerCase())),
      body:
        sizeOfAnswer(answer) <= TOLD && mayBeStored(invocation, answer.headers)
          ? answer.body
          : leftOut(sizeOfAnswer(answer)),
    },
  };
}

/** Without the body of its answer, for which there may be no room. */
export function withoutAnswer(write: WaitingWrite): WaitingWrite {
  const { answer } = write;
  return { ...write, answer: answer && { ...answer, body: leftOut(sizeOfAnswer(answer)) } };
}

/** `body` is null where it has not been read, or is not to be told. */
export function reportOf(write: WaitingWrite, body: RequestBody | null): WriteReport {
  const { entry, key, resource, action, lane, state, attempts, failure, queuedAt } = write;
  const { temporaryId, givenId, answer, url, place, version, endedAt, isShown } = write;
  const { params, headers } = write.invocation;
  return {
    entry,
    key,
    resource,
    action,
    lane,
    state,
    params,
    headers,
    body,
    attempts,
    failure: failure && tellableFailure(failure),
    queuedAt,
    temporaryId,
    givenId,
    answer,
    url,
    place,
    version,
    endedAt,
    isShown,
  };
}

/** Null for what is too long to be told to every page. */
export function toldBody(body: RequestBody | null): RequestBody | null {
  return body && sizeOfRequestBody(body) <= TOLD ? body : null;
}
