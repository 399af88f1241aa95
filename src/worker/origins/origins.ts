import type { OriginInspection, OriginStatus } from '../../shared/inspection.ts';
import { LIMITS } from '../../shared/limits.ts';
import type { Outcome } from '../../shared/outcome.ts';
import type { OriginReport } from '../../shared/delivery.ts';
import { originOf, signOf } from '../contracts/reachability.ts';
import type { Sign } from '../contracts/reachability.ts';

/** Milliseconds after its last request when an origin is forgotten. */
const MEMORY = 3_600_000;

export interface OriginsPorts {
  readonly now: () => number;
  /** The status of an origin has changed. */
  readonly changed: (report: OriginReport) => void;
}

export interface Asked {
  /** Milliseconds of the epoch. */
  readonly askedAt: number;
  /** True if the server was to hold it, as it does a long-poll. */
  readonly held: boolean;
}

/** Knows which origins answer, by the outcome of every request of every page and loop. */
export class Origins {
  readonly #ports: OriginsPorts;
  readonly #known = new Map<string, Known>();

  constructor(ports: OriginsPorts) {
    this.#ports = ports;
  }

  note(outcome: Outcome<unknown>, { askedAt, held }: Asked): void {
    const origin = originOf(outcome);
    const now = this.#ports.now();
    if (origin !== null) this.#learn(origin, signOf(outcome, held ? now - askedAt : null), askedAt, now);
    this.#forget(now);
  }

  /** The reports for a page that knows nothing yet. */
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

/** The state of an origin. Times are milliseconds of the epoch. */
export interface Known {
  readonly status: OriginStatus;
  /** When its status became this one. */
  readonly since: number;
  readonly askedAt: number;
  /** When something last answered in its name; null if nothing ever did. */
  readonly heardAt: number | null;
}

/** The state after one more request, sent at `askedAt` and over by `now`; null if still nothing is known. */
export function learn(before: Known | null, sign: Sign | null, askedAt: number, now: number): Known | null {
  const status = statusAfter(before, sign, askedAt);
  if (status === null) return null;
  return {
    status,
    since: status === before?.status ? before.since : now,
    askedAt: Math.max(askedAt, before?.askedAt ?? 0),
    heardAt: sign === 'reachable' || sign === 'failing' ? now : (before?.heardAt ?? null),
  };
}

function statusAfter(before: Known | null, sign: Sign | null, askedAt: number): OriginStatus | null {
  if (sign === null) return before?.status ?? null;
  if (sign !== 'silent') return sign;
  // One action may be slow while others are answered.
  return before !== null && (before.heardAt ?? -Infinity) >= askedAt ? before.status : 'unreachable';
}

/** Origins to forget: those asked too long ago, and of more than `most` those asked longest ago. */
export function outdated(known: ReadonlyMap<string, Known>, now: number, most: number): string[] {
  return [...known]
    .toSorted(([, one], [, other]) => other.askedAt - one.askedAt)
    .filter(([, { askedAt }], rank) => rank >= most || now - askedAt >= MEMORY)
    .map(([origin]) => origin);
}
