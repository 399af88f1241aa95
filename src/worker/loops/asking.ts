import type { Invocation } from '../../shared/invocation.ts';
import type { Tell } from '../../shared/protocol.ts';
import { NO_ADDITION } from '../addition.ts';
import type { Addition } from '../addition.ts';
import type { ReadOutcome, Reading } from '../read-body.ts';
import type { Step } from './step.ts';
import type { Subscriber, Subscribers } from './subscribers.ts';
import type { Telling } from './telling.ts';

/** One request of a loop. */
export interface LoopRequest {
  readonly invocation: Invocation;
  readonly addition: Addition;
  readonly tell: Tell;
  readonly say: (step: Step) => void;
  readonly signal: AbortSignal;
  /** Whether the server is to hold it. */
  readonly held: boolean;
  readonly reading: Reading;
}

export interface AskingPorts {
  readonly invoke: (request: LoopRequest) => Promise<ReadOutcome>;
  readonly telling: Telling;
  readonly subscribers: Subscribers;
  /** Whether the server holds the loop's requests. */
  readonly isHeld: boolean;
  /** How the answers to the loop's own requests are wanted. */
  readonly reading: Reading;
}

/** The requests of one loop: whoever one is made for, and listens, hears of the steps on its way. */
export class Asking {
  readonly #ports: AskingPorts;

  constructor(ports: AskingPorts) {
    this.#ports = ports;
  }

  forAll(
    signal: AbortSignal,
    invocation: Invocation,
    addition: Addition,
    isOwn: boolean,
  ): Promise<ReadOutcome> {
    const { invoke, telling, subscribers } = this.#ports;
    const say = (step: Step): void => {
      for (const subscriber of subscribers) telling.step(subscriber, step);
    };
    const held = isOwn && this.#ports.isHeld;
    const reading = isOwn ? this.#ports.reading : 'parsed';
    return invoke({ invocation, addition, tell: subscribers.tell, say, signal, held, reading });
  }

  forOne(subscriber: Subscriber, invocation: Invocation, signal: AbortSignal): Promise<ReadOutcome> {
    const { invoke, telling } = this.#ports;
    const say = (step: Step): void => telling.step(subscriber, step);
    const { tell } = subscriber;
    return invoke({ invocation, addition: NO_ADDITION, tell, say, signal, held: false, reading: 'parsed' });
  }
}
