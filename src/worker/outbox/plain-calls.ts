import { messageOf } from '../../shared/failure.ts';
import type { Failure } from '../../shared/failure.ts';
import { isSafe } from '../../shared/invocation.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { leftOut } from '../../shared/outbox.ts';
import type { Ticket } from '../../shared/outbox.ts';
import { unanswered } from '../../shared/outcome.ts';
import { withKey } from '../contracts/idempotency-key.ts';
import type { OutboxStore, WaitingWrite } from '../contracts/outbox-store.ts';
import type { ReadOutcome } from '../contracts/read-body.ts';
import { givenAmong, unknownName } from '../contracts/temporary-id.ts';
import type { Naming } from '../contracts/temporary-id.ts';
import { renamedInvocation } from '../contracts/temporary-ids.ts';
import type { Clock } from '../platform/system.ts';
import { aborted, Deferred, soon } from '../platform/waiting.ts';
import { saysVersion } from './changed-version.ts';
import type { Drainer } from './drainer.ts';
import { asRefusal, verdictOn } from './verdict.ts';
import type { Arriving } from './versions.ts';
import { newWrite, withVersion } from './write.ts';

/**
 * A call that is not queued, with the ids that servers have given to what queued writes have created; a failure where these cannot
 * be read, and for a write where one has none. `temporaryIds`: all that it names. Never rejects.
 */
export async function namedCall(
  invocation: Invocation,
  temporaryIds: readonly string[],
  store: Pick<OutboxStore, 'names'>,
): Promise<Invocation | Failure> {
  try {
    const known = await store.names(temporaryIds);
    const lacking = isSafe(invocation.method) ? null : lackingAmong(known);
    return lacking ?? renamedInvocation(invocation, givenAmong(known));
  } catch (error) {
    const message = `What its temporary ids stand for cannot be read: ${messageOf(error)}`;
    return { code: 'storage', message };
  }
}

/** Where nothing was ever queued, or all of it is gone. */
export const NO_NAMES: Pick<OutboxStore, 'names'> = {
  names: async (temporaryIds) => new Map(temporaryIds.map((each) => [each, unknownName(each)])),
};

/** Why a write cannot be sent now; null where each thing that it names has an id. */
function lackingAmong(known: ReadonlyMap<string, Naming>): Failure | null {
  for (const [temporaryId, naming] of known) {
    if (naming.kind === 'never') return { code: 'outbox', message: naming.why };
    if (naming.kind === 'awaited')
      return { code: 'outbox', message: `'${temporaryId}' has no id yet: a queued call waits for that` };
  }
  return null;
}

export interface UnqueuedCallsPorts {
  readonly clock: Clock;
  readonly drainer: Pick<Drainer, 'hold' | 'made' | 'rebasedOn'>;
  /** The URL of an invocation; null where it may not be asked. */
  readonly urlOf: (invocation: Invocation) => string | null;
}

/** Above the place of all that waits. */
const FIRST_PLACE = 2 ** 52;

/** The calls that were to be queued, could not be stored, and are sent like any other. */
export class UnqueuedCalls {
  readonly #ports: UnqueuedCallsPorts;
  /** Which versions they change. A full disk forgets stored answers to make room, and with them their versions. */
  readonly #known = new WeakMap<Ticket, Known>();
  /** By URL: resolves when all have ended that are under way, or wait for one that is. */
  readonly #last = new Map<string, Promise<unknown>>();
  #place = FIRST_PLACE;

  constructor(ports: UnqueuedCallsPorts) {
    this.#ports = ports;
  }

  /** This one is to be queued, and that was looked up for it. */
  note(ticket: Ticket, known: Known): void {
    this.#known.set(ticket, known);
  }

  /** The writes that wait in its lane are not sent until the returned function is called. */
  hold(ticket: Ticket): () => void {
    return this.#ports.drainer.hold(ticket.lane, this.#known.get(ticket)?.arriving);
  }

  /**
   * Has it sent under its key, since it may be handed in again, and may be stored though nobody has heard so; and with the version that
   * it changes. That is what the one before it has made, whose end it waits for, and what waits is to change what this one makes. Its
   * timeout counts from here: the wait takes of it, and where that takes all, nothing is sent.
   */
  async send(
    ticket: Ticket,
    invocation: Invocation,
    send: (invocation: Invocation) => Promise<ReadOutcome>,
    signal: AbortSignal,
  ): Promise<ReadOutcome> {
    const { clock, drainer, urlOf } = this.#ports;
    const url = urlOf(invocation) ?? '';
    const place = (this.#place += 1);
    const before = this.#last.get(url);
    const ended = new Deferred();
    const last = Promise.all([before, ended.promise]);
    this.#last.set(url, last);
    try {
      const asked =
        before && saysVersion(invocation) ? await this.#after(before, invocation, signal) : invocation;
      if (!asked) return unanswered(unsent(invocation));
      const write = this.#asWrite(ticket, invocation, place);
      const sent = await send(withVersion(withKey(asked, ticket.key), write.matches));
      const outcome = asked.policy.timeout < invocation.policy.timeout ? heldUp(invocation, sent) : sent;
      const { answer } = outcome;
      if (verdictOn(write, asRefusal(outcome), clock.now()).kind === 'done')
        drainer.made({ ...write, state: 'done', answer: answer && { ...answer, body: leftOut(0) } });
      return outcome;
    } finally {
      ended.resolve();
      if (this.#last.get(url) === last) this.#last.delete(url);
    }
  }

  /** The same call with the time that is left to it once `before` has resolved; null for none. */
  async #after(
    before: Promise<unknown>,
    invocation: Invocation,
    signal: AbortSignal,
  ): Promise<Invocation | null> {
    const { clock } = this.#ports;
    const { policy } = invocation;
    const since = clock.now();
    const turn = Promise.race([before, aborted(signal)]).then(() => true);
    const isItsTurn = await soon(clock, policy.timeout, turn);
    // The clock may have been set back meanwhile.
    const timeout = policy.timeout - Math.max(0, clock.now() - since);
    return isItsTurn && timeout > 0 ? { ...invocation, policy: { ...policy, timeout } } : null;
  }

  /** Its place is behind the calls before it, and behind all that waits: of that, nothing is known to be newer. */
  #asWrite(ticket: Ticket, invocation: Invocation, place: number): WaitingWrite {
    const { clock, drainer } = this.#ports;
    const { matches = null, arriving } = this.#known.get(ticket) ?? {};
    const write = { ...newWrite(ticket, invocation, matches, clock.now()), place };
    return drainer.rebasedOn(write, arriving?.made ?? []);
  }
}

function unsent({ action, policy: { timeout } }: Invocation): Failure {
  const message = `'${action}' was not sent within ${timeout} ms: calls before it to the same URL took that long`;
  return { code: 'timeout', message, timeout };
}

/** A timeout names what has taken some of the time, and says how much the call had. */
function heldUp({ action, policy: { timeout } }: Invocation, outcome: ReadOutcome): ReadOutcome {
  if (outcome.kind === 'answered' || outcome.failure.code !== 'timeout') return outcome;
  const message = `Calls before it to the same URL held up '${action}': ${outcome.failure.message}`;
  return { ...outcome, failure: { code: 'timeout', message, timeout } };
}

interface Known {
  readonly matches: string | null;
  readonly arriving: Arriving;
}
