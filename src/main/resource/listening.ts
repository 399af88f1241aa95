/**
 * Which event types are listened for, by EventTarget's own rules, so that the worker need not send what nobody hears.
 * It counts a listener once per type, function and capture phase, and forgets it as EventTarget does.
 */
export class Listening {
  readonly #types = new Map<string, Entry[]>();

  has(type: string): boolean {
    return this.#types.has(type);
  }

  add(type: string, listener: unknown, options: AddEventListenerOptions | boolean | undefined): void {
    const { capture, once, signal } = optionsOf(options);
    if (!listener || signal?.aborted) return;
    const entry = { listener, capture, once };
    if (!this.#put(type, entry)) return;
    // This listening ends with the signal, not a later one of the same function.
    signal?.addEventListener('abort', () => this.#keep(type, (each) => each !== entry), { once: true });
  }

  remove(type: string, listener: unknown, options: EventListenerOptions | boolean | undefined): void {
    const { capture } = optionsOf(options);
    this.#keep(type, (entry) => entry.listener !== listener || entry.capture !== capture);
  }

  /**
   * An event of the type is about to be dispatched, with which listeners for one event are gone; what they add
   * meanwhile stays. The returned function takes them back: one of them may have kept the others from hearing it.
   */
  dispatching(type: string): () => void {
    const leaving = (this.#types.get(type) ?? []).filter(({ once }) => once);
    this.#keep(type, ({ once }) => !once);
    return () => {
      for (const entry of leaving) this.#put(type, entry);
    };
  }

  /** Returns whether the entry is new. */
  #put(type: string, entry: Entry): boolean {
    const entries = this.#types.get(type) ?? [];
    if (entries.some((each) => each.listener === entry.listener && each.capture === entry.capture))
      return false;
    this.#types.set(type, [...entries, entry]);
    return true;
  }

  #keep(type: string, wanted: (entry: Entry) => boolean): void {
    const entries = (this.#types.get(type) ?? []).filter(wanted);
    if (entries.length > 0) this.#types.set(type, entries);
    else this.#types.delete(type);
  }
}

interface Entry {
  readonly listener: unknown;
  readonly capture: boolean;
  readonly once: boolean;
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
