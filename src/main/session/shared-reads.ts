import { unanswered } from '../../shared/outcome.ts';
import type { Outcome } from '../../shared/outcome.ts';
import type { Submission } from '../../shared/protocol.ts';
import type { CallListener, Calls, CallView } from './calls.ts';

/**
 * Equal reads that are made in one turn of the event loop are one submission: one message there, one answer to open, and
 * every caller is told the same object. Reads of later turns go to the worker, which knows of all pages' writes and
 * lets them share what is still under way.
 */
export class SharedReads {
  readonly #calls: Pick<Calls, 'add' | 'settle'>;
  /** The first read of this turn, while it is alone: as most are, it is compared with nothing. */
  #lone: Group | null = null;
  /** The reads of this turn, by what they ask for. */
  #turn: Map<string, Group> | null = null;
  /** By caller. */
  readonly #groups = new Map<number, Group>();

  constructor(calls: Pick<Calls, 'add' | 'settle'>) {
    this.#calls = calls;
  }

  call(submission: Submission, listener: CallListener, era?: number): CallView {
    const { id, invocation } = submission;
    if (invocation.method !== 'GET') {
      // Reads before and after a write are not the same, though they are made in one turn.
      this.#endTurn();
      this.#calls.add(submission, listener, era);
      return { submission };
    }
    const group = this.#groupFor(submission);
    group.callers.set(id, listener);
    this.#groups.set(id, group);
    if (group.first === submission) this.#calls.add(submission, this.#listenerOf(group));
    return { submission };
  }

  /** Ends calls at once. Returns the submissions that nobody waits for any more. */
  abort(ids: readonly number[]): number[] {
    const left = ids.flatMap((id) => this.#leave(id) ?? []);
    for (const id of left) this.#calls.settle(id, ABORTED, true);
    return left;
  }

  /** The submission that nobody waits for any more; null where others do. */
  #leave(id: number): number | null {
    const group = this.#groups.get(id);
    if (!group || group.callers.size === 1) return group?.first.id ?? id;
    const listener = group.callers.get(id);
    group.callers.delete(id);
    this.#groups.delete(id);
    listener?.settled(ABORTED);
    return null;
  }

  #groupFor(submission: Submission): Group {
    const group: Group = { first: submission, callers: new Map() };
    if (!this.#turn) {
      this.#turn = new Map();
      queueMicrotask(() => this.#endTurn());
      return (this.#lone = group);
    }
    if (this.#lone) this.#turn.set(keyOf(this.#lone.first), this.#lone);
    this.#lone = null;
    const key = keyOf(submission);
    const equal = this.#turn.get(key);
    // One that all have left is settled.
    if (equal && equal.callers.size > 0) return equal;
    this.#turn.set(key, group);
    return group;
  }

  #endTurn(): void {
    this.#lone = null;
    this.#turn = null;
  }

  #listenerOf({ callers }: Group): CallListener {
    const each = (tell: (listener: CallListener) => void): void => {
      for (const listener of callers.values()) tell(listener);
    };
    return {
      sent: (status, headers) => each((listener) => listener.sent(status, headers)),
      progress: (progress) => each((listener) => listener.progress(progress)),
      preliminary: (answered) => each((listener) => listener.preliminary(answered)),
      settled: (outcome) => {
        const all = [...callers];
        callers.clear();
        for (const [id] of all) this.#groups.delete(id);
        for (const [, listener] of all) listener.settled(outcome);
      },
    };
  }
}

/** The outcome of a call that gives up. */
const ABORTED: Outcome = unanswered({ code: 'aborted', message: 'The call was aborted' });

/** The calls that one submission stands for. */
interface Group {
  /** What the worker is sent. */
  readonly first: Submission;
  readonly callers: Map<number, CallListener>;
}

function keyOf({ invocation, interest }: Submission): string {
  return JSON.stringify([invocation, interest]);
}
