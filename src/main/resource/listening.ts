import type { Invocation } from '../../shared/invocation.ts';
import type { Revision } from '../../shared/outcome.ts';
import { pageSetHeaders } from '../../shared/header.ts';
import type { Notice } from './notice.ts';

/**
 * Which event types have listeners, by EventTarget's own rules, so that the worker sends no events that nobody hears. A
 * listener counts once per type, function and capture phase. A companion listener tells when EventTarget removes a
 * one-time listener: it is called under the same conditions, right before it.
 */
export class Listening {
  readonly #types = new Map<string, readonly Entry[]>();

  has(type: string): boolean {
    return this.#types.has(type);
  }

  /** Adds a listener through its target's own `add`: right after its companion, and with the same options. */
  addBy(
    add: EventTarget['addEventListener'],
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options: AddEventListenerOptions | boolean | undefined,
  ): void {
    const companion = this.add(type, listener, options);
    if (companion) add(type, companion, options);
    add(type, listener, options);
  }

  /** Removes a listener through its target's own `remove`, and its companion after it. */
  removeBy(
    remove: EventTarget['removeEventListener'],
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options: EventListenerOptions | boolean | undefined,
  ): void {
    remove(type, listener, options);
    const companion = this.remove(type, listener, options);
    if (companion) remove(type, companion, options);
  }

  /** Returns the companion to add right before the listener, with the same options; null where it needs none. */
  add(
    type: string,
    listener: unknown,
    options: AddEventListenerOptions | boolean | undefined,
  ): Companion | null {
    const { capture, once, signal } = optionsOf(options);
    if (!listener || signal?.aborted || this.#find(type, listener, capture)) return null;
    const entry = { listener, capture, forget: (): void => this.#forget(type, entry) };
    this.#types.set(type, [...this.#of(type), entry]);
    signal?.addEventListener('abort', entry.forget, { once: true });
    return once ? entry.forget : null;
  }

  /** Returns the companion, which has to be removed too; null where the listener was not there. */
  remove(
    type: string,
    listener: unknown,
    options: EventListenerOptions | boolean | undefined,
  ): Companion | null {
    const entry = this.#find(type, listener, optionsOf(options).capture);
    entry?.forget();
    return entry?.forget ?? null;
  }

  #of(type: string): readonly Entry[] {
    return this.#types.get(type) ?? [];
  }

  #find(type: string, listener: unknown, capture: boolean): Entry | undefined {
    return this.#of(type).find((each) => each.listener === listener && each.capture === capture);
  }

  /** Removes this entry only: by the time it is called, the same function may be listening again. */
  #forget(type: string, entry: Entry): void {
    const left = this.#of(type).filter((each) => each !== entry);
    if (left.length > 0) this.#types.set(type, left);
    else this.#types.delete(type);
  }
}

type Companion = () => void;

interface Entry {
  readonly listener: unknown;
  readonly capture: boolean;
  readonly forget: () => void;
}

interface Options {
  readonly capture: boolean;
  readonly once: boolean;
  readonly signal: AbortSignal | undefined;
}

function optionsOf(options: AddEventListenerOptions | boolean | undefined): Options {
  if (typeof options === 'boolean') return { capture: options, once: false, signal: undefined };
  return { capture: options?.capture ?? false, once: options?.once ?? false, signal: options?.signal };
}

/** An answer of an action, with the invocation that asked for it. */
export interface Reply {
  readonly notice: Notice;
  readonly invocation: Invocation;
  /** True where the notice contains the response. Otherwise it stayed with the worker, and no event tells of it. */
  readonly isWhole: boolean;
  /** True for the answer to a call. Calls are ordered by when they were made, ticks by when they arrive. */
  readonly isCall: boolean;
}

/** The newest answer of an action, without its response. */
export interface Answered {
  readonly invocation: Invocation;
  /** Names what was asked. Revisions of different questions cannot be compared: the worker counts them separately. */
  readonly question: string;
  readonly revision: Revision | null;
  /** The id of the newest answered call; 0 for none. */
  readonly call: number;
}

/** Hears of an action's answers, but may do without the bodies. */
interface Follower {
  /** True where parts of an answer are enough for it. */
  readonly wantsParts: () => boolean;
  /** Called before the events of the same answer. `isLate` is true where a newer call was answered before. */
  readonly hear: (reply: Reply, isLate: boolean) => void;
}

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
   * True once any follower is content with parts of the action's answers: from then on only listeners get whole
   * answers. It stays true when that follower goes.
   */
  wantParts(action: string): boolean {
    const followers = [...(this.#all.get(action) ?? [])];
    if (followers.some((follower) => follower.wantsParts())) this.#inParts.add(action);
    return this.#inParts.has(action);
  }

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

/** The worker's storage key: one URL has a separate state for each set of headers, credentials and functions. */
function questionOf(url: string, { headers, policy }: Invocation): string {
  return JSON.stringify([url, pageSetHeaders(headers), policy.credentials, policy.transform]);
}
