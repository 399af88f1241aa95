import type { Invocation } from '../../shared/invocation.ts';
import { isSameRevision } from '../../shared/outcome.ts';
import type { Revision } from '../../shared/outcome.ts';
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
  /** Of the answer before, where that was not stored. */
  readonly mark: Revision | null;
  /** Whether its answer is told before it is stored. */
  readonly ahead: boolean;
}

export interface AskingPorts {
  readonly invoke: (request: LoopRequest) => Promise<ReadOutcome>;
  /** Nothing is compared with what has this mark any more. */
  readonly forget: (mark: Revision) => void;
  readonly telling: Telling;
  readonly subscribers: Subscribers;
  /** Whether the server holds the loop's requests. */
  readonly isHeld: boolean;
  /** How the answers to the loop's own requests are wanted. */
  readonly reading: Reading;
  /** Whether the answers to them are told before they are stored: not where the loop's place, which is stored, goes by them. */
  readonly ahead: boolean;
}

/** The requests of one loop: whoever one is made for, and listens, hears of the steps on its way. */
export class Asking {
  readonly #ports: AskingPorts;
  /** Of the last answer to the loop's own requests, as long as that is not stored. */
  #mark: Revision | null = null;
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
    const { invoke, telling, subscribers } = this.#ports;
    const say = (step: Step): void => {
      for (const subscriber of subscribers) telling.step(subscriber, step);
    };
    const held = isOwn && this.#ports.isHeld;
    const reading = isOwn ? this.#ports.reading : 'parsed';
    const mark = isOwn ? this.#mark : null;
    const { ahead } = this.#ports;
    const request = { invocation, addition, tell: subscribers.tell, say, signal, held, reading, mark, ahead };
    const outcome = await invoke(request);
    if (isOwn) this.#note(outcome);
    return outcome;
  }

  forOne(subscriber: Subscriber, invocation: Invocation, signal: AbortSignal): Promise<ReadOutcome> {
    const { invoke, telling } = this.#ports;
    const say = (step: Step): void => telling.step(subscriber, step);
    const { tell } = subscriber;
    const own = { addition: NO_ADDITION, held: false, reading: 'parsed', mark: null, ahead: true } as const;
    return invoke({ invocation, tell, say, signal, ...own });
  }

  /** The loop has ended: what was not to be stored is kept no longer than that. */
  end(): void {
    this.#ended = true;
    if (this.#mark) this.#ports.forget(this.#mark);
    this.#mark = null;
  }

  #note(outcome: ReadOutcome): void {
    // A request that was held in vain leaves the answer before it the one that is compared.
    if (outcome.kind === 'failed' || outcome.answer.status === 204) return;
    const { body } = outcome.answer;
    const mark = body.kind === 'json' ? (body.mark ?? null) : null;
    if (this.#mark && !(mark && isSameRevision(mark, this.#mark))) this.#ports.forget(this.#mark);
    this.#mark = mark;
    if (this.#ended) this.end();
  }
}
