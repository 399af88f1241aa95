import type { Failure } from '../../shared/failure.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { Deferred } from '../platform/waiting.ts';
import type { Clock } from '../platform/system.ts';

/**
 * How long an invocation may take until the last byte of its answer, however often it is sent: until its time is over or
 * its caller gives up. Its signal also aborts when the limit is lifted, so that nothing of a request outlives it.
 */
export class Limit {
  /** Resolves when the limit is reached; never, where it is lifted before. */
  readonly reached: Promise<Failure>;

  readonly #clock: Clock;
  readonly #endsAt: number;
  readonly #controller = new AbortController();
  readonly #release: () => void;
  #failure: Failure | null = null;

  constructor(clock: Clock, { method, policy }: Invocation, url: string, caller: AbortSignal) {
    const what = `${method} ${url}`;
    this.#clock = clock;
    this.#endsAt = clock.now() + policy.timeout;
    const { promise, resolve } = new Deferred<Failure>();
    this.reached = promise;
    const end = (failure: Failure): void => {
      if (this.signal.aborted) return;
      this.#failure = failure;
      resolve(failure);
      this.lift();
    };
    const abort = (): void => end({ code: 'aborted', message: `${what} was aborted` });
    this.#release = (): void => caller.removeEventListener('abort', abort);
    if (caller.aborted) abort();
    else caller.addEventListener('abort', abort);
    void this.#expire(policy.timeout, what, end);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why it has to end; null while it need not. */
  get failure(): Failure | null {
    return this.#failure;
  }

  /** Milliseconds. */
  get remaining(): number {
    return this.#endsAt - this.#clock.now();
  }

  /** What comes of the work, or of the failure where the limit is reached before it is done. */
  within<T>(work: Promise<T>, otherwise: (failure: Failure) => T): Promise<T> {
    return Promise.race([work, this.reached.then(otherwise)]);
  }

  lift(): void {
    this.#release();
    this.#controller.abort();
  }

  async #expire(timeout: number, what: string, end: (failure: Failure) => void): Promise<void> {
    await this.#clock.sleep(timeout, this.signal);
    end({
      code: 'timeout',
      message: `${what} was not answered to its last byte within ${timeout} ms`,
      timeout,
    });
  }
}
