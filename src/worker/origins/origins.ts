import type { OriginInspection } from '../../shared/inspection.ts';
import { LIMITS } from '../../shared/limits.ts';
import type { Outcome } from '../../shared/outcome.ts';
import type { OriginReport } from '../../shared/protocol.ts';
import { originOf, signOf } from '../contracts/reachability.ts';
import { learn, outdated } from './known.ts';
import type { Known } from './known.ts';

export interface OriginsPorts {
  readonly now: () => number;
  /** What is known of one has changed. */
  readonly changed: (report: OriginReport) => void;
}

/** A request that is over. */
export interface Asked {
  /** Milliseconds of the epoch. */
  readonly askedAt: number;
  /** Whether the server was to hold it, as it does a long-poll. */
  readonly held: boolean;
}

/** The door: which origins answer, by the outcome of every request, whoever made it. */
export class Origins {
  readonly #ports: OriginsPorts;
  readonly #known = new Map<string, Known>();

  constructor(ports: OriginsPorts) {
    this.#ports = ports;
  }

  /** Every outcome passes here. */
  note(outcome: Outcome<unknown>, { askedAt, held }: Asked): void {
    const origin = originOf(outcome);
    const now = this.#ports.now();
    if (origin !== null) this.#learn(origin, signOf(outcome, held ? now - askedAt : null), askedAt, now);
    this.#forget(now);
  }

  /** What a page has to be told that knows nothing yet. */
  reports(): OriginReport[] {
    return this.inspect().map(({ origin, status }) => ({ kind: 'origin', origin, status }));
  }

  inspect(): OriginInspection[] {
    this.#forget(this.#ports.now());
    return [...this.#known].map(([origin, { status, since, askedAt }]) => ({
      origin,
      status,
      since,
      askedAt,
    }));
  }

  #learn(origin: string, sign: ReturnType<typeof signOf>, askedAt: number, now: number): void {
    const before = this.#known.get(origin) ?? null;
    const known = learn(before, sign, askedAt, now);
    if (known === null) return;
    this.#known.set(origin, known);
    if (known.status !== before?.status)
      this.#ports.changed({ kind: 'origin', origin, status: known.status });
  }

  #forget(now: number): void {
    for (const origin of outdated(this.#known, now, LIMITS.origins)) {
      this.#known.delete(origin);
      this.#ports.changed({ kind: 'origin', origin, status: 'unknown' });
    }
  }
}
