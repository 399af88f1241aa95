import type { Failure } from '../../shared/failure.ts';
import type { Header } from '../../shared/header.ts';
import { isGone, isIdempotent, isSafe } from '../../shared/invocation.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { answeredNow, unanswered } from '../../shared/outcome.ts';
import type { Answered, Outcome } from '../../shared/outcome.ts';
import type { Progress } from '../../shared/delivery.ts';
import type { WriteReport } from '../../shared/outbox.ts';
import { templateNames } from '../../shared/template.ts';
import type { Submission } from '../../shared/protocol.ts';
import type { Rows } from './answers.ts';

export interface CallListener {
  sent(status: number, headers: readonly Header[]): void;
  progress(progress: Progress): void;
  /** A stored answer, at most once; `settled` follows when the server has answered. */
  preliminary(answered: Answered): void;
  settled(outcome: Outcome): void;
  /** It lies on the worker's disk, and is answered by the outbox: nothing follows here. */
  queued?(write: WriteReport): void;
  /** It cannot be queued, and is sent like any other call. */
  unqueued?(): void;
}

export interface CallView {
  readonly submission: Submission;
}

export interface Call extends CallView {
  readonly listener: CallListener;
  readonly era: number;
  /** Names the resource that it writes to; null for a read, and for a write that the outbox sends in its own order. */
  target: string | null;
  /** Its deadline, in milliseconds of the epoch. */
  readonly due: number;
  readonly stop: () => void;
  state: 'unsent' | 'sent' | 'again' | 'resent';
  /** True where it is answered by an engine that the page has left. */
  stays: boolean;
  /** True once it must not be sent again: a newer write to the same resource may be done, or is with a worker. */
  isOutdone: boolean;
  /** True where it is sent again and may have been done before. */
  isLost: boolean;
  /** True once its preliminary answer was told. */
  isTold: boolean;
  /** False where it is to be queued: its ticket lets it be handed to any number of workers. */
  isPlain: boolean;
  /** The rows received so far of its answer. */
  readonly rows: Rows;
  /** Ends the wait before it may be sent again; null where it does not wait. */
  hold: (() => void) | null;
}

/** True where an earlier worker instance had it. */
export function isAgain({ state }: Call): boolean {
  return state === 'again' || state === 'resent';
}

export function isUnsent({ state }: Call): boolean {
  return state === 'unsent' || state === 'again';
}

/** A write after its deadline would take effect unknown to the page; after a newer write, it would undo that. */
export function isTooLate({ target, due, isOutdone }: Call): boolean {
  return target !== null && (isOutdone || Date.now() >= due);
}

export function isRepeatable(call: Call): boolean {
  return (!call.isPlain || mayResend(call.submission.invocation)) && !isTooLate(call);
}

export function timeoutOf({ invocation }: Submission): Failure {
  const { timeout } = invocation.policy;
  const message = `'${invocation.action}' was not answered within ${timeout} ms`;
  return { code: 'timeout', message, timeout };
}

/**
 * Names the resource that a write goes to; null for reads. The page expands no templates, so it compares their parts.
 * While an earlier write to the same resource is being sent again, later ones wait: it must not arrive after them.
 */
export function targetOf({ method, baseUrl, template, params }: Invocation): string | null {
  if (isSafe(method)) return null;
  const values = new Map(params);
  return JSON.stringify([baseUrl, template, templateNames(template).map((name) => values.get(name))]);
}

/** True where an invocation that a dead worker may have sent can be sent again without a second effect. */
export function mayResend(invocation: Invocation): boolean {
  return isIdempotent(invocation.method);
}

/** The outcome of a call that died with its worker and cannot be sent again. */
export function workerLost({ action, method }: Invocation): Outcome {
  const message = `The worker knows no more of '${action}': the ${method} may have been applied; ask the server`;
  return unanswered({ code: 'worker-lost', message });
}

/** The outcome of a call that was sent twice: a second DELETE that finds nothing has succeeded. */
export function amendResent(invocation: Invocation, outcome: Outcome): Outcome {
  if (outcome.kind !== 'failed') return outcome;
  const { answer, request } = outcome;
  if (!answer || !request || !isGone(invocation.method, answer.status)) return outcome;
  const body = { kind: 'value', value: null } as const;
  return answeredNow({ ...answer, body }, request);
}
