import type { QueryRecord, Reply } from '../queries/record.ts';
import type { Asked } from './prepare.ts';

/**
 * Which event types have listeners, by EventTarget's own rules, so that the worker sends no events that nobody hears. A
 * listener counts once per type, function and capture phase. A companion listener tells when EventTarget removes a
 * one-time listener: it is called under the same conditions, right before it.
 */
export class Listening {
  readonly #forgotten: () => void;
  readonly #types = new Map<string, readonly Entry[]>();

  /** `forgotten` is called when a listener has gone: removed, aborted, or called the one time that it wanted. */
  constructor(forgotten: () => void = () => {}) {
    this.#forgotten = forgotten;
  }

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
    this.#forgotten();
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

/** Which of its queries an action has answered last. */
export interface Answered {
  readonly record: QueryRecord;
  /** What was asked, with its options. */
  readonly asked: Asked;
  /** The id of the newest answered call of the app; 0 for none. */
  readonly call: number;
}

/** Hears of an action's answers and errors, but may do without the bodies. */
interface Follower {
  /** True where parts of an answer are enough for it. */
  readonly wantsParts: () => boolean;
  /** Called before the events of the same. `isLate` is true where another answer has taken the place of what it is about. */
  readonly hear: (reply: Reply, isLate: boolean) => void;
  /** Another user has come. */
  readonly empty: () => void;
}

export class Followers {
  readonly #all = new Map<string, Set<Follower>>();
  readonly #inParts = new Set<string>();
  readonly #answered = new Map<string, Answered>();
  /** How many need whole answers of an action, whoever is content with parts. */
  readonly #whole = new Map<string, number>();
  readonly #wanted: () => void;

  /** `wanted` is called when somebody needs whole answers that nobody needed before. */
  constructor(wanted: () => void = () => {}) {
    this.#wanted = wanted;
  }

  /** Whole answers of the action are needed until the returned function is called. */
  needWhole(action: string): () => void {
    const count = this.#whole.get(action) ?? 0;
    this.#whole.set(action, count + 1);
    if (count === 0) this.#wanted();
    return () => void this.#whole.set(action, (this.#whole.get(action) ?? 1) - 1);
  }

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
    if ((this.#whole.get(action) ?? 0) > 0) return false;
    const followers = [...(this.#all.get(action) ?? [])];
    if (followers.some((follower) => follower.wantsParts())) this.#inParts.add(action);
    return this.#inParts.has(action);
  }

  empty(): void {
    this.#answered.clear();
    for (const followers of this.#all.values()) for (const each of followers) each.empty();
  }

  /** The query that was answered last, as a newer call has it; null before the first answer. */
  answered(action: string): Answered | null {
    return this.#answered.get(action) ?? null;
  }

  hear(reply: Reply): void {
    const { notice, record, asked, isCall } = reply;
    const { type, action, id } = notice;
    const { record: last = asked.renews, call: newest = 0 } = this.#answered.get(action) ?? {};
    // A request that the page makes by itself renews one query, and replaces no other answer.
    const isLate = isCall && (id < newest || (asked.renews ?? last) !== last);
    const call = isCall && !asked.renews ? id : newest;
    if (!isLate && type === 'success') this.#answered.set(action, { record, asked, call });
    for (const follower of this.#all.get(action) ?? []) follower.hear(reply, isLate);
  }
}
