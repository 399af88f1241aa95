import type { Command, LoopDeclaration, Reply, Submission, EventInterest } from '../../shared/protocol.ts';
import type { CallListener } from '../session/calls.ts';
import type { LoopListener } from '../session/loops.ts';
import type { ConnectionSettings } from './prepare.ts';

/** What a resource needs of its connection. */
export interface Link {
  readonly settings: ConnectionSettings;
  readonly session: LinkSession;
  /** A new number, positive and unique in the page: an invocation's id, or a loop's. */
  readonly nextId: () => number;
}

interface LinkSession {
  call(submission: Submission, listener: CallListener): void;
  abort(ids: readonly number[]): void;
  declare(declaration: LoopDeclaration, listener: LoopListener): void;
  setInterval(loop: number, interval: number): void;
  dueAt(loop: number): number | null;
  setInterest(loop: number, tell: EventInterest): void;
  cut(loop: number): void;
  stop(loop: number): void;
  request(command: Command): Promise<Reply>;
}
