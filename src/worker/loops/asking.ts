import type { Invocation } from '../../shared/invocation.ts';
import { isSameRevision } from '../../shared/outcome.ts';
import type { Revision } from '../../shared/outcome.ts';
import type { StepDelivery, Addition, TickReading, TickRequest } from '../contracts/engine-request.ts';
import { NO_ADDITION } from '../contracts/engine-request.ts';
import type { ReadOutcome } from '../contracts/read-body.ts';
import type { Subscriber } from '../contracts/audience.ts';
import type { Subscribers } from '../states/state-audience.ts';
import type { Publisher } from '../states/publisher.ts';

export interface AskingPorts {
  readonly invoke: (request: TickRequest) => Promise<ReadOutcome>;
  /** From now on nothing is compared with this revision. */
  readonly forget: (volatileRevision: Revision) => void;
  readonly publisher: Publisher;
  readonly subscribers: Subscribers;
  /** True where the server holds the loop's requests. */
  readonly isHeld: boolean;
  /** How the answers to the loop's own requests are read. */
  readonly reading: TickReading['kind'];
  /** True where an answer is told before it is stored: not where the loop's stored cursor follows from it. */
  readonly writeBehind: boolean;
}

/** How a catch-up is read: it brings the state that the loop's own answers continue. */
const PARSED: TickReading = { kind: 'parsed' };

/** The requests of one loop. The pages that a request is made for hear of its steps. */
export class Asking {
  readonly #ports: AskingPorts;
  /** Names the last answer to the loop's own requests while that answer is not stored. */
  #volatileRevision: Revision | null = null;
  #ended = false;

  constructor(ports: AskingPorts) {
    this.#ports = ports;
  }

  /** `isOwn` is true for the loop's own request, false for a catch-up. */
  async forAll(
    signal: AbortSignal,
    invocation: Invocation,
    addition: Addition,
    isOwn: boolean,
  ): Promise<ReadOutcome> {
    const { invoke, publisher, subscribers, isHeld, writeBehind } = this.#ports;
    const say = (step: StepDelivery): void => {
      for (const subscriber of subscribers) publisher.step(subscriber, step);
    };
    const { interest } = subscribers;
    const held = isOwn && isHeld;
    const reading = isOwn ? this.#reading : PARSED;
    const takeEarly = isOwn && !isHeld && reading.kind === 'revised' ? publisher.early(subscribers) : null;
    const how = { interest, say, takeEarly, signal, held, reading, writeBehind };
    const outcome = await invoke({ invocation, addition, ...how });
    if (isOwn) this.#note(outcome);
    return outcome;
  }

  /** Sends a catch-up for one page. */
  forOne(subscriber: Subscriber, invocation: Invocation, signal: AbortSignal): Promise<ReadOutcome> {
    const { invoke, publisher } = this.#ports;
    const { interest } = subscriber;
    const say = (step: StepDelivery): void => publisher.step(subscriber, step);
    const plain = { addition: NO_ADDITION, held: false, reading: PARSED, writeBehind: true, takeEarly: null };
    return invoke({ invocation, interest, say, signal, ...plain });
  }

  /** The loop has ended: an answer that is not stored is kept no longer. */
  end(): void {
    this.#ended = true;
    if (this.#volatileRevision) this.#ports.forget(this.#volatileRevision);
    this.#volatileRevision = null;
  }

  get #reading(): TickReading {
    return this.#ports.reading === 'parsed'
      ? PARSED
      : { kind: 'revised', volatileRevision: this.#volatileRevision };
  }

  #note(outcome: ReadOutcome): void {
    // A failure or a 204 brings nothing, so the next answer is compared with the one before.
    if (outcome.kind === 'failed' || outcome.answer.status === 204) return;
    const { body } = outcome.answer;
    const next = body.kind === 'json' ? (body.volatileRevision ?? null) : null;
    if (this.#volatileRevision && !(next && isSameRevision(next, this.#volatileRevision)))
      this.#ports.forget(this.#volatileRevision);
    this.#volatileRevision = next;
    if (this.#ended) this.end();
  }
}
