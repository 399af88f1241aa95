import { isTimedOut } from '../../shared/failure.ts';
import type { Failure } from '../../shared/failure.ts';
import { isSafe } from '../../shared/invocation.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { LONGEST_TIMER } from '../../shared/limits.ts';
import { unanswered } from '../../shared/outcome.ts';
import type { Answered, Outcome } from '../../shared/outcome.ts';
import type { EventInterest } from '../../shared/protocol.ts';
import { after, unlessAborted } from '../deadline.ts';
import type { QueryRecord, Reply } from '../queries/record.ts';
import { unreadable } from './body.ts';
import type { EncodedBody } from './body.ts';
import { InTurn, validate } from './validate.ts';
import { Ledger } from './ledger.ts';
import type { Link } from './link.ts';
import { isLeftOut } from '../../shared/outbox.ts';
import type { Ticket, WriteReport } from '../../shared/outbox.ts';
import { pointed } from '../../shared/part.ts';
import { contentOf, entryOf, outcomeOf } from '../outbox/entry.ts';
import {
  firstNotice,
  progressNotice,
  queuedNotice,
  sentNotice,
  settledNotice,
  sizeOf,
  startedNotice,
} from './notice.ts';
import type { Call, Notice } from './notice.ts';
import type { Prepared } from './prepare.ts';

export interface ResourceCallsPorts {
  readonly notify: (notice: Notice) => void;
  /** True if anybody listens for the start of this action: else no notice of it is made. */
  readonly hearsStart: (action: string) => boolean;
  /** True where the action changes answers of others before it is done. */
  readonly isOptimistic: (action: string) => boolean;
  /** The name of the resource, as writes have it. */
  readonly resource: () => string;
  /** Called at the end of a call, before `notify`. */
  readonly answered: (reply: Reply) => void;
  /** `pendingWrites` has changed. */
  readonly changed: () => void;
}

/** The invocations of one resource, from the call to the notice of its end. */
export class ResourceCalls {
  readonly ledger: Ledger = new Ledger();
  readonly turns: InTurn = new InTurn();
  readonly #ports: ResourceCallsPorts;
  readonly #open = new Map<number, Open>();
  /** Aborts when nothing more is told of what was queued. */
  #following = new AbortController();
  #pendingWrites = 0;

  constructor(ports: ResourceCallsPorts) {
    this.#ports = ports;
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
    ticket?: Ticket,
  ): void {
    const { id } = call;
    const abort = (): void => this.abort(id, signal?.reason);
    this.ledger.open(id);
    const due = performance.now() + call.timeout;
    const over = new AbortController();
    const { era } = link.session.signing.identity;
    const open: Open = { call, link, era, due, over, ticket, asked: null, shown: null, isTold: false };
    this.#open.set(id, open);
    signal?.addEventListener('abort', abort, { signal: over.signal });
    queueMicrotask(() => {
      if (signal?.aborted) abort();
      if (this.#open.has(id) && this.#ports.hearsStart(call.action)) this.#ports.notify(startedNotice(call));
    });
    const { encoded, finish } = prepared;
    if (ticket) link.outbox.expect(ticket.entry);
    const before = ticket && link.outbox.lanes.before(ticket.lane);
    if (before || encoded instanceof Promise) {
      const send = (body: EncodedBody): void => this.#send(open, finish(body), interest);
      const handedIn = this.#sendLater(open, Promise.resolve(encoded), before, send);
      if (ticket) void link.outbox.lanes.hold(ticket.lane, handedIn);
    } else this.#send(open, finish(encoded), interest);
    if (isSafe(call.method)) return;
    this.#pendingWrites += 1;
    this.#ports.changed();
  }

  /** Ends a call at once, and tells the worker to end the request. */
  abort(id: number, reason?: unknown): void {
    const open = this.#open.get(id);
    if (!open) return;
    const message = `'${open.call.action}' was aborted`;
    const cause = reason ?? new DOMException(message, 'AbortError');
    this.#end(id, settledNotice(open.call, unanswered({ code: 'aborted', message }), cause));
    const { link, ticket } = open;
    link.session.abort([id]);
    // A worker that has died since may have queued it.
    if (ticket) link.outbox.giveUp(ticket.entry);
  }

  /** Fails the calls of these eras, those too whose answers are still validated. */
  failOf(isEnded: (era: number) => boolean, failure: Failure): void {
    for (const [id, { call }] of [...this.#open].filter(([, { era }]) => isEnded(era)))
      this.#end(id, settledNotice(call, unanswered(failure)));
  }

  /** Tells nothing more of what was queued so far. */
  silence(): void {
    this.#following.abort();
    this.#following = new AbortController();
  }

  openIds(action?: string): number[] {
    const open = [...this.#open.values()].map(({ call }) => call);
    return open.filter((call) => action === undefined || call.action === action).map(({ id }) => id);
  }

  /** Resolves once it is handed in, or has ended before that, and so have those before it. */
  async #sendLater(
    open: Open,
    encoded: Promise<EncodedBody>,
    before: Promise<void> | undefined,
    send: (body: EncodedBody) => void,
  ): Promise<void> {
    const { call, ticket, over } = open;
    const stop = after(Math.min(call.timeout, LONGEST_TIMER), () => this.#expire(open));
    over.signal.addEventListener('abort', stop);
    const read = async (): Promise<EncodedBody | Failure> => {
      const body = await encoded.catch((error: unknown) => unreadable(call.action, error));
      await before;
      return body;
    };
    const body = await unlessAborted(over.signal, read());
    if (!body || over.signal.aborted) return before;
    // From here on, a write that waits has all the time in the world.
    if (ticket) stop();
    if ('code' in body) this.#settle(call.id, unanswered(body));
    else send(body);
  }

  /** The time of a call is over that could not be sent when it was called. */
  #expire({ call, link, asked }: Open): void {
    const { id, action, timeout } = call;
    const message = `'${action}' was not ${asked ? 'answered' : 'sent'} within ${timeout} ms`;
    this.#end(id, settledNotice(call, unanswered({ code: 'timeout', message, timeout })));
    if (asked) link.session.abort([id]);
  }

  #send(open: Open, invocation: Invocation, interest: EventInterest): void {
    const { call, link } = open;
    const { id } = call;
    const record = link.records.of(invocation);
    open.asked = { invocation, record, end: record.begin() };
    link.session.call(
      { id, invocation, interest, ...(open.ticket && { ticket: open.ticket }) },
      {
        sent: (status, headers) => this.#ports.notify(sentNotice(call, status, headers)),
        progress: (progress) => this.#ports.notify(progressNotice(call, progress)),
        preliminary: (answered) => this.#hearFirst(id, answered),
        settled: (outcome) => this.#settle(id, outcome),
        queued: (write) => this.#queue(id, write),
        unqueued: () => link.pending.sent(open.shown ?? ''),
      },
      open.era,
    );
    if (this.#ports.isOptimistic(call.action)) this.#show(open, invocation);
  }

  /** What it changes is shown at once. */
  #show(open: Open, { params, headers, body }: Invocation): void {
    const { call, link, ticket } = open;
    open.shown = ticket?.entry ?? `call-${call.id}`;
    const temporaryId = ticket?.creates?.temporaryId ?? null;
    const write = { action: call.action, ...contentOf({ params, headers, body }), temporaryId, entry: null };
    link.pending.begin(open.shown, this.#ports.resource(), write, ticket === undefined);
  }

  /** A stored answer that the schema of today refuses is not told: the server's follows. */
  #hearFirst(id: number, answered: Answered): void {
    const open = this.#open.get(id);
    if (!open) return;
    const { call, due } = open;
    const received = firstNotice(call, answered);
    const notice = validate(received, call.schema, due - performance.now());
    this.turns.tell(call, notice, (validated) => {
      if (!this.#open.has(id) || validated.type !== 'success') return;
      this.#tell(open, validated, received.response, sizeOf(answered));
    });
  }

  /** It waits on the disk: that is the result of the call. Its end is told when the outbox has heard of it. */
  #queue(id: number, write: WriteReport): void {
    const open = this.#open.get(id);
    if (!open) return;
    const { call, link } = open;
    const { signal } = this.#following;
    const notice = queuedNotice(call, entryOf(write));
    this.#close(open);
    this.ledger.settle(notice, 0);
    this.#ports.notify(notice);
    this.#ports.changed();
    link.outbox.follow(write.entry, (end) => this.#hearEnd(call, end, signal), signal);
    // It was queued by a worker before, and may have ended meanwhile.
    link.outbox.write(write);
  }

  #hearEnd(call: Call, write: WriteReport, signal: AbortSignal): void {
    const received = settledNotice(call, outcomeOf(call, write));
    const { answer } = write;
    // The write is done. Where its answer is not known any more, there is nothing to validate.
    const notice = validate(received, answer && !isLeftOut(answer) ? call.schema : null, call.timeout);
    this.turns.tell(call, notice, (validated) => {
      if (!signal.aborted) this.#ports.notify(validated);
    });
  }

  /** The call stays open until its answer has been validated against its schema; until then it can be aborted. */
  #settle(id: number, outcome: Outcome): void {
    const open = this.#open.get(id);
    if (!open) return;
    const { call, due } = open;
    // An abort is no error of its query.
    if (call.isHeld && outcome.kind === 'failed' && isTimedOut(outcome.failure)) return this.abort(id);
    const received = settledNotice(call, outcome);
    const notice = validate(received, call.schema, due - performance.now());
    this.turns.tell(call, notice, (validated) =>
      this.#end(id, validated, received.response, sizeOf(outcome)),
    );
  }

  #end(id: number, validated: Notice, received: unknown = null, size = 0): void {
    const open = this.#open.get(id);
    if (!open) return;
    this.#close(open);
    if (open.ticket) open.link.outbox.forget(open.ticket.entry);
    // What its schema refuses is done all the same.
    const isDone = validated.type === 'success' || validated.error?.code === 'schema';
    if (open.shown !== null) this.#endShown(open, open.shown, isDone ? validated : null, received);
    this.#tell(open, validated, received, size);
    if (!isSafe(open.call.method)) this.#ports.changed();
  }

  /** `done` is null where it has come to nothing. */
  #endShown({ link, ticket }: Open, shown: string, done: Notice | null, received: unknown): void {
    const { temporaryId, at } = ticket?.creates ?? {};
    const id = done && at !== undefined ? pointed(received, at) : undefined;
    if (temporaryId !== undefined && (typeof id === 'string' || typeof id === 'number'))
      link.pending.name(temporaryId, id);
    link.pending.end(shown, done && (done.endedAt ?? Date.now()));
  }

  #close({ call, over, asked }: Open): void {
    this.#open.delete(call.id);
    if (!isSafe(call.method)) this.#pendingWrites -= 1;
    over.abort();
    asked?.end();
  }

  /** The first answer that is told of a call is its result. */
  #tell(open: Open, validated: Notice, received: unknown, size: number): void {
    const reply = replyOf(open, validated, received, size);
    const notice = reply?.notice ?? validated;
    if (!open.isTold) this.ledger.settle(notice, size);
    open.isTold = true;
    if (reply) this.#ports.answered(reply);
    this.#ports.notify(notice);
  }
}

/** A call of this resource, from before it is sent until its answer has been validated. */
interface Open {
  readonly call: Call;
  readonly link: Link;
  readonly era: number;
  /** Its deadline, on the clock of `performance.now`. */
  readonly due: number;
  /** Aborts when it has ended. */
  readonly over: AbortController;
  /** Where it is to be queued. */
  readonly ticket: Ticket | undefined;
  /** What is asked, and how its query hears that this has ended; null before it is sent. */
  asked: { readonly invocation: Invocation; readonly record: QueryRecord; readonly end: () => void } | null;
  /** Names it among the pending writes, where what it changes is shown. */
  shown: string | null;
  /** True once its preliminary answer was told: that is its result. */
  isTold: boolean;
}

/** What the call's query makes of an answer or of its end; null where it was never sent. */
function replyOf({ asked: sent, call }: Open, notice: Notice, received: unknown, size: number): Reply | null {
  if (!sent) return null;
  const { invocation, record } = sent;
  const { asked, declared } = call;
  return record.take({ notice, received, size, invocation, asked, declared, isWhole: true, isCall: true });
}
