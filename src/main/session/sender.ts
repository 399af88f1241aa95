import type { EarlyAnswer } from '../../shared/early.ts';
import type { Failure } from '../../shared/failure.ts';
import { LIMITS } from '../../shared/limits.ts';
import { unanswered } from '../../shared/outcome.ts';
import type { Command, LoopDeclaration, Reply, Submission } from '../../shared/protocol.ts';
import { isUncloneable, refusalIn } from '../../shared/guard.ts';
import { RestError } from '../error.ts';
import type { Calls } from './calls.ts';
import type { EarlyCalls } from './early-calls.ts';
import type { PageIdentity } from './identity.ts';
import type { OnlineNews } from './desired-state.ts';
import type { WorkerConnection } from './worker-connection.ts';
import type { RemoteWorker } from './transport.ts';
import type { DeclaredLoops } from './loops.ts';

/** Sends everything to the present worker, in the order in which the session got it. */
export class Sender {
  readonly #connection: WorkerConnection;
  readonly #calls: Calls;
  readonly #loops: DeclaredLoops;
  readonly #identity: Pick<PageIdentity, 'isOpen' | 'epoch'>;
  readonly #early: EarlyCalls | null;
  #willFlush = false;

  constructor(
    connection: WorkerConnection,
    calls: Calls,
    loops: DeclaredLoops,
    identity: Pick<PageIdentity, 'isOpen' | 'epoch'>,
    early: EarlyCalls | null,
  ) {
    this.#early = early;
    this.#connection = connection;
    this.#calls = calls;
    this.#loops = loops;
    this.#identity = identity;
  }

  readonly flush = (): void => {
    this.#willFlush = false;
    const { end, remote } = this.#connection;
    // In a later task: a handler that calls again must not block the page.
    if (end) setTimeout(() => this.#calls.failAll(end));
    const { isOpen, epoch } = this.#identity;
    if (!isOpen) return;
    if (!remote) return this.#early?.flush();
    const unsent = this.#calls.takeUnsent().map((each) => ({ ...each, ...said(epoch) }));
    for (let first = 0; first < unsent.length; first += LIMITS.batch)
      void this.#submit(remote, unsent.slice(first, first + LIMITS.batch));
  };

  /** Sends the unsent calls in a microtask, so that the calls of one turn travel together. */
  flushLater(): void {
    if (!this.#willFlush) queueMicrotask(this.flush);
    this.#willFlush = true;
  }

  /** Sends a command to a greeted worker. Without one, the next greeting says the same. */
  tell(command: Command, heard?: (reply: Reply) => void): void {
    const { hearing } = this.#connection;
    if (hearing)
      this.#say(hearing, command).then(heard, (error: unknown) => this.#hearRefusal(command, error));
  }

  /** Declares a loop where that may be; otherwise it is declared with all others when it may. */
  declare(declaration: LoopDeclaration): void {
    const { isOpen, epoch } = this.#identity;
    if (!isOpen) return this.#loops.hold(declaration.loop);
    this.tell({ kind: 'declare', declaration, ...said(epoch) });
    this.#early?.declare(declaration);
  }

  declareAll(): void {
    for (const declaration of this.#loops.declarations) this.declare(declaration);
  }

  /**
   * Before anything else, so that a call for the same finds it stored. Resolves with true once the engine has it, or has
   * refused it for good.
   */
  async adopt(answers: readonly EarlyAnswer[]): Promise<boolean> {
    const { remote } = this.#connection;
    if (!remote) return false;
    try {
      const reply = await remote.control({ kind: 'adopt', answers, ...said(this.#identity.epoch) });
      return reply.kind !== 'stranger';
    } catch (error) {
      return refusalIn(error) !== null;
    }
  }

  /** It is known now whose page this is: what has waited for that is sent. */
  goOn(): void {
    for (const declaration of this.#loops.takeHeld()) this.declare(declaration);
    this.flush();
  }

  /** The network is back. The page says so until a worker has stored that. */
  sayOnline(news: OnlineNews): void {
    const stored = news.telling();
    this.tell({ kind: 'online' }, ({ kind }) => {
      if (kind === 'done') stored();
    });
  }

  keepAlive(): Promise<Reply> {
    const { hidden } = this.#loops;
    return this.control({ kind: 'keepalive', hidden, watched: this.#connection.watched });
  }

  close(): void {
    this.#connection.last?.tell({ kind: 'close' });
  }

  control(command: Command): Promise<Reply> {
    const { remote } = this.#connection;
    return remote ? this.#say(remote, command) : Promise.reject(new RestError(NO_ANSWER));
  }

  async #say(worker: RemoteWorker, command: Command): Promise<Reply> {
    // Calls made before this command are sent before it.
    this.flush();
    const reply = await worker.control(command);
    if (reply.kind !== 'stranger') return reply;
    this.#lose(worker);
    throw new RestError(NO_ANSWER);
  }

  /** This worker is gone; another may have been greeted since. */
  #lose(worker: RemoteWorker): void {
    if (worker === this.#connection.hearing) this.#connection.happen('lost');
  }

  async #submit(remote: RemoteWorker, batch: readonly Submission[]): Promise<void> {
    try {
      const { declined, stranger, refused = [] } = await remote.submit(batch);
      this.#calls.takeBack(stranger ? batch.map(({ id }) => id) : declined);
      for (const { id, failure } of refused) this.#calls.settle(id, unanswered(failure));
      if (stranger) this.#lose(remote);
    } catch (error) {
      const failure = refusalIn(error);
      if (failure === null) this.#lose(remote);
      else if (isUncloneable(error) && batch.length > 1) this.#submitEach(remote, batch);
      else for (const { id } of batch) this.#calls.settle(id, unanswered(failure));
    }
  }

  /** One call of the batch cannot be cloned; it must not take the others along. */
  #submitEach(remote: RemoteWorker, batch: readonly Submission[]): void {
    for (const each of batch) if (this.#calls.get(each.id)) void this.#submit(remote, [each]);
  }

  /** A loop that the worker refuses has ended; any other refused command had no effect. */
  #hearRefusal(command: Command, error: unknown): void {
    const failure = refusalIn(error);
    if (!failure || command.kind !== 'declare') return;
    const outcome = unanswered(failure);
    this.#loops.get(command.declaration.loop)?.tick({ outcome, nextIn: null });
  }
}

/** A page that has heard of no epoch says none. */
export function said(epoch: number | undefined): { readonly epoch?: number } {
  return epoch === undefined ? {} : { epoch };
}

export const NO_ANSWER: Failure = {
  code: 'not-connected',
  message: 'There is no worker: it did not start or did not answer in time',
};
