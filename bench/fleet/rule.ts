import type { Tick } from '../../src/worker/scheduling/plan.ts';
import type { Client } from './agenda.ts';

/** What the loops of a fleet do. Times are milliseconds. */
export type Pace =
  | { readonly kind: 'poll'; readonly period: number }
  /** `hold`: how long the server holds a request that it has nothing new for. */
  | { readonly kind: 'long-poll'; readonly hold: number; readonly spread: number };

/** When the clients of a fleet ask again. What it has to remember of one it keeps in it. */
export interface Rule {
  /** After the request of a client came to its end. */
  afterTick(client: Client, tick: Tick): number;
  /** When its network is back. */
  afterReturn(client: Client, now: number): number;
  /** When its page and its worker start anew. */
  afterRestart(client: Client, now: number): number;
}

/** A rule by name, made for one pace. */
export interface Candidate {
  readonly name: string;
  readonly make: (pace: Pace, random: () => number) => Rule;
}

/** The time between two requests of one client when all is well. */
export function periodOf(pace: Pace): number {
  return pace.kind === 'poll' ? pace.period : pace.hold;
}
