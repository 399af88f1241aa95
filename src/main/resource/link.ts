import type { Command, LoopDeclaration, Reply, Submission, EventInterest } from '../../shared/protocol.ts';
import type { CallListener, CallView } from '../session/calls.ts';
import type { LoopListener, LoopView } from '../session/loop.ts';
import type { ConnectionSettings } from './prepare.ts';

/** A connection as its resources need it. */
export interface Link {
  readonly settings: ConnectionSettings;
  readonly session: LinkSession;
  /** A new number, positive and unique in the page: an invocation's id, or a loop's. */
  readonly nextId: () => number;
}

interface LinkSession {
  call(submission: Submission, listener: CallListener): CallView;
  abort(ids: readonly number[]): void;
  declare(declaration: LoopDeclaration, listener: LoopListener): LoopView | null;
  setInterval(loop: number, interval: number): void;
  setInterest(loop: number, interest: EventInterest): void;
  cut(loop: number): void;
  stop(loop: number): void;
  request(command: Command): Promise<Reply>;
}
