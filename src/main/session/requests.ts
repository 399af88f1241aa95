import { COMMAND_DEADLINE, DRAIN_ANSWER_DEADLINE } from '../../shared/deadlines.ts';
import type { Failure } from '../../shared/failure.ts';
import type { Command, Reply } from '../../shared/protocol.ts';
import { refusalIn } from '../../shared/guard.ts';
import { RestError } from '../error.ts';
import { Late, unlessAborted, within } from '../deadline.ts';
import { NO_ANSWER } from './sender.ts';

/** How commands that are to be answered reach a worker. */
export interface RequestsPorts {
  /** Resolves once a worker answers. */
  readonly ready: () => Promise<void>;
  readonly control: (command: Command) => Promise<Reply>;
  /** Whether a newer worker waits to replace the one that answers. */
  readonly replaceable: () => boolean;
}

/** What a page asks of its worker beside calls and loops. */
export class Requests {
  readonly #ports: RequestsPorts;
  /** Aborts with the life of the worker that answers now. */
  #life = new AbortController();

  constructor(ports: RequestsPorts) {
    this.#ports = ports;
  }

  /** Rejects where no worker answers in time, whichever life of it. */
  async make(command: Command): Promise<Reply> {
    const end = new AbortController();
    return within(COMMAND_DEADLINE, answerTo(command), this.#insist(command, end.signal))
      .catch(rejectAsRest)
      .finally(() => end.abort());
  }

  /** Has the worker end its work, so that a newer one can replace it at once; one that has done so is left alone. */
  async drain(signal: AbortSignal): Promise<void> {
    await this.#ports.ready();
    if (!this.#ports.replaceable() || signal.aborted) return;
    const command: Command = { kind: 'drain' };
    await within(DRAIN_ANSWER_DEADLINE, answerTo(command), this.#ask(command));
  }

  /** What this life of the worker has not answered by now will not be answered. */
  endLife(): void {
    this.#life.abort();
    this.#life = new AbortController();
  }

  /** Asks one life of the worker after the other, until one has answered. */
  async #insist(command: Command, signal: AbortSignal): Promise<Reply> {
    for (;;) {
      await this.#ports.ready();
      if (signal.aborted) throw new RestError(NO_ANSWER);
      const reply = await this.#ask(command);
      if (reply) return reply;
    }
  }

  /** What the worker answers; null where it dies before it does. */
  #ask(command: Command): Promise<Reply | null> {
    return unlessAborted(this.#life.signal, this.#ports.control(command));
  }
}

/** What the worker does not let in, or does not answer in time, is told as all failures are. */
function rejectAsRest(error: unknown): never {
  const failure = error instanceof Late ? timeoutOf(error) : refusalIn(error);
  throw failure ? new RestError(failure) : error;
}

function timeoutOf({ message, timeout }: Late): Failure {
  return { code: 'timeout', message, timeout };
}

function answerTo({ kind }: Command): string {
  return `The worker's answer to '${kind}'`;
}

/** Those who wait for one thing to happen. */
export class Waiters {
  #waiting: Waiter[] = [];

  get size(): number {
    return this.#waiting.length;
  }

  wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
    });
  }

  resolve(): void {
    for (const { resolve } of this.#take()) resolve();
  }

  reject(reason: unknown): void {
    for (const { reject } of this.#take()) reject(reason);
  }

  #take(): Waiter[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting;
  }
}

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}
