import type { Failure } from '../../shared/failure.ts';
import type { Outcome } from '../../shared/outcome.ts';
import type { Delivery, FeedPosition } from '../../shared/protocol.ts';
import type { Step } from './step.ts';
import type { Subscriber } from './subscribers.ts';

export interface TellingPorts {
  /** `taken` is called when the page has it. */
  readonly tell: (page: string, delivery: Delivery, taken?: () => void) => void;
  /** Milliseconds until the loop asks next. */
  readonly nextIn: () => number;
}

/** What one loop says to its pages, to each by the number that the loop has there. */
export class Telling {
  readonly #ports: TellingPorts;

  constructor(ports: TellingPorts) {
    this.#ports = ports;
  }

  started({ page, number, tell }: Subscriber): void {
    if (tell.started) this.#ports.tell(page, { kind: 'ticking', loop: number });
  }

  /** A step on the way of a request, to those who listen for it. */
  step({ page, number, tell, abstains }: Subscriber, step: Step): void {
    const delivery = step({ loop: number });
    const isHeard = delivery.kind === 'sent' ? tell.sent : tell.progress;
    if (isHeard && !abstains) this.#ports.tell(page, delivery);
  }

  tick({ page, number }: Subscriber, outcome: Outcome, isCatchUp = false): void {
    const nextIn = this.#ports.nextIn();
    const tick = { kind: 'tick', loop: number, outcome, nextIn } as const;
    this.#ports.tell(page, isCatchUp ? { ...tick, isCatchUp } : tick);
  }

  entry({ page, number }: Subscriber, outcome: Outcome, entry: FeedPosition, taken: () => void): void {
    const nextIn = this.#ports.nextIn();
    this.#ports.tell(page, { kind: 'tick', loop: number, outcome, nextIn, entry }, taken);
  }

  reset({ page, number }: Subscriber, failure: Failure): void {
    this.#ports.tell(page, { kind: 'reset', loop: number, failure });
  }
}
