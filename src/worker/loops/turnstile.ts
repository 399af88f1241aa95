import type { Outcome } from '../../shared/outcome.ts';
import { signOf } from '../reachability.ts';
import { HELD } from '../rule.ts';
import type { Clock } from '../system.ts';
import type { Budget, Ticket } from './budget.ts';
import type { Gate } from './gate.ts';
import type { Due } from './probe.ts';

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

  /** Resolves when it is the loop's turn; with null where the signal aborts before. */
  async pass(due: Due, signal: AbortSignal): Promise<Turn | null> {
    const { acts, gate, budget } = this.#ports;
    const origin = this.#origin;
    await acts(signal);
    if (signal.aborted) return null;
    if (origin === null) return { signal: endless(), end: () => {} };
    if (!(await gate.pass(this, origin, due, signal))) return null;
    const end = new AbortController();
    void this.#letOthersTry(origin, end.signal);
    const ticket = this.#held ? await budget.enter(origin, signal) : null;
    if (ticket || !this.#held) return this.#turn(origin, ticket, end);
    end.abort();
    gate.stepAside(this, origin);
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

  /** What is held, or hangs, says nothing for long: the others need not wait for it. */
  async #letOthersTry(origin: string, ended: AbortSignal): Promise<void> {
    await this.#ports.clock.sleep(HELD, ended);
    if (!ended.aborted) this.#ports.gate.stepAside(this, origin);
  }

  #turn(origin: string, ticket: Ticket | null, ended: AbortController): Turn {
    const { clock, gate } = this.#ports;
    const since = clock.now();
    return {
      signal: ticket?.signal ?? endless(),
      end: (outcome) => {
        const says = this.#left ? null : outcome;
        gate.hear(this, origin, says && signOf(says, ticket && clock.now() - since));
        ticket?.leave();
        ended.abort();
      },
    };
  }
}

/** Of its own each time: what listens to it goes with it. */
function endless(): AbortSignal {
  return new AbortController().signal;
}
