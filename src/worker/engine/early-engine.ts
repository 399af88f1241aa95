import type { EarlyAnswer, EarlyEngine, EarlyRequest, EarlyResult, EarlyWatch } from '../../shared/early.ts';
import type { Header } from '../../shared/header.ts';
import { isSafe } from '../../shared/invocation.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { LIMITS } from '../../shared/limits.ts';
import { answeredNow, mayBeDone } from '../../shared/outcome.ts';
import type { Answered, Outcome } from '../../shared/outcome.ts';
import { unreachable } from '../../shared/unreachable.ts';
import type { ReadBody } from '../contracts/read-body.ts';
import { parsed } from '../contracts/read-body.ts';
import type { Suspect } from '../contracts/portal.ts';
import type { Exchange, Exchanged, WriteTurn } from '../exchange/exchange.ts';
import { failed, portal } from './failures.ts';

export interface EarlyEnginePorts {
  readonly locate: (
    invocation: Invocation,
  ) =>
    | { readonly kind: 'located'; readonly url: string }
    | { readonly kind: 'refused'; readonly failure: Parameters<typeof failed>[0] };
  readonly exchange: Pick<Exchange, 'limit' | 'send'>;
  /** Milliseconds of the epoch. */
  readonly now: () => number;
  /** True if the answer is a captive portal's. */
  readonly looksLikePortal: (suspect: Suspect) => boolean;
}

/** A write that is sent once: the next engine repeats it, if it may be repeated. */
const ONCE: WriteTurn = { isOutdone: false, isNewest: true, mayBeRepeated: async () => false };

/**
 * Sends the first requests of a page that has no worker yet, by the rules of the engine: the same URLs are refused, the
 * same headers sent, the same answers told. It stores nothing and repeats nothing: both are for the next engine.
 */
export class EarlyRequests implements EarlyEngine {
  readonly #ports: EarlyEnginePorts;

  constructor(ports: EarlyEnginePorts) {
    this.#ports = ports;
  }

  originOf(invocation: Invocation): string | null {
    const located = this.#ports.locate(invocation);
    return located.kind === 'refused' ? null : new URL(located.url).origin;
  }

  send(invocation: Invocation, watch: EarlyWatch): EarlyRequest {
    const caller = new AbortController();
    return { result: this.#send(invocation, watch, caller), abort: () => caller.abort() };
  }

  async #send(invocation: Invocation, watch: EarlyWatch, caller: AbortController): Promise<EarlyResult> {
    const { locate, exchange, now } = this.#ports;
    const askedAt = now();
    const located = locate(invocation);
    if (located.kind === 'refused') return ended(failed(located.failure, null), null);
    const { url } = located;
    const limit = exchange.limit(invocation, url, caller.signal);
    const write = isSafe(invocation.method) ? null : ONCE;
    const order = { invocation, url, validators: null, storedTag: null, owner: 'page', write } as const;
    let wait: number | null = null;
    const waiting = (milliseconds: number): void => {
      wait = milliseconds;
      caller.abort();
    };
    const exchanged = await exchange.send({ ...order, reading: 'parsed' }, { ...watch, waiting }, limit);
    limit.lift();
    const dates = { asOf: askedAt, ...(write && { endedAt: now() }) };
    if (wait === null) return this.#conclude(invocation, exchanged, dates);
    const isLost = exchanged.kind === 'failed' && exchanged.lost === true;
    return { kind: 'left', wait, early: isLost ? writeOf(invocation, [], false) : null };
  }

  #conclude(
    invocation: Invocation,
    exchanged: Exchanged,
    dates: Pick<Answered, 'asOf' | 'endedAt'>,
  ): EarlyResult {
    switch (exchanged.kind) {
      case 'failed': {
        const { arrived: _arrived, ...outcome } = exchanged;
        return ended(outcome, earlyOf(invocation, outcome, exchanged));
      }
      case 'answered': {
        const outcome = this.#isPortals(exchanged)
          ? failed(portal({ ...exchanged, sent: invocation.headers }), exchanged.request)
          : { ...parsed(answered(exchanged)), ...dates };
        return ended(outcome, earlyOf(invocation, outcome, exchanged));
      }
      // It was asked for without validators of ours: the page has set a condition itself.
      case 'not-modified':
        return ended(unconfirmed(exchanged), null);
      default:
        return unreachable(exchanged);
    }
  }

  #isPortals({ answer, bytes, request }: AnsweredExchange): boolean {
    const { headers } = answer;
    const suspect = { asked: request.headers, before: null, headers, size: bytes.byteLength };
    return this.#ports.looksLikePortal(suspect);
  }
}

type AnsweredExchange = Extract<Exchanged, { readonly kind: 'answered' }>;

function ended(outcome: Outcome, early: EarlyAnswer | null): EarlyResult {
  return { kind: 'ended', outcome, early };
}

function answered({ answer, request }: Pick<AnsweredExchange, 'answer' | 'request'>): Outcome<ReadBody> {
  // With a 304, the page has set a condition itself, and has what that names.
  return answeredNow(answer, request, { changed: answer.status !== 304, revision: null });
}

function unconfirmed({ headers, request }: Extract<Exchanged, { kind: 'not-modified' }>): Outcome {
  const message = `${request.method} ${request.url} was answered with status 304`;
  const failure = { code: 'http', message, status: 304, body: null } as const;
  const answer = { status: 304, headers, body: { kind: 'value', value: null } } as const;
  return { kind: 'failed', failure, answer, request };
}

/** The outcome of an early write as far as it matters to what is stored. */
export function outcomeOf({
  headers,
  isDone,
}: Extract<EarlyAnswer, { readonly kind: 'write' }>): Outcome<ReadBody> {
  const answer = { status: 200, headers, body: { kind: 'value', value: null } } as const;
  const request = { method: '', url: '', headers: [] };
  if (isDone) return answered({ answer, request });
  return { kind: 'failed', failure: { code: 'network', message: '' }, answer, request, lost: true };
}

/** Its body may be large, and says nothing of what is stored. */
function writeOf(invocation: Invocation, headers: readonly Header[], isDone: boolean): EarlyAnswer {
  return { kind: 'write', invocation: { ...invocation, body: { kind: 'none' } }, headers, isDone };
}

/** What the next engine has to know of it: an answer that it may store, or a write that may be done. */
function earlyOf(invocation: Invocation, outcome: Outcome, exchanged: Exchanged): EarlyAnswer | null {
  if (!isSafe(invocation.method)) {
    if (!mayBeDone(outcome)) return null;
    return writeOf(invocation, outcome.answer?.headers ?? [], outcome.kind === 'answered');
  }
  if (invocation.method !== 'GET' || outcome.kind !== 'answered' || exchanged.kind !== 'answered')
    return null;
  const { receivedAt, delay, finalUrl, sender, answer } = exchanged;
  const { status, headers, body } = answer;
  if (exchanged.bytes.byteLength > LIMITS.earlyBytes) return null;
  // Bytes that are told belong to the page, which may transfer or change them.
  const bytes = body.kind === 'bytes' ? exchanged.bytes.slice(0) : exchanged.bytes;
  return { kind: 'read', invocation, status, headers, bytes, receivedAt, delay, finalUrl, sender };
}
