import { retryAfter } from '../../shared/header.ts';
import { leftOut } from '../../shared/outbox.ts';
import { mayBeDone } from '../../shared/outcome.ts';
import type { Answer, Outcome } from '../../shared/outcome.ts';
import type { WaitingWrite } from '../contracts/outbox-store.ts';
import { afterFailure, furthest, longestWait } from '../scheduling/back-off.ts';
import { givenIn } from '../contracts/temporary-id.ts';
import { asRefusal, busyAfterLoss, isMaybeDone, sinceThen, verdictOn } from './verdict.ts';
import type { Verdict } from './verdict.ts';

/** The period of which the rule of all waits makes the waits of a write, in milliseconds. */
const PERIOD = 5_000;

/** No write waits longer than this in milliseconds, and once its server would have it again, no longer than that. */
const LONGEST_WAIT = furthest(PERIOD, 0);
const LONGEST_PAUSE = longestWait(PERIOD);

/** True where it may be sent at that time, in milliseconds of the epoch: the clock may have been set back since its time was stored. */
export function isDueAt({ notBefore, floor }: WaitingWrite, now: number): boolean {
  if (notBefore <= now || notBefore - now > LONGEST_WAIT) return true;
  return notBefore - Math.max(now, floor) > LONGEST_PAUSE;
}

/**
 * It is sent now. This is stored first: an attempt that nobody knows of could be taken for the first one. `isProvided`: a page provides
 * credentials for its origin.
 */
export function begun(write: WaitingWrite, isProvided = false): WaitingWrite {
  const needsCredentials = write.needsCredentials || isProvided;
  return { ...write, state: 'sending', attempts: write.attempts + 1, needsCredentials };
}

/**
 * A worker has ended, and with it its attempt: its server may have performed it, which the key tells it. Credentials have gone
 * with it, too, so those of a write that is paused are asked for anew. `now` is in milliseconds of the epoch.
 */
export function revived(write: WaitingWrite, now: number): WaitingWrite {
  switch (write.state) {
    case 'sending':
      return { ...write, state: 'queued', mayBeDone: true, busySince: busyAfterLoss(write.busySince, now) };
    case 'paused':
      return { ...write, state: 'queued' };
    default:
      return write;
  }
}

export interface Ended {
  readonly outcome: Outcome;
  /** Milliseconds of the epoch. */
  readonly now: number;
  /** From 0 up to, not including, 1. */
  readonly random: number;
}

/** What the write is after its attempt. */
export function after(write: WaitingWrite, { outcome: end, now, random }: Ended): WaitingWrite {
  const outcome = asRefusal(end);
  const verdict = verdictOn(write, outcome, now);
  const url = outcome.request?.url ?? write.url;
  if (verdict.kind === 'done')
    return {
      ...write,
      state: 'done',
      failure: null,
      answer: answerOf(outcome),
      url,
      // What was asked for before is asked again by then, and a little before this is known here.
      endedAt: (outcome.kind === 'answered' ? outcome.endedAt : undefined) ?? now,
      givenId: write.idAt === null ? null : givenIn(outcome.answer, write.idAt),
    };
  const isDoubtful = isMaybeDone(write, outcome, verdict);
  const busySince = busyAfter(write, outcome, verdict, now);
  if (verdict.kind === 'again' && !verdict.isFailure)
    return { ...write, state: 'queued', mayBeDone: isDoubtful, busySince };
  const failure = outcome.kind === 'failed' ? outcome.failure : unexpected(outcome.answer);
  const next = { ...write, failure, mayBeDone: isDoubtful, url };
  if (verdict.kind === 'conflict' || verdict.kind === 'review')
    return { ...next, state: verdict.kind, answer: outcome.answer };
  const failures = write.failures + 1;
  const asked = retryAfter(outcome.answer?.headers ?? [], now);
  return {
    ...next,
    // It has refused nothing for good: thousands may hear the same long page of errors, again and again.
    answer: null,
    state: verdict.kind === 'paused' ? 'paused' : 'queued',
    failures,
    notBefore: now + afterFailure(PERIOD, failures, asked, random),
    floor: asked === null ? 0 : now + asked,
    unclearSince: unclearAfter(write, outcome, verdict.kind === 'again' && verdict.isUnclear, now),
    busySince,
  };
}

/**
 * The same after an attempt that said that version. Where it was refused, and is to change another by now, our own writes have made
 * that meanwhile: it is sent again at once. A conflict has the version that was refused.
 */
export function onTop(write: WaitingWrite, said: string | null): WaitingWrite {
  const { state, matches } = write;
  if (state !== 'conflict' || matches === said) return write;
  if (matches === null) return { ...write, matches: said };
  return { ...write, state: 'queued', failure: null, answer: null };
}

function busyAfter(
  { busySince }: WaitingWrite,
  outcome: Outcome,
  verdict: Verdict,
  now: number,
): number | null {
  if (verdict.kind !== 'again') return busySince;
  if (verdict.isBusy) return sinceThen(busySince, now);
  return mayBeDone(outcome) && !verdict.isUnclear ? busyAfterLoss(busySince, now) : busySince;
}

/** Only an answer that its server can have meant ends the doubt: without a network nothing is learned. */
function unclearAfter(
  { unclearSince }: WaitingWrite,
  outcome: Outcome,
  isUnclear: boolean,
  now: number,
): number | null {
  if (isUnclear) return sinceThen(unclearSince, now);
  return outcome.answer === null ? unclearSince : null;
}

/** A second DELETE that finds nothing has succeeded, and what was said of it is not its answer. */
function answerOf({ kind, answer }: Outcome): Answer | null {
  if (kind === 'answered' || !answer) return answer;
  return { ...answer, body: leftOut(0) };
}

function unexpected({ status }: Answer): WaitingWrite['failure'] {
  return { code: 'protocol', message: `The answer has status ${status}, which does not say that it is done` };
}

/** There are other credentials, which may be refused like those before: it keeps its time. */
export function resumed(write: WaitingWrite): WaitingWrite {
  return write.state === 'paused' ? { ...write, state: 'queued' } : write;
}

/** True where it waits for its turn, a time or credentials. */
export function isToBeSent({ state }: WaitingWrite): boolean {
  return state === 'queued' || state === 'paused';
}

/** Its server does not want it before that time, in milliseconds of the epoch; the same where it waits as long. */
export function putOff(write: WaitingWrite, until: number): WaitingWrite {
  if (until <= write.floor) return write;
  return { ...write, floor: until, notBefore: Math.max(write.notBefore, until) };
}

/** What it was to send could not be read: nothing was sent, and it is tried again at that time, in milliseconds of the epoch. */
export function unsent(write: WaitingWrite, notBefore: number): WaitingWrite {
  return { ...write, state: 'queued', notBefore };
}

/** It needs credentials that nobody provides now: nothing was sent, and it goes as soon as somebody does. Null where that is not so. */
export function unprovided(write: WaitingWrite, outcome: Outcome, isProvided: boolean): WaitingWrite | null {
  if (outcome.kind !== 'failed' || outcome.failure.code !== 'credentials') return null;
  if (!write.needsCredentials || isProvided) return null;
  return { ...write, state: 'paused', failure: outcome.failure };
}

/** The network is back: it goes as soon as its lane lets it, and no earlier than its server wants it to. */
export function woken(write: WaitingWrite): WaitingWrite {
  if (!isToBeSent(write) || (write.state === 'queued' && write.notBefore <= write.floor)) return write;
  return { ...write, state: 'queued', failures: 0, notBefore: write.floor };
}

/** It cannot be sent as it is, for what it names: somebody has to look at it. */
export function setAside(write: WaitingWrite, why: string): WaitingWrite {
  return { ...write, state: 'review', failure: { code: 'outbox', message: why }, answer: null };
}

/** Somebody has asked for it: it goes as soon as its lane lets it. */
export function hurried(write: WaitingWrite): WaitingWrite {
  if (write.state === 'sending') return write;
  return {
    ...write,
    state: 'queued',
    failures: 0,
    notBefore: 0,
    floor: 0,
    unclearSince: null,
    busySince: null,
  };
}
