import type { CallInspection } from '../../shared/inspection.ts';
import { isIdempotent, isSafe } from '../../shared/invocation.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { messageOf } from '../../shared/failure.ts';
import type { Failure } from '../../shared/failure.ts';
import { LIMITS } from '../../shared/limits.ts';
import { unanswered } from '../../shared/outcome.ts';
import type { Outcome } from '../../shared/outcome.ts';
import type { Delivery } from '../../shared/delivery.ts';
import type { Ticket } from '../../shared/outbox.ts';
import type { Submission } from '../../shared/protocol.ts';
import { inChunks, tellEarly } from '../contracts/engine-request.ts';
import type { ToldEarly } from '../contracts/engine-request.ts';
import { DatabaseLate } from '../platform/database-deadline.ts';
import { Deferred } from '../platform/waiting.ts';
import { parsedAnswered, whole } from '../contracts/read-body.ts';
import type { ReadOutcome } from '../contracts/read-body.ts';
import { mayName } from '../contracts/temporary-ids.ts';
import type { Services } from './services.ts';

/** The calls of one page that are under way. Each is taken once, however often it is submitted. */
export class Calls {
  readonly #page: string;
  readonly #services: Pick<Services, 'engine' | 'settled' | 'hub' | 'outbox'>;
  readonly #underWay = new Map<number, Call>();
  /** Calls whose answers the page may lack, true for safe ones: it asks again if it takes a live worker for dead. */
  readonly #unread = new Map<number, boolean>();
  /** True where the page may have gone for good, and so sends nothing again. */
  #mayBeGone = false;
  /** Replaced by each drain, which waits for it. */
  #emptied = new Deferred();

  constructor(page: string, services: Pick<Services, 'engine' | 'settled' | 'hub' | 'outbox'>) {
    this.#page = page;
    this.#services = services;
  }

  /** Resolves when the outcome is stored, and on its way to the page. */
  async take(submission: Submission, now: number): Promise<void> {
    const { id, invocation } = submission;
    if (this.#underWay.has(id) || this.#unread.has(id)) return;
    if (this.#underWay.size >= LIMITS.calls) {
      this.#tell({ kind: 'settled', id, outcome: tooMany(invocation.action) });
      return;
    }
    const call: Call = {
      submission,
      since: now,
      controller: new AbortController(),
      told: null,
      isEarly: true,
      mayBeStored: false,
      free: () => {},
    };
    this.#underWay.set(id, call);
    await this.#send(call).finally(() => call.free());
  }

  async #send(call: Call): Promise<void> {
    const { id, invocation, interest, ticket } = call.submission;
    if (ticket && (await this.#queue(call, ticket))) return this.#services.outbox.idle();
    const named = mayName(invocation) ? await this.#services.outbox.named(invocation) : invocation;
    if ('code' in named) return this.#refuse(call, named);
    const { signal } = call.controller;
    const send = (asked: Invocation): Promise<ReadOutcome> =>
      this.#services.engine.call({
        invocation: asked,
        page: this.#page,
        interest,
        say: (step) => {
          if (this.#underWay.get(id) === call) this.#tell(step({ id }));
        },
        tellFirst: (answer) => {
          if (this.#underWay.get(id) !== call) return;
          // Its rows would come among those of the answer.
          endEarly(call);
          this.#publish('preliminary', id, answer, null);
        },
        takeEarly: (chunk) => {
          if (!call.isEarly || this.#underWay.get(id) !== call) return;
          call.told = tellEarly(chunk, { id }, (make) => {
            this.#services.hub.publish(this.#page, make, { kind: 'answer', url: null, name: null });
          });
        },
        signal,
      });
    const sending = ticket ? this.#services.outbox.sendUnqueued(ticket, named, send, signal) : send(named);
    const outcome = await sending;
    call.free();
    // The call was dropped, and its page may have submitted it again since.
    if (this.#underWay.get(id) !== call) return;
    this.#remove(id);
    this.#unread.set(id, isSafe(invocation.method));
    // The bytes of its answer are transferred to the page afterwards.
    const ended = this.#endStored(call, outcome);
    this.#publish('settled', id, outcome, call.told, () => this.#unread.delete(id));
    await ended;
    await this.#services.settled();
  }

  /** Resolves with whether it is queued; where it cannot be stored, it is sent like any other call. */
  async #queue(call: Call, ticket: Ticket): Promise<boolean> {
    const { id, invocation } = call.submission;
    const { outbox } = this.#services;
    const write = await outbox.add(ticket, invocation).catch(async (error: unknown) => {
      call.mayBeStored = error instanceof DatabaseLate;
      call.free = outbox.hold(ticket);
      const refusal = await refusalOf(error, () => outbox.mayWait(ticket.lane));
      // Only a call that is sent now holds its lane.
      if (refusal || this.#underWay.get(id) !== call) call.free();
      return refusal;
    });
    // The page may be gone, or its user: then it is queued or nothing.
    if (this.#underWay.get(id) !== call) return true;
    if (!write) {
      this.#tell({ kind: 'unqueued', id });
      return false;
    }
    if ('code' in write) {
      await this.#refuse(call, write);
      return true;
    }
    this.#remove(id);
    if (call.controller.signal.aborted) {
      await outbox.withdraw(write);
      return true;
    }
    this.#unread.set(id, true);
    this.#services.hub.tell(this.#page, { kind: 'queued', id, write }, () => this.#unread.delete(id));
    return true;
  }

  /** Ends a call that cannot be sent. */
  async #refuse(call: Call, failure: Failure): Promise<void> {
    const { id } = call.submission;
    if (this.#underWay.get(id) !== call) return;
    this.#remove(id);
    const outcome = unanswered(failure);
    this.#tell({ kind: 'settled', id, outcome });
    await this.#endStored(call, outcome);
  }

  /** The app hears how its call has ended, so no later life may send what the disk may have of it. */
  async #endStored({ submission, mayBeStored }: Call, outcome: ReadOutcome): Promise<void> {
    const { ticket, invocation } = submission;
    if (!ticket || !mayBeStored) return;
    const { outbox } = this.#services;
    if (outcome.kind === 'failed') await outbox.withdraw(ticket);
    else await outbox.succeeded(ticket, invocation, parsedAnswered(outcome));
  }

  /** The ids of the calls that this worker instance has, under way or answered. */
  get taken(): number[] {
    return [...this.#underWay.keys(), ...this.#unread.keys()];
  }

  /** The page greets, and wants these calls alone. `resync` is true where it has missed deliveries. */
  greet(wanted: readonly number[], resync: boolean): void {
    this.#mayBeGone = false;
    const ids = new Set(wanted);
    this.#drop(({ submission: { id } }) => !ids.has(id));
    // It has let go of all rows, since some may be among what it has missed.
    if (resync) for (const call of this.#underWay.values()) endEarly(call);
    this.#forgetUnread((id) => resync || !ids.has(id));
  }

  /** These answers are lost if the page does not have them: it asks again for what it may. */
  forget(ids: readonly number[]): void {
    for (const id of ids) this.#unread.delete(id);
  }

  /** The page is closed, or put into the back/forward cache: the two look the same. */
  leave(): void {
    this.#mayBeGone = true;
  }

  /** The page is gone, perhaps for good. Its writes go on, and their answers are kept; its reads end. */
  abandon(): void {
    this.leave();
    this.#drop(({ submission: { invocation } }) => isSafe(invocation.method));
    this.#forgetUnread((_id, isRepeatable) => isRepeatable);
  }

  /** Another identity has taken the place of the one that called: no call is answered any more, not even a write. */
  endAll(): void {
    this.#drop(() => true);
    this.#unread.clear();
  }

  get size(): number {
    return this.#underWay.size;
  }

  /** How many answers the page may not have yet. */
  get unread(): number {
    return this.#unread.size;
  }

  abort(ids: readonly number[]): void {
    for (const id of ids) this.#underWay.get(id)?.controller.abort();
  }

  abortAll(): void {
    this.abort([...this.#underWay.keys()]);
  }

  /** Drops what the page may send again to the next worker, and the rest where it is not answered in time. */
  async drain(patience: Promise<void>): Promise<void> {
    const sendsAgain = this.#mayBeGone ? isSafe : isIdempotent;
    this.#drop(({ submission: { invocation, ticket } }) => !ticket && sendsAgain(invocation.method));
    this.#emptied = new Deferred();
    if (this.#underWay.size > 0) await Promise.race([this.#emptied.promise, patience]);
    this.#drop(() => true);
  }

  inspect(): CallInspection[] {
    return [...this.#underWay.values()].map(({ submission: { invocation }, since }) => ({
      action: invocation.action,
      method: invocation.method,
      template: invocation.template,
      since,
    }));
  }

  /** Ends calls without an answer: their page decides what becomes of them. */
  #drop(which: (call: Call) => boolean): void {
    for (const call of [...this.#underWay.values()].filter(which)) {
      // Removed at once, though it may take a while to end: it is not answered, so its page may submit it again.
      this.#remove(call.submission.id);
      call.controller.abort();
    }
  }

  #remove(id: number): void {
    this.#underWay.delete(id);
    if (this.#underWay.size === 0) this.#emptied.resolve();
  }

  #forgetUnread(which: (id: number, isRepeatable: boolean) => boolean): void {
    for (const [id, isRepeatable] of this.#unread) if (which(id, isRepeatable)) this.#unread.delete(id);
  }

  /** An answer replaces the preliminary one that has not left for the page yet; a failure does not. */
  #publish(
    kind: 'preliminary' | 'settled',
    id: number,
    outcome: ReadOutcome,
    told: ToldEarly | null,
    read?: () => void,
  ): void {
    const sent = whole(outcome);
    const last = (): Delivery => ({ kind, id, outcome: sent });
    const name = outcome.kind === 'answered' ? `answer ${id}` : null;
    const about = { kind: 'answer', url: outcome.request?.url ?? null, name } as const;
    this.#services.hub.publish(this.#page, () => inChunks(outcome, sent, { id }, told, last), about, read);
  }

  #tell(delivery: Delivery): void {
    this.#services.hub.tell(this.#page, delivery);
  }
}

/** Null where it is sent like any other call, which would overtake what waits in its lane. */
async function refusalOf(error: unknown, mayLaneWait: () => Promise<boolean>): Promise<Failure | null> {
  const message = messageOf(error);
  if (error instanceof Error && error.name === 'OutboxFull')
    return { code: 'limit', message, limit: 'waitingWrites', value: LIMITS.waitingWrites };
  if (!(await mayLaneWait())) return null;
  return { code: 'storage', message: `It cannot be stored, and others of its lane may wait: ${message}` };
}

function tooMany(action: string): Outcome {
  const most = LIMITS.calls;
  const message = `'${action}' would be one more than ${most} calls under way: wait for some of them first`;
  const failure = { code: 'limit', message, limit: 'calls', value: most } as const;
  return { kind: 'failed', failure, answer: null, request: null };
}

interface Call {
  readonly submission: Submission;
  readonly since: number;
  readonly controller: AbortController;
  /** The rows that its page was told while the answer was read; null where it was told none. */
  told: ToldEarly | null;
  /** True where the page may be told more of it so. */
  isEarly: boolean;
  /** True where it was to be queued, and the disk may have it though it was late to say so. */
  mayBeStored: boolean;
  /** Lets the lane go on that waits for its end. */
  free: () => void;
}

/** The answer is told from its first row on. */
function endEarly(call: Call): void {
  [call.told, call.isEarly] = [null, false];
}
