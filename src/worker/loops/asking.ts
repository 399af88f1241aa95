import type { Invocation } from '../../shared/invocation.ts';
import { isSameRevision } from '../../shared/outcome.ts';
import type { Revision } from '../../shared/outcome.ts';
import type { EventInterest } from '../../shared/protocol.ts';
import { NO_ADDITION } from '../contracts/addition.ts';
import type { Addition } from '../contracts/addition.ts';
import type { ReadOutcome, Reading } from '../contracts/read-body.ts';
import type { StepDelivery } from '../contracts/deliveries.ts';
import type { Subscriber, Subscribers } from '../states/subscribers.ts';
import type { Publisher } from '../states/publisher.ts';

/** One request of a loop. */
export interface LoopRequest {
  readonly invocation: Invocation;
  readonly addition: Addition;
  readonly interest: EventInterest;
  readonly say: (step: StepDelivery) => void;
  readonly signal: AbortSignal;
  /** Whether the server is to hold it. */
  readonly held: boolean;
  readonly reading: Reading;
  /** Of the answer before, where that was not stored. */
  readonly volatileRevision: Revision | null;
  /** Whether its answer is told before it is stored. */
  readonly writeBehind: boolean;
}

export interface AskingPorts {
  readonly invoke: (request: LoopRequest) => Promise<ReadOutcome>;
  /** Nothing is compared with what has this mark any more. */
  readonly forget: (mark: Revision) => void;
  readonly publisher: Publisher;
  readonly subscribers: Subscribers;
  /** Whether the server holds the loop's requests. */
  readonly isHeld: boolean;
  /** How the answers to the loop's own requests are wanted. */
  readonly reading: Reading;
  /** Whether the answers to them are told before they are stored: not where the loop's place, which is stored, goes by them. */
  readonly writeBehind: boolean;
}

/** The requests of one loop: whoever one is made for, and listens, hears of the steps on its way. */
export class Asking {
  readonly #ports: AskingPorts;
  /** Of the last answer to the loop's own requests, as long as that is not stored. */
  #volatileRevision: Revision | null = null;
  #ended = false;

  constructor(ports: AskingPorts) {
    this.#ports = ports;
  }

  async forAll(
    signal: AbortSignal,
    invocation: Invocation,
    addition: Addition,
    isOwn: boolean,
  ): Promise<ReadOutcome> {
    const { invoke, publisher, subscribers } = this.#ports;
    const say = (step: StepDelivery): void => {
      for (const subscriber of subscribers) publisher.step(subscriber, step);
    };
    const held = isOwn && this.#ports.isHeld;
    const reading = isOwn ? this.#ports.reading : 'parsed';
    const volatileRevision = isOwn ? this.#volatileRevision : null;
    const { writeBehind } = this.#ports;
    const request = {
      invocation,
      addition,
      interest: subscribers.interest,
      say,
      signal,
      held,
      reading,
      volatileRevision,
      writeBehind,
    };
    const outcome = await invoke(request);
    if (isOwn) this.#note(outcome);
    return outcome;
  }

  forOne(subscriber: Subscriber, invocation: Invocation, signal: AbortSignal): Promise<ReadOutcome> {
    const { invoke, publisher } = this.#ports;
    const say = (step: StepDelivery): void => publisher.step(subscriber, step);
    const { interest } = subscriber;
    const own = {
      addition: NO_ADDITION,
      held: false,
      reading: 'parsed',
      volatileRevision: null,
      writeBehind: true,
    } as const;
    return invoke({ invocation, interest, say, signal, ...own });
  }

  /** The loop has ended: what was not to be stored is kept no longer than that. */
  end(): void {
    this.#ended = true;
    if (this.#volatileRevision) this.#ports.forget(this.#volatileRevision);
    this.#volatileRevision = null;
  }

  #note(outcome: ReadOutcome): void {
    // A request that was held in vain leaves the answer before it the one that is compared.
    if (outcome.kind === 'failed' || outcome.answer.status === 204) return;
    const { body } = outcome.answer;
    const mark = body.kind === 'json' ? (body.volatileRevision ?? null) : null;
    if (this.#volatileRevision && !(mark && isSameRevision(mark, this.#volatileRevision)))
      this.#ports.forget(this.#volatileRevision);
    this.#volatileRevision = mark;
    if (this.#ended) this.end();
  }
}
