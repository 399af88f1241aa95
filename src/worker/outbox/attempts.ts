import { retryAfter } from '../../shared/header.ts';
import type { Outcome } from '../../shared/outcome.ts';
import type { WaitingWrite } from '../contracts/outbox-store.ts';
import { afterFailure } from '../scheduling/back-off.ts';
import { verdictOn } from './verdict.ts';

/** The period of which the rule of all waits makes the waits of a write, in milliseconds. */
const PERIOD = 5_000;

/** It is sent now. This is stored first: an attempt that nobody knows of could be taken for the first one. */
export function begun(write: WaitingWrite): WaitingWrite {
  return { ...write, state: 'sending', attempts: write.attempts + 1 };
}

/** A worker has ended, and with it its attempt: its server may have performed it, which the key tells it. */
export function revived(write: WaitingWrite): WaitingWrite {
  return write.state === 'sending' ? { ...write, state: 'queued' } : write;
}

export interface Ended {
  readonly outcome: Outcome;
  /** Milliseconds of the epoch. */
  readonly now: number;
  /** From 0 up to, not including, 1. */
  readonly random: number;
}

/** What the write is after its attempt. */
export function after(write: WaitingWrite, { outcome, now, random }: Ended): WaitingWrite {
  const verdict = verdictOn(write, outcome, now);
  if (verdict.kind === 'done' || outcome.kind === 'answered')
    return { ...write, state: 'done', failure: null, answer: outcome.answer };
  const { failure } = outcome;
  const redirectedSince = failure.code === 'redirected' ? (write.redirectedSince ?? now) : null;
  const next = { ...write, failure, redirectedSince };
  if (verdict.kind !== 'again') return { ...next, state: verdict.kind };
  if (!verdict.isFailure) return { ...next, state: 'queued', failure: write.failure };
  const failures = write.failures + 1;
  const wait = afterFailure(PERIOD, failures, retryAfter(outcome.answer?.headers ?? [], now), random);
  return { ...next, state: 'queued', failures, notBefore: now + wait };
}

/** It goes as soon as its lane lets it: the network is back, somebody has asked for it, or there are other credentials. */
export function hurried(write: WaitingWrite): WaitingWrite {
  const state = write.state === 'sending' ? 'sending' : 'queued';
  return { ...write, state, failures: 0, notBefore: 0 };
}
