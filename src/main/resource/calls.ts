import { isSafe } from '../../shared/invocation.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { unanswered } from '../../shared/outcome.ts';
import type { Answered, Outcome } from '../../shared/outcome.ts';
import type { EventInterest } from '../../shared/protocol.ts';
import type { CallView } from '../session/calls.ts';
import { unreadable } from './body.ts';
import type { EncodedBody } from './body.ts';
import type { Reply } from './listening.ts';
import { InTurn, validate } from './validate.ts';
import { Ledger, Seen } from './ledger.ts';
import type { Link } from './link.ts';
import { firstNotice, progressNotice, sentNotice, settledNotice, sizeOf, startedNotice } from './notice.ts';
import type { Call, Notice } from './notice.ts';
import type { Prepared } from './prepare.ts';

/** The invocations of one resource, from the call to the notice of its end. */
export class ResourceCalls {
  readonly ledger: Ledger = new Ledger();
  readonly turns: InTurn = new InTurn();
  readonly seen: Seen = new Seen();
  readonly #notify: (notice: Notice) => void;
  readonly #answered: (reply: Reply) => void;
  readonly #changed: () => void;
  readonly #open = new Map<number, Open>();
  #pendingWrites = 0;

  /** `answered` is called at the end of a call, before `notify`; `changed` when `pendingWrites` has changed. */
  constructor(notify: (notice: Notice) => void, answered: (reply: Reply) => void, changed: () => void) {
    this.#notify = notify;
    this.#answered = answered;
    this.#changed = changed;
  }

  /** How many calls under way have a method that may change something. */
  get pendingWrites(): number {
    return this.#pendingWrites;
  }

  /** Starts a call. Its notices come from the next microtask on. */
  start(
    call: Call,
    prepared: Prepared,
    link: Link,
    interest: EventInterest,
    signal: AbortSignal | undefined,
  ): void {
    const { id } = call;
    const abort = (): void => this.abort(id, signal?.reason);
    this.ledger.open(id);
    const due = performance.now() + call.timeout;
    const forget = (): void => signal?.removeEventListener('abort', abort);
    const open: Open = { call, link, due, forget, sent: null, isTold: false };
    this.#open.set(id, open);
    signal?.addEventListener('abort', abort);
    queueMicrotask(() => {
      if (signal?.aborted) abort();
      if (this.#open.has(id)) this.#notify(startedNotice(call));
    });
    const { encoded, finish } = prepared;
    if (encoded instanceof Promise)
      void this.#sendLater(open, encoded, (body) => this.#send(open, finish(body), interest));
    else this.#send(open, finish(encoded), interest);
    if (isSafe(call.method)) return;
    this.#pendingWrites += 1;
    this.#changed();
  }

  /** Ends a call at once, and tells the worker to end the request. */
  abort(id: number, reason?: unknown): void {
    const open = this.#open.get(id);
    if (!open) return;
    const message = `'${open.call.action}' was aborted`;
    const cause = reason ?? new DOMException(message, 'AbortError');
    this.#end(id, settledNotice(open.call, unanswered({ code: 'aborted', message }), cause));
    open.link.session.abort([id]);
  }

  openIds(action?: string): number[] {
    const open = [...this.#open.values()].map(({ call }) => call);
    return open.filter((call) => action === undefined || call.action === action).map(({ id }) => id);
  }

  async #sendLater(
    open: Open,
    encoded: Promise<EncodedBody>,
    send: (body: EncodedBody) => void,
  ): Promise<void> {
    const { id, action } = open.call;
    const body = await encoded.catch((error: unknown) => unreadable(action, error));
    if (!this.#open.has(id)) return;
    if ('code' in body) this.#settle(id, unanswered(body));
    else send(body);
  }

  #send(open: Open, invocation: Invocation, interest: EventInterest): void {
    const { call, link } = open;
    const { id } = call;
    open.sent = link.session.call(
      { id, invocation, interest },
      {
        sent: (status, headers) => this.#notify(sentNotice(call, status, headers)),
        progress: (progress) => this.#notify(progressNotice(call, progress)),
        preliminary: (answered) => this.#hearFirst(id, answered),
        settled: (outcome) => this.#settle(id, outcome),
      },
    );
  }

  /** A stored answer that the schema of today refuses is not told: the server's follows. */
  #hearFirst(id: number, answered: Answered): void {
    const open = this.#open.get(id);
    if (!open) return;
    const { call, due } = open;
    const received = firstNotice(call, answered);
    const notice = validate(received, call.schema, due - performance.now());
    this.turns.tell(call, notice, (judged) => {
      if (this.#open.has(id) && judged.type === 'success')
        this.#tellFirst(open, this.seen.judge(judged, received.response), sizeOf(answered));
    });
  }

  /** The first answer is the result. */
  #tellFirst(open: Open, notice: Notice, size: number): void {
    open.isTold = true;
    this.ledger.settle(notice, size);
    this.#tell(open, notice);
  }

  /** The call stays open until its answer has been validated against its schema; until then it can be aborted. */
  #settle(id: number, outcome: Outcome): void {
    const open = this.#open.get(id);
    if (!open) return;
    const { call, due } = open;
    const received = settledNotice(call, outcome);
    const notice = validate(received, call.schema, due - performance.now());
    this.turns.tell(call, notice, (judged) =>
      this.#end(id, this.seen.judge(judged, received.response), sizeOf(outcome)),
    );
  }

  #end(id: number, notice: Notice, size = 0): void {
    const open = this.#open.get(id);
    if (!open) return;
    this.#open.delete(id);
    const wrote = !isSafe(open.call.method);
    if (wrote) this.#pendingWrites -= 1;
    open.forget();
    if (!open.isTold) this.ledger.settle(notice, size);
    this.#tell(open, notice);
    if (wrote) this.#changed();
  }

  #tell({ sent }: Open, notice: Notice): void {
    if (sent) this.#answered({ notice, invocation: sent.submission.invocation, isWhole: true, isCall: true });
    this.#notify(notice);
  }
}

/** A call of this resource, from before it is sent until its answer has been validated. */
interface Open {
  readonly call: Call;
  readonly link: Link;
  /** Its deadline, on the clock of `performance.now`. */
  readonly due: number;
  readonly forget: () => void;
  /** The session's record of it; null before it is sent. */
  sent: CallView | null;
  /** True once its preliminary answer was told: that is its result. */
  isTold: boolean;
}
