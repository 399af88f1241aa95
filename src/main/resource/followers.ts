import type { Invocation } from '../../shared/invocation.ts';
import type { Revision } from '../../shared/outcome.ts';
import { pageSetHeaders } from '../../shared/header.ts';
import type { Notice } from './notice.ts';

/** An answer of an action, with the invocation that asked for it. */
export interface Reply {
  readonly notice: Notice;
  readonly invocation: Invocation;
  /** True where the notice has the response; otherwise it stayed with the worker, and no event tells of it. */
  readonly isWhole: boolean;
  /** True where it answers a call. Calls are ordered by when they were made, ticks by when they come. */
  readonly isCall: boolean;
}

/** The newest answer of an action, without its response. */
export interface Answered {
  readonly invocation: Invocation;
  /** Names what was asked. Revisions of two questions cannot be compared: the worker counts them apart. */
  readonly question: string;
  readonly revision: Revision | null;
  /** The id of the newest call that was answered; 0 for none. */
  readonly call: number;
}

/** Wants to know of an action's answers, though not whole. */
export interface Follower {
  /** True where parts are enough for it. */
  readonly wantsParts: () => boolean;
  /** Called before the events of the same answer. `isLate` where a newer call was answered before it. */
  readonly hear: (reply: Reply, isLate: boolean) => void;
}

/** The followers of the actions of a resource. */
export class Followers {
  readonly #all = new Map<string, Set<Follower>>();
  readonly #inParts = new Set<string>();
  readonly #answered = new Map<string, Answered>();

  add(action: string, follower: Follower): () => void {
    const followers = this.#all.get(action) ?? new Set();
    this.#all.set(action, followers.add(follower));
    return () => void followers.delete(follower);
  }

  /**
   * True once any follower is content with parts of the action's answers: from then on only listeners get the whole. It
   * stays so when that follower goes.
   */
  wantParts(action: string): boolean {
    const followers = [...(this.#all.get(action) ?? [])];
    if (followers.some((follower) => follower.wantsParts())) this.#inParts.add(action);
    return this.#inParts.has(action);
  }

  /** The last answer; null before the first. */
  answered(action: string): Answered | null {
    return this.#answered.get(action) ?? null;
  }

  hear(reply: Reply): void {
    const { notice, invocation, isCall } = reply;
    if (notice.type !== 'success') return;
    const { action, id, request, revision } = notice;
    const newest = this.#answered.get(action)?.call ?? 0;
    const isLate = isCall && id < newest;
    const call = isCall ? id : newest;
    if (!isLate) {
      const question = questionOf(request.url, invocation);
      this.#answered.set(action, { invocation, question, revision, call });
    }
    for (const follower of this.#all.get(action) ?? []) follower.hear(reply, isLate);
  }
}

/** The same as the worker's key of what it stores: one URL has a state for all headers, credentials and functions. */
function questionOf(url: string, { headers, policy }: Invocation): string {
  return JSON.stringify([url, pageSetHeaders(headers), policy.credentials, policy.transform]);
}
