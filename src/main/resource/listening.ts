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
