import type { Invocation } from '../../shared/invocation.ts';
import { isSameRevision } from '../../shared/outcome.ts';
import type { Revision } from '../../shared/outcome.ts';
import type { StepDelivery, Addition, TickReading, TickRequest } from '../contracts/engine-request.ts';
import { NO_ADDITION } from '../contracts/engine-request.ts';
import type { ReadOutcome } from '../contracts/read-body.ts';
import type { Subscriber } from '../contracts/audience.ts';
import type { Subscribers } from '../states/subscribers.ts';
import type { Publisher } from '../states/publisher.ts';

export interface AskingPorts {
  readonly invoke: (request: TickRequest) => Promise<ReadOutcome>;
  /** From now on nothing is compared with this revision. */
  readonly forget: (volatileRevision: Revision) => void;
  readonly publisher: Publisher;
  readonly subscribers: Subscribers;
  /** Whether the server holds the loop's requests. */
  readonly isHeld: boolean;
  /** How the answers to the loop's own requests are wanted. */
  readonly reading: TickReading['kind'];
  /** Whether they are told before they are stored: not if the loop's cursor, which is stored, goes by them. */
  readonly writeBehind: boolean;
}

/** How a request to catch up is read: it brings the state that the loop's own answers follow. */
const PARSED: TickReading = { kind: 'parsed' };

/** The requests of one loop: the pages that a request is made for hear of the steps on its way. */
export class Asking {
  readonly #ports: AskingPorts;
  /** Of the last answer to the loop's own requests, as long as that is not stored. */
  #volatileRevision: Revision | null = null;
  #ended = false;

  constructor(ports: AskingPorts) {
    this.#ports = ports;
  }

  /** `isOwn` if it is the loop's own request, not one to catch up. */
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
    const outcome = await invoke({ invocation, addition, interest, say, signal, held, reading, writeBehind });
    if (isOwn) this.#note(outcome);
    return outcome;
  }

  /** Has one page catch up. */
  forOne(subscriber: Subscriber, invocation: Invocation, signal: AbortSignal): Promise<ReadOutcome> {
    const { invoke, publisher } = this.#ports;
    const { interest } = subscriber;
    const say = (step: StepDelivery): void => publisher.step(subscriber, step);
    const plain = { addition: NO_ADDITION, held: false, reading: PARSED, writeBehind: true };
    return invoke({ invocation, interest, say, signal, ...plain });
  }

  /** The loop has ended: what was not to be stored is kept no longer than that. */
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
    // A request that was held in vain leaves the answer before it the one that is compared.
    if (outcome.kind === 'failed' || outcome.answer.status === 204) return;
    const { body } = outcome.answer;
    const next = body.kind === 'json' ? (body.volatileRevision ?? null) : null;
    if (this.#volatileRevision && !(next && isSameRevision(next, this.#volatileRevision)))
      this.#ports.forget(this.#volatileRevision);
    this.#volatileRevision = next;
    if (this.#ended) this.end();
  }
}
