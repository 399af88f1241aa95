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
    const entries = this.#types.get(type) ?? [];
    if (entries.some((entry) => entry.listener === listener && entry.capture === capture)) return;
    this.#types.set(type, [...entries, { listener, capture, once }]);
    signal?.addEventListener('abort', () => this.remove(type, listener, capture), { once: true });
  }

  remove(type: string, listener: unknown, options: EventListenerOptions | boolean | undefined): void {
    const { capture } = optionsOf(options);
    this.#keep(type, (entry) => entry.listener !== listener || entry.capture !== capture);
  }

  /** An event of the type was dispatched: listeners for one event are gone. */
  dispatched(type: string): void {
    this.#keep(type, ({ once }) => !once);
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
