import type { Sign } from '../reachability.ts';

/** The one loop that asks an origin while it fails. */
export interface Probe {
  readonly loop: object;
  /** Milliseconds between two of its requests when all is well. */
  readonly period: number;
  /** Whether it is out, or on its way out. */
  readonly asking: boolean;
}

/**
 * Whether a loop that is due asks as the probe: where there is none, or where the one that there is sleeps and is a
 * slower one. An origin is so asked as often as the quickest of its loops would.
 */
export function mayProbe(probe: Probe | null, loop: object, period: number): boolean {
  if (probe === null || probe.loop === loop) return true;
  return !probe.asking && period < probe.period;
}

/**
 * What an outcome does to the gate. A loop that got no answer in time waits like one that was cut off: should others
 * be answered, that opens the gate.
 */
export function effectOf(sign: Sign | null): 'opens' | 'closes' | 'none' {
  if (sign === null) return 'none';
  return sign === 'reachable' ? 'opens' : 'closes';
}
