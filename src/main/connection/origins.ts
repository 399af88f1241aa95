import type { OriginReport } from '../../shared/delivery.ts';
import type { OriginStatus } from '../../shared/inspection.ts';

/** The status of an origin has changed. */
export class OriginEvent extends Event {
  readonly origin: string;
  /** Null where the status is no longer known: nobody has asked the origin for an hour. */
  readonly status: OriginStatus | null;

  constructor(origin: string, status: OriginStatus | null) {
    super('origins');
    this.origin = origin;
    this.status = status;
  }
}

/** The worker's reports about origins. They survive a worker instance: the next one knows nothing yet. */
export class Origins {
  #known: ReadonlyMap<string, OriginStatus> = new Map();

  /** A new map after every change: a map that the app holds never changes. */
  get known(): ReadonlyMap<string, OriginStatus> {
    return this.#known;
  }

  /** Takes a report; returns null where it says nothing new, as after every greeting. */
  take({ origin, status }: OriginReport): OriginEvent | null {
    const now = status === 'unknown' ? null : status;
    if (now === (this.#known.get(origin) ?? null)) return null;
    const others = [...this.#known].filter(([each]) => each !== origin);
    this.#known = new Map(now === null ? others : [...others, [origin, now]]);
    return new OriginEvent(origin, now);
  }
}
