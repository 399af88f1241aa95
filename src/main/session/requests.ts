import { COMMAND_DEADLINE, DRAIN_ANSWER_DEADLINE } from '../../shared/deadlines.ts';
import type { Failure } from '../../shared/failure.ts';
import type { Command, Reply } from '../../shared/protocol.ts';
import { refusalIn } from '../../shared/guard.ts';
import { RestError } from '../error.ts';
import { Late, unlessAborted, within } from '../deadline.ts';
import { NO_ANSWER } from './sender.ts';

export interface RequestsPorts {
  readonly ready: () => Promise<void>;
  readonly control: (command: Command) => Promise<Reply>;
  /** True where a newer worker waits to replace the present one. */
  readonly replaceable: () => boolean;
}

/** Requests to the worker other than calls and loops. */
export class Requests {
  readonly #ports: RequestsPorts;
  /** Aborts when the present worker instance ends. */
  #life = new AbortController();

  constructor(ports: RequestsPorts) {
    this.#ports = ports;
  }

  /** Rejects where no worker instance answers in time. `told`: the command once a worker has answered the greeting. */
  async make(command: Command, told: () => Command = () => command): Promise<Reply> {
    const end = new AbortController();
    return within(COMMAND_DEADLINE, answerTo(command), this.#insist(told, end.signal))
      .catch(rejectAsRest)
      .finally(() => end.abort());
  }

  /** Makes the worker end its work, so that a waiting one can replace it at once; does nothing where none waits. */
  async drain(signal: AbortSignal): Promise<void> {
    await this.#ports.ready();
    if (!this.#ports.replaceable() || signal.aborted) return;
    const command: Command = { kind: 'drain' };
    await within(DRAIN_ANSWER_DEADLINE, answerTo(command), this.#ask(command));
  }

  /** Gives up the requests that this worker instance has not answered: it never will. */
  endLife(): void {
    this.#life.abort();
    this.#life = new AbortController();
  }

  /** Asks one worker instance after the other, until one answers. */
  async #insist(command: () => Command, signal: AbortSignal): Promise<Reply> {
    for (;;) {
      await this.#ports.ready();
      if (signal.aborted) throw new RestError(NO_ANSWER);
      const reply = await this.#ask(command());
      if (reply) return reply;
    }
  }

  /** The worker's answer; null where it dies before it answers. */
  #ask(command: Command): Promise<Reply | null> {
    return unlessAborted(this.#life.signal, this.#ports.control(command));
  }
}

/** Makes a RestError of a refusal or a timeout. */
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

/** The promises that wait for one event. */
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
