import type { Sign } from '../contracts/reachability.ts';
import { meanWait } from './schedule.ts';

/** A loop that is due. Times are milliseconds. */
export interface Due {
  /** Between two of its requests as things are. */
  readonly period: number;
  /** In a row. */
  readonly failures: number;
  /** When it was due, of the epoch. */
  readonly since: number;
}

/** The loop that has asked an origin last while it fails. */
export interface Probe {
  readonly loop: object;
  /** When its request ended, in milliseconds of the epoch; null while that is out, or on its way out. */
  readonly endedAt: number | null;
}

/**
 * When a loop that waits asks; Infinity where another one goes before it, or is out. They take turns, the one first that
 * has been due for longest, since one may fail for reasons of its own and would silence the others for ever. So the
 * origin is asked as often as the quickest of them would: that may be one that has only begun to fail.
 */
export function asksAt(probe: Probe | null, waiting: ReadonlyMap<object, Due>, loop: object): number {
  const all = [...waiting.values()];
  const since = Math.min(...all.map((due) => due.since));
  const [first] = [...waiting.keys()].filter((each) => waiting.get(each)?.since === since);
  if (first !== loop) return Infinity;
  if (probe === null || (probe.loop === loop && all.length === 1)) return since;
  const wait = Math.min(...all.map(({ period, failures }) => meanWait(period, failures)));
  return probe.endedAt === null ? Infinity : probe.endedAt + wait;
}

/**
 * What an outcome does to the gate. A loop that got no answer in time waits like one that was cut off: should others
 * be answered, that opens the gate.
 */
export function effectOf(sign: Sign | null): 'opens' | 'closes' | 'none' {
  if (sign === null) return 'none';
  return sign === 'reachable' ? 'opens' : 'closes';
}
