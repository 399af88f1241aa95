import type { Command, LoopDeclaration, Reply, Submission, EventInterest } from '../../shared/protocol.ts';
import type { CallListener, CallView } from '../session/calls.ts';
import type { PendingWrites } from '../optimistic/pending-writes.ts';
import type { OutboxWires } from '../outbox/outbox.ts';
import type { QueryRecords } from '../queries/records.ts';
import type { LoopListener, LoopView } from '../session/loop.ts';
import type { IdentityFollower } from '../session/signing.ts';
import type { ConnectionSettings } from './prepare.ts';

/** The part of a connection that resources need. */
export interface Link {
  readonly settings: ConnectionSettings;
  readonly session: LinkSession;
  /** What the page knows of each query. */
  readonly records: QueryRecords;
  readonly outbox: OutboxWires;
  /** The writes that answers may not contain yet. */
  readonly pending: PendingWrites;
  /** A new positive number, unique in the page: the id of an invocation or a loop. */
  readonly nextId: () => number;
}

interface LinkSession {
  call(submission: Submission, listener: CallListener, era?: number): CallView;
  abort(ids: readonly number[]): void;
  declare(declaration: LoopDeclaration, listener: LoopListener): LoopView | null;
  setInterval(loop: number, interval: number): void;
  setInterest(loop: number, interest: EventInterest): void;
  cut(loop: number): void;
  stop(loop: number): void;
  request(command: Command): Promise<Reply>;
  readonly signing: {
    /** `era`: what was begun in an earlier one was begun for another user. */
    readonly identity: { readonly era: number };
    /** Tells `follower` when another user has come, for as long as anybody else holds it. */
    follow(follower: IdentityFollower): void;
  };
}
