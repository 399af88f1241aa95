import type { Invocation } from '../../shared/invocation.ts';
import type { Revision } from '../../shared/outcome.ts';
import { pageSetHeaders } from '../../shared/header.ts';
import type { Notice } from './notice.ts';

/**
 * Which event types are listened for, by EventTarget's own rules, so that the worker need not send what nobody hears.
 * It counts a listener once per type, function and capture phase. That a listener for one event is gone it hears from
 * EventTarget itself: through a companion that is called if the listener is, and right before it.
 */
export class Listening {
  readonly #types = new Map<string, readonly Entry[]>();

  has(type: string): boolean {
    return this.#types.has(type);
  }

  /** Adds a listener by `add`, which is its target's own: right after its companion, and with the same options. */
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

  /** Removes a listener by `remove`, which is its target's own, and its companion after it. */
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

  /** Returns the companion, to be added right before the listener and with the same options; null where it needs none. */
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

  /** Returns what the companion was, if there was one: it has to be removed as well. */
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

  /** Of this listening only: the same function may listen again when its signal aborts or its companion is called. */
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
interface Follower {
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
