import type { Failure } from '../../shared/failure.ts';
import { isAborted } from '../../shared/outcome.ts';
import type { Answered, Outcome } from '../../shared/outcome.ts';
import type { Delivery, FeedPosition, Ticked, Unsent } from '../../shared/protocol.ts';
import { parsed } from '../read-body.ts';
import type { ReadAnswered, ReadOutcome } from '../read-body.ts';
import { Publication } from './publication.ts';
import { isNews } from './reply.ts';
import type { Step } from './step.ts';
import type { Subscriber } from './subscribers.ts';

export interface TellingPorts {
  /** `taken` is called when the page has it. */
  readonly tell: (page: string, delivery: Delivery, taken?: () => void) => void;
  /** Tells what is made only when it is sent; one of the same name that still waits is not sent. */
  readonly publish: (page: string, make: () => Delivery, name: string | null) => void;
  /** Whether a page's protocol has bodies that are not parsed. */
  readonly takesPatches: (page: string) => boolean;
  /** Milliseconds until the loop asks next. */
  readonly nextIn: () => number;
}

/** What one loop says to its pages, to each by the number that the loop has there. */
export class Telling {
  readonly #ports: TellingPorts;
  readonly #publication = new Publication();

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

  /** A new answer, before any page is told. */
  note(outcome: ReadOutcome): void {
    this.#publication.note(outcome);
  }

  tick(subscriber: Subscriber, outcome: ReadOutcome, isCatchUp = false): void {
    const { page, number } = subscriber;
    const make = (): Ticked => {
      const told = isCatchUp ? parsed(outcome) : this.#outcomeFor(subscriber, outcome);
      const tick = { kind: 'tick', loop: number, outcome: told, nextIn: this.#ports.nextIn() } as const;
      return isCatchUp ? { ...tick, isCatchUp } : tick;
    };
    this.#ports.publish(page, make, isCatchUp ? null : nameOf(outcome, number));
  }

  entry({ page, number }: Subscriber, outcome: Outcome, entry: FeedPosition, taken: () => void): void {
    const nextIn = this.#ports.nextIn();
    this.#ports.tell(page, { kind: 'tick', loop: number, outcome, nextIn, entry }, taken);
  }

  reset({ page, number }: Subscriber, failure: Failure): void {
    this.#ports.tell(page, { kind: 'reset', loop: number, failure });
  }

  #outcomeFor(subscriber: Subscriber, outcome: ReadOutcome): Ticked['outcome'] {
    if (!this.#ports.takesPatches(subscriber.page)) return parsed(outcome);
    if (outcome.kind === 'failed') return outcome;
    subscriber.lacksBody = subscriber.tell.body === false && isHadInParts(outcome);
    if (subscriber.lacksBody) {
      subscriber.has = null;
      return withoutBody(outcome);
    }
    const told = this.#publication.outcomeFor(outcome, subscriber.has);
    subscriber.has = outcome.revision;
    return told;
  }
}

/** Of a page that cannot keep up: it is told the newest state and the newest failure of a loop, and none that are older. */
function nameOf(outcome: ReadOutcome, loop: number): string | null {
  if (outcome.kind === 'failed') return isAborted(outcome) ? null : `failure ${loop}`;
  return outcome.revision !== null || isNews(outcome) ? `state ${loop}` : null;
}

/** Whether a page finds what it wants of an answer in what is stored. */
function isHadInParts({ revision, answer }: ReadAnswered): boolean {
  return revision !== null && answer.body.kind === 'json';
}

function withoutBody(outcome: ReadAnswered): Answered<Unsent> {
  return { ...outcome, answer: { ...outcome.answer, body: { kind: 'unsent' } } };
}
