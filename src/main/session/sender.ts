import type { Failure } from '../../shared/failure.ts';
import { unanswered } from '../../shared/outcome.ts';
import type { Command, Reply, Submission } from '../../shared/protocol.ts';
import { refusalIn } from '../../shared/refusal.ts';
import { RestError } from '../error.ts';
import type { Calls } from './calls.ts';
import type { Lifeline } from './lifeline.ts';
import type { RemoteWorker } from './line.ts';
import type { DeclaredLoops } from './loops.ts';

/** Says things to the worker that answers now, in the order in which they were said to the session. */
export class Sender {
  readonly #lifeline: Lifeline;
  readonly #calls: Calls;
  readonly #loops: DeclaredLoops;

  constructor(lifeline: Lifeline, calls: Calls, loops: DeclaredLoops) {
    this.#lifeline = lifeline;
    this.#calls = calls;
    this.#loops = loops;
  }

  /** Sends the calls that are still to be sent. */
  flush(): void {
    const { end, remote } = this.#lifeline;
    // In a task of its own: a handler that calls again must not keep the page from all else.
    if (end) setTimeout(() => this.#calls.failAll(end));
    const batch = remote ? this.#calls.takeUnsent() : [];
    if (remote && batch.length > 0) void this.#submit(remote, batch);
  }

  /** Says something to a live worker; to none it need not be said, since a greeting is followed by all that holds. */
  tell(command: Command): void {
    if (this.#lifeline.remote)
      this.control(command).catch((error: unknown) => this.#hearRefusal(command, error));
  }

  control(command: Command): Promise<Reply> {
    // What was called before this command is sent before it.
    this.flush();
    return this.#lifeline.remote?.control(command) ?? Promise.reject(new RestError(NO_ANSWER));
  }

  async #submit(remote: RemoteWorker, batch: readonly Submission[]): Promise<void> {
    try {
      const { declined, stranger } = await remote.submit(batch);
      this.#calls.takeBack(declined);
      if (stranger) this.#lifeline.happen('lost');
    } catch (error) {
      const failure = refusalIn(error);
      if (failure === null) this.#lifeline.happen('lost');
      else if (batch.length > 1) for (const each of batch) void this.#submit(remote, [each]);
      else for (const { id } of batch) this.#calls.settle(id, unanswered(failure));
    }
  }

  /** A loop that the worker does not let in has ended; what else it does not let in had no effect. */
  #hearRefusal(command: Command, error: unknown): void {
    const failure = refusalIn(error);
    if (!failure || command.kind !== 'declare') return;
    this.#loops.tick({
      loop: command.declaration.loop,
      outcome: unanswered(failure),
      nextIn: null,
    });
  }
}

export const NO_ANSWER: Failure = {
  code: 'not-connected',
  message: 'There is no connection to the worker: it did not start or did not answer in time',
};
