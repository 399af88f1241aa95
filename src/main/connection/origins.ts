import type { OriginStatus } from '../../shared/inspection.ts';
import type { OriginReport } from '../../shared/delivery.ts';

/** What is known of an origin has changed. */
export class OriginEvent extends Event {
  readonly origin: string;
  /** Null where nothing is known of it any more: nobody has asked it for an hour. */
  readonly status: OriginStatus | null;

  constructor(origin: string, status: OriginStatus | null) {
    super('origins');
    this.origin = origin;
    this.status = status;
  }
}

/**
 * What the worker has told of origins. It outlives the worker's lives: the next one knows nothing yet, which is no
 * reason to believe anything else.
 */
export class Origins {
  #known: ReadonlyMap<string, OriginStatus> = new Map();

  /** A map of its own after every change, so that what has been handed out stays as it was. */
  get known(): ReadonlyMap<string, OriginStatus> {
    return this.#known;
  }

  /** Takes what the worker says; null where that is known already, as after every greeting. */
  take({ origin, status }: OriginReport): OriginEvent | null {
    const now = status === 'unknown' ? null : status;
    if (now === (this.#known.get(origin) ?? null)) return null;
    const others = [...this.#known].filter(([each]) => each !== origin);
    this.#known = new Map(now === null ? others : [...others, [origin, now]]);
    return new OriginEvent(origin, now);
  }
}
