import type { OriginStatus } from '../../shared/origin-status.ts';
import type { Sign } from '../contracts/reachability.ts';

/** What is known of an origin. Times are milliseconds of the epoch. */
export interface Known {
  readonly status: OriginStatus;
  /** When it came to be so. */
  readonly since: number;
  /** When it was last asked. */
  readonly askedAt: number;
  /** When something answered in its name; null where nothing ever did. */
  readonly heardAt: number | null;
}

/** An origin that nobody has asked for so long is forgotten. */
const MEMORY = 3_600_000;

/** What is known after one more request, sent at `askedAt` and over by `now`; null where that is still nothing. */
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
  // One action may be slow where the others are answered.
  return before !== null && (before.heardAt ?? -Infinity) >= askedAt ? before.status : 'unreachable';
}

/** Those to forget: what is too old, and of more than `most` those that were asked longest ago. */
export function outdated(known: ReadonlyMap<string, Known>, now: number, most: number): string[] {
  return [...known]
    .toSorted(([, one], [, other]) => other.askedAt - one.askedAt)
    .filter(([, { askedAt }], rank) => rank >= most || now - askedAt >= MEMORY)
    .map(([origin]) => origin);
}
