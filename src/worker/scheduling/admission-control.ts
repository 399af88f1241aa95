import type { Outcome } from '../../shared/outcome.ts';
import { signOf } from '../contracts/reachability.ts';
import { HELD } from '../contracts/rule.ts';
import type { Clock } from '../platform/system.ts';
import type { ConnectionLimiter, Permit } from './connection-limiter.ts';
import type { CircuitBreaker, Due } from './circuit-breaker.ts';

export interface AdmissionControlPorts {
  readonly clock: Clock;
  /** Resolves as soon as this engine acts, or the signal aborts. */
  readonly acts: (signal: AbortSignal) => Promise<void>;
  readonly breaker: CircuitBreaker;
  readonly limiter: ConnectionLimiter;
}

/** A loop's turn to ask once. */
export interface Admission {
  /** Aborts when another loop is to have its turn: the request is cut, and no page is told. */
  readonly signal: AbortSignal;
  /** The request has ended with this outcome; null where it was not made after all. */
  end(outcome: Outcome<unknown> | null): void;
}

/**
 * What one loop passes before each request: the engine's lock, first, so that no loop of a resting engine is the one
 * that others wait for; then the circuit breaker; then, for long-polls, the connection limiter.
 */
export class AdmissionControl {
  readonly #origin: string | null;
  readonly #held: boolean;
  readonly #ports: AdmissionControlPorts;
  #left = false;

  /** Without an origin nothing is sent. `held` is true for a long-poll. */
  constructor(origin: string | null, held: boolean, ports: AdmissionControlPorts) {
    this.#origin = origin;
    this.#held = held;
    this.#ports = ports;
  }

  /** Resolves when it is the loop's turn; with null where the signal aborts first. */
  async admit(due: Due, signal: AbortSignal): Promise<Admission | null> {
    const { acts, breaker, limiter } = this.#ports;
    const origin = this.#origin;
    await acts(signal);
    if (signal.aborted) return null;
    if (origin === null) return { signal: endless(), end: () => {} };
    if (!(await breaker.pass(this, origin, due, signal))) return null;
    const end = new AbortController();
    void this.#letOthersTry(origin, end.signal);
    const ticket = this.#held ? await limiter.acquire(origin, signal) : null;
    if (ticket || !this.#held) return this.#turn(origin, ticket, end);
    end.abort();
    breaker.stepAside(this, origin);
    return null;
  }

  stepAside(): void {
    if (this.#origin !== null) this.#ports.breaker.stepAside(this, this.#origin);
  }

  /** The loop has ended: the outcome of its last request counts no more. */
  leave(): void {
    this.#left = true;
    if (this.#origin !== null) this.#ports.breaker.leave(this, this.#origin);
  }

  /** A request that is held, or hangs, says nothing for long, so the other loops need not wait for it. */
  async #letOthersTry(origin: string, ended: AbortSignal): Promise<void> {
    await this.#ports.clock.sleep(HELD, ended);
    if (!ended.aborted) this.#ports.breaker.stepAside(this, origin);
  }

  #turn(origin: string, ticket: Permit | null, ended: AbortController): Admission {
    const { clock, breaker } = this.#ports;
    const since = clock.now();
    return {
      signal: ticket?.signal ?? endless(),
      end: (outcome) => {
        const says = this.#left ? null : outcome;
        breaker.hear(this, origin, says && signOf(says, ticket && clock.now() - since));
        ticket?.release();
        ended.abort();
      },
    };
  }
}

/** A new one each time, so that its listeners go with it. */
function endless(): AbortSignal {
  return new AbortController().signal;
}
