import type { Outcome } from '../../shared/outcome.ts';
import { signOf } from '../reachability.ts';
import type { Clock } from '../system.ts';
import type { Budget, Ticket } from './budget.ts';
import type { Gate } from './gate.ts';

export interface TurnstilePorts {
  readonly clock: Clock;
  /** Resolves as soon as this engine acts, or the signal aborts. */
  readonly acts: (signal: AbortSignal) => Promise<void>;
  readonly gate: Gate;
  readonly budget: Budget;
}

/** A loop's turn to ask once. */
export interface Turn {
  /** Aborts when another loop is to have its turn: the request is to be cut, and nobody told. */
  readonly signal: AbortSignal;
  /** The request has ended so; null where it was not made after all. */
  end(outcome: Outcome<unknown> | null): void;
}

/**
 * What one loop passes before each request. The engine's lock comes first, so that no loop of an engine that rests is
 * the one that others wait for; then the gate of a failing origin; then, for long-polls, the budget of connections.
 */
export class Turnstile {
  readonly #origin: string | null;
  readonly #held: boolean;
  readonly #ports: TurnstilePorts;
  #left = false;

  /** Without an origin nothing will be sent; `held` is a long-poll. */
  constructor(origin: string | null, held: boolean, ports: TurnstilePorts) {
    this.#origin = origin;
    this.#held = held;
    this.#ports = ports;
  }

  /** Resolves when it is the loop's turn; with null where the signal aborts before. `period` is milliseconds. */
  async pass(period: number, signal: AbortSignal): Promise<Turn | null> {
    const { acts, gate, budget } = this.#ports;
    const origin = this.#origin;
    await acts(signal);
    if (signal.aborted) return null;
    if (origin === null) return { signal: endless(), end: () => {} };
    if (!(await gate.pass(this, origin, period, signal))) return null;
    if (!this.#held) return this.#turn(origin, null);
    const ticket = await budget.enter(origin, signal);
    if (ticket) return this.#turn(origin, ticket);
    gate.hear(this, origin, null);
    return null;
  }

  /** The loop will not ask for a while. */
  stepAside(): void {
    if (this.#origin !== null) this.#ports.gate.stepAside(this, this.#origin);
  }

  /** The loop has ended: what its last request comes to says nothing any more. */
  leave(): void {
    this.#left = true;
    if (this.#origin !== null) this.#ports.gate.leave(this, this.#origin);
  }

  #turn(origin: string, ticket: Ticket | null): Turn {
    const { clock, gate } = this.#ports;
    const since = clock.now();
    return {
      signal: ticket?.signal ?? endless(),
      end: (outcome) => {
        const says = this.#left ? null : outcome;
        gate.hear(this, origin, says && signOf(says, ticket && clock.now() - since));
        ticket?.leave();
      },
    };
  }
}

/** Of its own each time: what listens to it goes with it. */
function endless(): AbortSignal {
  return new AbortController().signal;
}
